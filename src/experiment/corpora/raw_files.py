"""Put together the raw files of a corpus: {split}.{language}, from downloads, local files, mtdata or the generator.

Parts are unpacked and joined byte for byte; nothing is cleaned here. Every file of a split must have the lines that
the catalogue expects. parts.json says what each split was made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

from experiment.corpora.corpus import Corpus, File, Split
from experiment.corpora.demo import corpus as demo
from experiment.corpora.download import fetch
from experiment.corpora.held_out import hold_out
from experiment.corpora.parallel_text import Pair, Paths, languages_of, read_pairs, sides
from experiment.jsonfiles import write_json
from experiment.store.checksums import file_sha256
from subwords.errors import InputError
from subwords.files import open_text, whole_file

CHUNK = 1 << 20
#: Name and lines of a part.
PartLines = tuple[str, int]


def prepare(corpus: Corpus, pair: str, output: Path, *, downloads: Path, mirror: Path | None = None) -> None:
    """Write OUTPUT/{split}.{language} for the splits of a pair, and OUTPUT/gold.{language} where there is gold.

    What is not in `downloads` yet is fetched. OUTPUT/parts.json gives, for each split, the parts in their order:
    {"part": mtdata id or file, "lines": all of them, "pairs": those with text on both sides}. What is held out of train
    is drawn after train was put together. Raises InputError for a file that is missing, broken, or has another number
    of lines than expected.
    """
    languages, splits = languages_of(pair), corpus.splits(pair).values()
    if corpus.generator is not None:
        sizes = dict(corpus.generator)
        demo.write(output, demo.generate(sizes.pop("seed", 1), sizes), corpus.languages)
        parts = {split.name: [("generated", _lines(output / f"{split.name}.{languages[0]}"))] for split in splits}
    else:
        for file in corpus.files(pair):
            _make_present(file, downloads, mirror)
        read = [split for split in splits if not split.drawn]
        parts = {split.name: _put_together(corpus, split, languages, output, downloads, mirror) for split in read}
        for language, files in corpus.gold(pair).items():
            with whole_file(output / f"gold.{language}", "wb") as stream:
                _join(files, stream, downloads)
    described = {name: _describe(sides(output, name, languages), found) for name, found in parts.items()}
    write_json(output / "parts.json", described)
    if corpus.held_out:
        lengths = [part["lines"] for part in described["train"]]
        hold_out(output, languages, corpus.held_out, corpus.held_out_seed, lengths)


def prepare_split(
    corpus: Corpus, pair: str, name: str, output: Path, *, downloads: Path, mirror: Path | None = None
) -> None:
    """Write OUTPUT/{name}.{language} for one split that has files or mtdata ids. Raises InputError as `prepare`."""
    languages, split = languages_of(pair), corpus.splits(pair)[name]
    for file in (file for language in languages for file in split.files.get(language, ())):
        _make_present(file, downloads, mirror)
    parts = _put_together(corpus, split, languages, output, downloads, mirror)
    _describe(sides(output, name, languages), parts)


def check_checksums(expected: Mapping[str, str]) -> None:
    """Raise InputError where one of the user's files (path -> SHA-256) has changed since the workflow looked at it."""
    for path, sha256 in expected.items():
        if not Path(path).is_file():
            raise InputError(f"no such file: {path}", next_step="check the path in the corpus definition")
        if file_sha256(Path(path)) != sha256:
            raise InputError(f"{path} has changed since the workflow was started", next_step="start it again")


def _put_together(
    corpus: Corpus, split: Split, languages: Pair, output: Path, downloads: Path, mirror: Path | None
) -> list[PartLines]:
    """Write both files of a split, mtdata's parts first; return the parts in order.

    Raises InputError where the files do not have the lines that the catalogue expects.
    """
    parts: list[PartLines] = []
    first, second = sides(output, split.name, languages)
    with whole_file(first, "wb") as left, whole_file(second, "wb") as right:
        if split.mtdata:
            from experiment.corpora.mtdata_parts import write_parts

            found = write_parts(split.mtdata, languages, (left, right), downloads=downloads, mirror=mirror)
            parts += zip(split.mtdata, found, strict=True)
        if split.files:
            files = split.files[languages[0]], split.files[languages[1]]
            lines = [_join(side, stream, downloads) for side, stream in zip(files, (left, right), strict=True)]
            names = [file.url or file.path for file in files[0]]
            if lines[0] == lines[1]:
                parts += zip(names, lines[0], strict=True)
            else:  # parts cut differently on each side, or text that is not parallel, which `_describe` finds
                parts.append((", ".join(names), max(sum(side) for side in lines)))
    for path in (first, second):
        if split.lines is not None and (there := _lines(path)) != split.lines:
            raise InputError(
                f"{corpus.name}: {path.name} has {there} lines",
                allowed=f"{split.lines}, as the catalogue says",
                next_step=f"check the files behind {path}, or correct `lines`",
            )
    return parts


def _describe(paths: Paths, parts: Iterable[PartLines]) -> list[dict[str, Any]]:
    """Return part, lines and pairs of each stretch of two parallel files.

    Raises InputError when the files do not have the same number of lines.
    """
    pairs = read_pairs(paths)
    described = []
    for part, lines in parts:
        full = sum(bool(first.strip() and second.strip()) for first, second in islice(pairs, lines))
        described.append({"part": part, "lines": lines, "pairs": full})
    for _ in pairs:  # reading to the end compares the numbers of lines
        pass
    return described


def _lines(path: Path) -> int:
    with open(path, "rb") as stream:
        return sum(1 for _ in stream)


def _make_present(file: File, downloads: Path, mirror: Path | None) -> None:
    path = file.location(downloads)
    if file.url:
        fetch(file.url, path, sha256=file.sha256, mirror=mirror)
    elif not path.is_file():
        raise InputError(f"no such file: {path}", next_step="check the path in the corpus definition")
    elif file.sha256 and (found := file_sha256(path)) != file.sha256:
        raise InputError(f"the SHA-256 of {path} is {found}", allowed=file.sha256, next_step="check the file")


def _join(files: tuple[File, ...], output: IO[bytes], downloads: Path) -> list[int]:
    """Write the files, unpacked, one after the other, each from a new line on; return the lines of each."""
    lengths = []
    for file in files:
        last, lines = b"", 0
        with open_text(file.location(downloads)) as stream:
            while chunk := stream.read(CHUNK):
                output.write(chunk)
                last, lines = chunk, lines + chunk.count(b"\n")
        if last and not last.endswith(b"\n"):
            output.write(b"\n")
            lines += 1
        lengths.append(lines)
    return lengths
