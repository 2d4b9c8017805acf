"""Pieces as fairseq reads them: numbers in memory-mapped files, with dictionaries."""

from __future__ import annotations

import tempfile
from pathlib import Path

from subwords.errors import InputError


def binarize(folder: Path, pair: str, joint: bool, workers: int) -> None:
    """Write FOLDER/binarized: dictionaries from the train side, and train and dev as fairseq's memory-mapped files."""
    import fairseq_plugins  # noqa: F401  (mends fairseq's imports)
    from fairseq import options
    from fairseq_cli.preprocess import main as preprocess

    languages = pair.split("-")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".binarize.") as scratch:
        for split, ours in (("train", "train"), ("valid", "dev")):  # fairseq wants one prefix a split
            for language in languages:
                source = (folder / f"{ours}.{language}").resolve()
                if not source.is_file() or source.stat().st_size == 0:
                    raise InputError(f"{source} is missing or empty", next_step="check the corpus")
                Path(scratch, f"{split}.{language}").symlink_to(source)
        words = ["--source-lang", languages[0], "--target-lang", languages[1], "--destdir", str(folder / "binarized")]
        words += ["--trainpref", f"{scratch}/train", "--validpref", f"{scratch}/valid"]
        words += ["--workers", str(workers), *(["--joined-dictionary"] if joint else [])]
        preprocess(options.get_preprocessing_parser().parse_args(words))
    (folder / "binarized" / "preprocess.log").unlink(missing_ok=True)
