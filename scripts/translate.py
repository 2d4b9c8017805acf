"""Translate a test set: text in, hypotheses as detokenized text out, one line for each line.

The source is segmented, translated with beam search, put together by the same segmenter and, where that read Moses
tokens, detruecased and detokenized. The pieces are kept beside the hypotheses.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from experiment.decoding import Translator, add_options, one_line, read_source, text_maker, translate_all, write_lines
from experiment.jsonfiles import write_json
from experiment.programs import program
from experiment.training import gpu

ROOT = Path(__file__).resolve().parent.parent


@program
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    add_options(parser)
    parser.add_argument("--pieces", type=Path, required=True, help="pieces to write")
    arguments = parser.parse_args(argv)

    gpu.take(1)
    search = json.loads(arguments.search)
    source = read_source(arguments)
    translator = Translator(arguments.model, arguments.data, arguments.direction, search, arguments.precision)
    began = time.monotonic()
    pieces = translate_all(translator, source, search["max_tokens"])
    seconds = time.monotonic() - began
    to_text = text_maker(arguments)
    hypotheses = [one_line(to_text(line)) for line in pieces]
    generated = sum(len(line.split(" ")) for line in pieces if line)
    write_lines(arguments.pieces, pieces)
    write_json(
        arguments.report,
        {
            "sentences": len(pieces),
            "seconds": round(seconds, 2),
            "pieces": generated,
            "pieces_per_second": round(generated / seconds, 1) if seconds else None,
            "words": to_text.words,
            "lost_in_decoding": to_text.lost(),
            "sources_cut": translator.cut,
            "unknown_pieces": sum(line.split(" ").count("<unk>") for line in pieces),
            "empty_hypotheses": sum(not line.strip() for line in hypotheses),
            "device": "cuda" if translator.cuda else "cpu",
            "search": search,
            "precision": arguments.precision if translator.cuda else "fp32",
        },
    )
    write_lines(arguments.hypotheses, hypotheses)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
