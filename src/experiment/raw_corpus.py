"""Put together the raw files of a corpus: {split}.{language}, from downloads, local files, mtdata or the generator.

Parts are unpacked and joined byte for byte; nothing is cleaned here. Every file of a split must have the lines that
the catalogue expects.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from experiment.catalogue import Corpus, File, Split, pair_languages
from experiment.download import fetch, file_sha256
from subwords.errors import InputError
from subwords.files import whole_file

CHUNK = 1 << 20


def prepare(corpus: Corpus, pair: str, output: Path, *, downloads: Path, mirror: Path | None = None) -> None:
    """Write OUTPUT/{split}.{language} for the splits of a pair, and OUTPUT/gold.{language} where there is gold.

    What is not in `downloads` yet is fetched. Raises InputError for a file that is missing, broken, or has another
    number of lines than expected.
    """
    if corpus.generator is not None:
        _generate(corpus, output)
        return
    for file in corpus.files(pair):
        _make_present(file, downloads, mirror)
    languages = pair_languages(pair)
    for split in corpus.splits(pair).values():
        if split.mtdata:
            from experiment.mtdata_parts import write_parts

            write_parts(split.mtdata, languages, output, split.name, downloads=downloads, mirror=mirror)
        else:
            for language in languages:
                _join(split.files[language], output / f"{split.name}.{language}", downloads)
        _check_lines(corpus.name, split, languages, output)
    for language, files in corpus.gold(pair).items():
        _join(files, output / f"gold.{language}", downloads)


def _generate(corpus: Corpus, output: Path) -> None:
    from experiment.demo import corpus as demo

    sizes = dict(corpus.generator or {})
    demo.write(output, demo.generate(sizes.pop("seed", 1), sizes), corpus.languages)


def _make_present(file: File, downloads: Path, mirror: Path | None) -> None:
    path = file.location(downloads)
    if file.url:
        fetch(file.url, path, sha256=file.sha256, mirror=mirror)
    elif not path.is_file():
        raise InputError(f"no such file: {path}", next_step="check the path in the corpus definition")
    elif file.sha256 and (found := file_sha256(path)) != file.sha256:
        raise InputError(f"the SHA-256 of {path} is {found}", allowed=file.sha256, next_step="check the file")


def _join(files: tuple[File, ...], target: Path, downloads: Path) -> None:
    """Write the parts, unpacked, one after the other; each starts on a new line."""
    with whole_file(target, "wb") as output:
        for file in files:
            last = b""
            with _open(file.location(downloads)) as stream:
                while chunk := stream.read(CHUNK):
                    output.write(chunk)
                    last = chunk
            if last and not last.endswith(b"\n"):
                output.write(b"\n")


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    with open(path, "rb") as stream:
        if path.suffix != ".gz":
            yield stream
            return
        try:
            with gzip.open(stream) as unpacked:
                yield unpacked  # type: ignore[misc]
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{path} is not a whole gzip file: {error}", next_step="fetch or pack it again") from error


def _check_lines(corpus: str, split: Split, languages: list[str], output: Path) -> None:
    for language in languages:
        path = output / f"{split.name}.{language}"
        with open(path, "rb") as stream:
            found = sum(1 for _ in stream)
        if split.lines is not None and found != split.lines:
            raise InputError(
                f"{corpus}: {split.name}.{language} has {found} lines",
                allowed=f"{split.lines}, as the catalogue says",
                next_step=f"check the files behind {path}, or mend `lines`",
            )
