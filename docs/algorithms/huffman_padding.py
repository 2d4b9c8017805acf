"""What Huffman's missing padding costs: symbols per token with and without it, and words without a code."""

from __future__ import annotations

import tempfile
from collections import Counter
from itertools import chain
from pathlib import Path

from experiment.programs import command_line, program
from subwords.files import read_lines, write_lines
from subwords.huffman import Huffman, expected_length


def tokenize(source: Path, target: Path, language: str) -> Counter[str]:
    """Write the text as the paper's program tokenizes it, and return its words with counts."""
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

    normalizer, tokenizer = MosesPunctNormalizer("en"), MosesTokenizer(language)
    lines = [tokenizer.tokenize(normalizer.normalize(line)) for line in map(str.strip, read_lines(source))]
    write_lines(target, map(" ".join, lines))
    return Counter(chain.from_iterable(lines))


@program
def main(argv: list[str] | None = None) -> None:
    """Print one row per number of symbols."""
    command = command_line(__doc__)
    command.add_argument("train", metavar="TRAIN", type=Path, help="to learn from: raw text, Moses-tokenized here")
    command.add_argument("dev", metavar="DEV", type=Path, help="to encode: raw text")
    command.add_argument("language", metavar="LANGUAGE", help="of both, for the tokenizer: en, ga, ...")
    args = command.parse_args(argv)
    language = args.language
    print("| text | n | padding | one-symbol words | longest code | symbols per token | unknown in dev |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        learned, held_out = Path(folder) / "train", Path(folder) / "dev"
        counts = tokenize(args.train, learned, language)
        unseen = tokenize(args.dev, held_out, language)
        for size in (100, 1000, 8000):
            for padding in ("none", "optimal"):
                model = Huffman.learn([learned], size, padding=padding)
                model.encode_batch(list(read_lines(held_out)))
                unknown = model.counts().get("unknown words", 0)
                print(
                    f"| {language} | {size} | {padding} | {sum(len(code) == 1 for code in model.codes)} "
                    f"| {max(map(len, model.codes))} | {expected_length(model.codes, counts):.3f} "
                    f"| {unknown} of {unseen.total()} ({unknown / unseen.total():.1%}) |"
                )


if __name__ == "__main__":
    raise SystemExit(main())
