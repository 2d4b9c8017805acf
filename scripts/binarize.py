"""Binarize segmented text for fairseq: dictionaries from the train side, then train and dev as memory-mapped files."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from experiment.programs import program
from subwords.errors import InputError

ROOT = Path(__file__).resolve().parent.parent


def link_splits(folder: Path, languages: list[str], splits: dict[str, Path]) -> None:
    """fairseq wants PREFIX.LANG with one prefix a split; name the files so in `folder`."""
    for split, prefix in splits.items():
        for language in languages:
            source = Path(f"{prefix}.{language}").resolve()
            if not source.is_file() or source.stat().st_size == 0:
                raise InputError(f"{source} is missing or empty", next_step="run the segmentation step")
            (folder / f"{split}.{language}").symlink_to(source)


@program
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pair", required=True, metavar="L1-L2", help="for instance en-de; serves both directions")
    parser.add_argument("--train", type=Path, required=True, metavar="PREFIX", help="pieces: PREFIX.L1, PREFIX.L2")
    parser.add_argument("--dev", type=Path, required=True, metavar="PREFIX")
    parser.add_argument("--joint", action="store_true", help="one dictionary for both languages")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--output", type=Path, required=True, help="folder to make")
    arguments = parser.parse_args(argv)

    import fairseq_plugins  # noqa: F401  (mends fairseq's imports)
    from fairseq import options
    from fairseq_cli.preprocess import main as preprocess

    languages = arguments.pair.split("-")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=arguments.output.parent, prefix=".binarize.") as scratch:
        texts, made = Path(scratch) / "text", Path(scratch) / "made"
        texts.mkdir()
        link_splits(texts, languages, {"train": arguments.train, "valid": arguments.dev})
        words = ["--source-lang", languages[0], "--target-lang", languages[1], "--destdir", str(made)]
        words += ["--trainpref", str(texts / "train"), "--validpref", str(texts / "valid")]
        words += ["--workers", str(arguments.workers), *(["--joined-dictionary"] if arguments.joint else [])]
        preprocess(options.get_preprocessing_parser().parse_args(words))
        (made / "preprocess.log").unlink(missing_ok=True)
        shutil.rmtree(arguments.output, ignore_errors=True)
        made.rename(arguments.output)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
