"""Score a test set: BLEU, chrF, chrF++ and TER by sacrebleu, word accuracy and exact match, with signatures."""

from __future__ import annotations

import sys

from experiment.jsonfiles import write_json
from experiment.programs import command_line, program
from experiment.scoring.metrics import DEFAULT_METRICS, METRICS, make_metric, read_parallel, score_corpus
from experiment.scoring.words import training_words


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__)
    command.add_argument("--hypothesis", required=True, metavar="FILE", help="detokenized translations")
    command.add_argument("--reference", required=True, metavar="FILE", help="raw references, never tokenized")
    command.add_argument(
        "--metrics",
        nargs="+",
        default=DEFAULT_METRICS,
        metavar="M",
        help=f"some of {', '.join(name for name in METRICS if name != 'comet')}",
    )
    command.add_argument("--target", default="", metavar="LANG", help="target language, for BLEU's tokenizer")
    command.add_argument("--bleu-tokenizer", metavar="NAME", help="sacrebleu's tokenizer (default: by language, 13a)")
    command.add_argument("--train", metavar="FILE", help="raw training text of the target side: words by frequency")
    command.add_argument("--output", required=True, metavar="FILE", help="JSON to write")
    args = command.parse_args(argv)
    hypotheses, references = read_parallel(args.hypothesis, args.reference)
    options = {"target": args.target, "tokenizer": args.bleu_tokenizer}
    training = training_words(args.train, make_metric("bleu", **options).tokenizer) if args.train else None
    scores = score_corpus(hypotheses, references, args.metrics, training=training, **options)
    if scores["empty_hypotheses"]:
        print(f"{args.hypothesis}: {scores['empty_hypotheses']} of {len(hypotheses)} are empty", file=sys.stderr)
    write_json(args.output, scores)


if __name__ == "__main__":
    raise SystemExit(main())
