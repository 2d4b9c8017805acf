"""Pieces as fairseq reads them: numbers in memory-mapped files, with dictionaries."""

from __future__ import annotations

import tempfile
from pathlib import Path

from experiment.segmenting import draws_of
from subwords.errors import InputError


def binarize(folder: Path, pair: str, joint: bool, workers: int, draws: int = 1) -> None:
    """Write FOLDER/binarized: dictionaries from the train side, and train and dev as fairseq's memory-mapped files.

    Further draws of train lie in binarized/2, ...; the dictionaries have the pieces of all of them.
    """
    import fairseq_plugins  # noqa: F401  (mends fairseq's imports)
    from fairseq import options
    from fairseq_cli.preprocess import main as preprocess

    languages, place = pair.split("-"), folder / "binarized"
    common = ["--source-lang", languages[0], "--target-lang", languages[1], "--workers", str(workers)]
    common += ["--joined-dictionary"] if joint else []
    with tempfile.TemporaryDirectory(dir=folder, prefix=".binarize.") as scratch:

        def run(into: Path, *words: str) -> None:
            words = (*common, "--destdir", str(into), *words)
            preprocess(options.get_preprocessing_parser().parse_args(words))
            (into / "preprocess.log").unlink(missing_ok=True)

        for language in languages:  # fairseq wants one prefix a split
            _link(folder / f"dev.{language}", Path(scratch, f"valid.{language}"))
            for draw, file in enumerate(draws_of(folder / f"train.{language}", draws), 1):
                _link(file, Path(scratch, f"train{draw}.{language}"))
        dictionaries = []
        if draws > 1:  # of all of them
            for language in languages:
                with open(Path(scratch, f"every.{language}"), "wb") as stream:
                    for file in draws_of(folder / f"train.{language}", draws):
                        stream.write(file.read_bytes())
            run(Path(scratch, "all"), "--trainpref", f"{scratch}/every", "--dict-only")
            dictionaries = ["--srcdict", f"{scratch}/all/dict.{languages[0]}.txt"]
            dictionaries += [] if joint else ["--tgtdict", f"{scratch}/all/dict.{languages[1]}.txt"]
        run(place, "--trainpref", f"{scratch}/train1", "--validpref", f"{scratch}/valid", *dictionaries)
        for draw in range(2, draws + 1):
            run(place / str(draw), "--trainpref", f"{scratch}/train{draw}", *dictionaries)


def _link(file: Path, link: Path) -> None:
    if not file.is_file() or file.stat().st_size == 0:
        raise InputError(f"{file} is missing or empty", next_step="check the corpus")
    link.symlink_to(file.resolve())
