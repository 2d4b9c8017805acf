"""Generate the demo corpus: OUT/{train,dev,test,test_unseen}.{en,qmo} and OUT/gold.qmo.

The same seed gives the same files everywhere. docs/demo-language.md describes the two languages.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.corpora.demo import corpus as demo
from experiment.programs import program


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the random generator (default 1)")
    for split, size in demo.SPLITS.items():
        parser.add_argument(
            f"--{split.replace('_', '-')}",
            type=int,
            default=size,
            metavar="N",
            dest=split,
            help=f"sentence pairs in {split} (default {size})",
        )
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for the files")
    return parser


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Generate and write the corpus."""
    arguments = parser().parse_args(argv)
    sizes = {split: getattr(arguments, split) for split in demo.SPLITS}
    demo.write(arguments.out, demo.generate(arguments.seed, sizes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
