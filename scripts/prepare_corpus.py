"""Put together the raw files of a language pair: OUT/{split}.{language}, and OUT/gold.{language} where there is gold.

The corpus is one of the catalogue, or given as JSON. Downloads that are not there yet are fetched.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.corpora.catalogue import CATALOGUE, Corpus, corpora, read_catalogue
from experiment.corpora.download import add_mirror
from experiment.corpora.raw_corpus import prepare
from experiment.programs import program
from subwords.errors import InputError, unknown


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="prepare_corpus.py", description=__doc__)
    command.add_argument("--corpus", required=True, metavar="NAME", help="name in the catalogue")
    command.add_argument("--definition", metavar="JSON", help="what the catalogue would say about it")
    command.add_argument(
        "--catalogue", type=Path, default=CATALOGUE, metavar="FILE", help="default: config/corpora.yaml"
    )
    command.add_argument("--languages", nargs=2, required=True, metavar="LANG", help="the pair, in any order")
    command.add_argument("--tests", nargs="+", metavar="NAME", help="test sets (default: all that have both languages)")
    command.add_argument(
        "--downloads", type=Path, default=Path("results/downloads"), metavar="DIR", help="default: %(default)s"
    )
    add_mirror(command)
    command.add_argument("--output", type=Path, required=True, metavar="OUT", help="folder for the files")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    corpus = find(args.corpus, args.definition, args.catalogue)
    if args.tests:
        corpus = corpus.with_tests(args.tests)
    prepare(corpus, corpus.pair(*args.languages), args.output, downloads=args.downloads, mirror=args.mirror)
    return 0


def find(name: str, definition: str | None, catalogue: Path) -> Corpus:
    """Return the corpus of this definition (JSON), or of this name in the catalogue."""
    if definition is None:
        known = read_catalogue(catalogue)
        if name not in known:
            raise unknown("corpus", name, known, next_step=f"add it to {catalogue}")
        return known[name]
    try:
        document = json.loads(definition)
    except ValueError as error:
        raise InputError(f"--definition is not JSON: {error}") from error
    return corpora({name: document}, "--definition")[name]


if __name__ == "__main__":
    sys.exit(main())
