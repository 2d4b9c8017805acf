"""Corpora by mtdata id: mtdata knows their addresses and formats; our downloader fetches them.

mtdata's index has no checksums. At the first download only the length is checked, against what the server says. The
SHA-256 is then written beside the file, as FILE.sha256, and every later copy must have it. The index (some 290,000
entries) is part of the package; the first look-up takes half a minute, later ones read mtdata's own cache.
"""

from __future__ import annotations

import logging
import os
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from experiment.corpora.download import fetch, place
from experiment.store.checksums import file_sha256
from experiment.store.making import locked
from subwords.errors import InputError
from subwords.files import write_whole


def find_entries(ids: Sequence[str], languages: Sequence[str] = ()) -> list[Any]:
    """Return mtdata's entries of `ids`. Raises InputError for one that it lacks, or that has other languages."""
    from mtdata.entry import DatasetId
    from mtdata.iso.bcp47 import bcp47

    logging.getLogger().setLevel(logging.WARNING)  # on import, mtdata makes the root logger print everything
    index = _index()
    try:
        wanted = {bcp47(language).lang for language in languages}
    except ValueError as error:
        raise InputError(f"mtdata does not know a language of {', '.join(languages)}: {error}") from error
    entries = []
    for name in ids:
        try:
            entry = index[DatasetId.parse(name)]
        except Exception as error:  # mtdata raises whatever it comes across
            step = f"mtdata list -id -l {'-'.join(languages) or name[-7:]}"
            raise InputError(f"mtdata has no corpus {name!r}", next_step=step) from error
        found = {language.lang for language in entry.did.langs}
        if wanted and found != wanted:
            raise InputError(
                f"the mtdata corpus {name} has the languages {'-'.join(sorted(found))}",
                allowed="-".join(sorted(wanted)),
            )
        entries.append(entry)
    return entries


def _index() -> Any:
    """Return mtdata's index. Its cache has one writer: mtdata writes it in place, and others would read half of it."""
    from mtdata import index

    folder = index.cached_index_file.parent
    if not index.Index.obj:
        with nullcontext() if folder.exists() and not os.access(folder, os.W_OK) else locked(folder):
            try:
                index.Index.get_instance()
            except Exception:  # whatever pickle says of half a cache, which a kill or a full disk has left
                if not index.cached_index_file.exists():
                    raise
                index.cached_index_file.unlink()
                index.Index.get_instance()
    return index.Index.obj


def write_parts(
    ids: Sequence[str], languages: Sequence[str], streams: Sequence[IO[bytes]], *, downloads: Path, mirror: Path | None
) -> list[int]:
    """Write the segments of all `ids`, one after the other, to a stream for each of two languages.

    Returns the lines of each part.
    """
    lines = []
    for entry in find_entries(ids, languages):
        count = 0
        for count, segments in enumerate(read_segments(entry, languages[0], downloads, mirror), 1):  # noqa: B007
            for stream, segment in zip(streams, segments, strict=True):
                stream.write(segment.replace("\n", " ").encode() + b"\n")
        lines.append(count)
    return lines


def fetch_entry(entry: Any, downloads: Path, mirror: Path | None) -> Any:
    """Return the file or files of an entry, after fetching what is not in the folder of downloads yet."""
    from mtdata.cache import Cache

    class OurDownloads(Cache):
        """mtdata's view of a folder of downloads, filled by our downloader."""

        def get_local_path(self, url: str, *_: Any, **__: Any) -> Path:
            path: Path = self.root / place(url)
            fetch(url, path, mirror=mirror)
            check_content(path)
            return path

        def get_local_in_paths(self, path: Path, entry: Any) -> Any:
            """Unpack an archive beside it. Where several processes want to, mtdata fails in all but the first."""
            with locked(path.parent, f".{path.name}.lock"):
                try:
                    return super().get_local_in_paths(path, entry)
                except tarfile.TarError as error:
                    raise InputError(
                        f"{path} cannot be unpacked: {error}", next_step="delete it and run again"
                    ) from error

    tarfile.TarFile.extraction_filter = staticmethod(tarfile.data_filter)  # nothing leads out of the folder
    return OurDownloads(downloads).get_entry(entry)


def check_content(path: Path) -> None:
    """Record the SHA-256 of a file that was fetched for the first time. Raises InputError where it is another later."""
    record, found = path.with_name(f"{path.name}.sha256"), file_sha256(path)
    if not record.exists():
        write_whole(record, f"{found}  {path.name}\n")
    elif found != (first := record.read_text(encoding="utf-8").split(" ")[0]):
        raise InputError(
            f"the SHA-256 of {path} is {found}",
            allowed=f"{first}, as it was first fetched ({record})",
            next_step=f"delete {path} and run again. If it stays so, its server has another version now: restore the"
            f" old one; or delete {record}, and move away the folders of results/corpora that were made from it",
        )


def read_segments(entry: Any, first: str, downloads: Path, mirror: Path | None) -> Iterator[tuple[str, str]]:
    """Yield the segment pairs of an entry, the language `first` first."""
    from mtdata.iso.bcp47 import bcp47
    from mtdata.parser import Parser

    parser = Parser(fetch_entry(entry, downloads, mirror), ext=entry.in_ext or None, ent=entry)
    swap = entry.did.langs[0].lang != bcp47(first).lang
    for segments in parser.read_segs(show_pbar=False):
        pair = (str(segments[0] or ""), str(segments[1] or ""))
        if entry.is_noisy(*pair):  # for instance TED's mark for talks without a translation
            continue
        yield (pair[1], pair[0]) if swap else pair
