"""Fetch one file: from the web with retries and resume, from a mirror folder, or from a file: URL; checked by SHA-256.

A transfer that is cut, or a program that is killed, leaves `TARGET.part`, and the next attempt asks for the rest
(HTTP Range). The target appears under its name only when it is whole and its checksum is right.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

from experiment.store.checksums import file_sha256
from experiment.store.making import locked
from subwords.errors import InputError, check_known

if TYPE_CHECKING:
    import requests
    from tqdm import tqdm

CHUNK = 1 << 16
CONNECT_SECONDS, READ_SECONDS = 15, 60
#: The longest pause between two attempts.
LONGEST_PAUSE = 30.0
SCHEMES = ("https", "http", "file")


class _Temporary(Exception):
    """A failure that may be gone at the next attempt."""


def fetch(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    mirror: Path | None = None,
    attempts: int = 5,
    pause: float = 1.0,
) -> None:
    """Make `target` hold the bytes of `url`; do nothing when it already does.

    Without `sha256`, a target that is there is taken as it is. Of several processes that want a file, one fetches it.

    With `mirror`, the file is taken from MIRROR/{host}/{path of the URL} and the network is not touched. `attempts` is
    how many times in a row the server may fail without sending a single byte; the wait between attempts starts with
    `pause` seconds and doubles. Without `sha256`, only the length that the server announces is checked, once.

    Raises InputError when the file is not available or its checksum differs; then `target` does not exist.
    """
    check_url(url)

    def is_there() -> bool:
        return target.is_file() and (sha256 is None or file_sha256(target) == sha256)

    if is_there():  # perhaps in a folder that may only be read
        return
    lock = target.with_name(f".{target.name}.lock")
    with locked(lock.parent, lock.name):
        try:
            if not is_there():
                _fetch(url, target, sha256, mirror, attempts, pause)
        finally:
            lock.unlink()


def _fetch(url: str, target: Path, sha256: str | None, mirror: Path | None, attempts: int, pause: float) -> None:
    part, origin = target.with_name(target.name + ".part"), url
    if mirror is not None or urlsplit(url).scheme == "file":
        source = mirror_path(mirror, url) if mirror is not None else Path(unquote(urlsplit(url).path))
        _copy(source, part, url)
        origin = str(source)
    else:
        resumed = _download(url, part, attempts, pause)
        if resumed and sha256 and file_sha256(part) != sha256:
            part.unlink()  # the first bytes may be of another version of the file: start again
            _download(url, part, attempts, pause)
    if sha256 and (found := file_sha256(part)) != sha256:
        part.unlink()
        raise InputError(
            f"the SHA-256 of {origin} is {found}",
            allowed=sha256,
            next_step="run again; if that does not help, the file at its source has changed: correct the catalogue",
        )
    part.replace(target)


def check_url(url: str) -> None:
    """Raise InputError for a URL that `fetch` cannot read, or whose place would be outside the folder of downloads."""
    parts = urlsplit(url)
    check_known("scheme", [parts.scheme], SCHEMES, next_step=f"correct the URL {url}")
    where = place(url)
    outside = ".." in PurePosixPath(where).parts or not where.isprintable()
    if outside or (parts.scheme != "file" and not parts.hostname):
        raise InputError(f"not a URL of a file: {url}", next_step="correct it in the corpus definition")


def place(url: str) -> str:
    """Return {host}/{path} of a URL: its place in a mirror and in the folder of downloads."""
    parts = urlsplit(url)
    path = unquote(parts.path).lstrip("/") + (f"?{parts.query}" if parts.query else "")
    return f"{parts.hostname or 'localhost'}/{path}"


def mirror_path(mirror: Path, url: str) -> Path:
    """Return where a mirror keeps `url`. Raises InputError when it does not have it."""
    path = mirror / place(url)
    if not path.is_file():
        what = "mirror has no such file" if mirror.is_dir() else "mirror is not a folder"
        raise InputError(f"{what}: {path}", next_step=f"put {url} there, or leave the mirror out to use the network")
    return path


def _copy(source: Path, part: Path, url: str) -> None:
    try:
        with open(source, "rb") as reader, _append(part, keep=False) as writer:
            shutil.copyfileobj(reader, writer, CHUNK)
    except FileNotFoundError as error:
        raise InputError(f"no such file: {source} (for {url})", next_step="check the path") from error


@contextmanager
def _append(part: Path, *, keep: bool) -> Iterator[BinaryIO]:
    with open(part, "ab" if keep else "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _download(url: str, part: Path, attempts: int, pause: float) -> bool:
    """Append to `part` until it is whole; return whether bytes of an earlier attempt were kept."""
    import requests

    failures = 0
    with requests.Session() as session:
        while True:
            have = part.stat().st_size if part.exists() else 0
            try:
                return _attempt(session, url, part, have)
            except _Temporary as error:
                reason = error
            # A server that cuts the connection but sends something each time will finish at last.
            failures = 1 if part.exists() and part.stat().st_size > have else failures + 1
            if failures >= attempts:
                raise InputError(
                    f"cannot download {url}: {reason} ({attempts} attempts)",
                    next_step="check the network and run again (the downloaded part is kept); without a network, put "
                    f"the file into a folder as {place(url)} and name that folder as mirror",
                )
            wait = min(pause * 2 ** (failures - 1), LONGEST_PAUSE)
            print(f"{url}: {reason}; again in {wait:.0f} s", file=sys.stderr, flush=True)
            time.sleep(wait)


def _attempt(session: requests.Session, url: str, part: Path, have: int) -> bool:
    """Ask for what is missing after `have` bytes and append it; return whether these bytes were of use."""
    import requests
    import urllib3

    # Identity: the bytes are to be those of the file, whatever compression the server would like to add.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        with session.get(url, headers=headers, stream=True, timeout=(CONNECT_SECONDS, READ_SECONDS)) as response:
            if response.status_code == 416:
                if response.headers.get("Content-Range") == f"bytes */{have}":
                    return True  # nothing is missing
                part.unlink()
                raise _Temporary("the part kept from before does not fit the file")
            _check_status(response, url)
            keep = response.status_code == 206
            if keep and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                part.unlink(missing_ok=True)
                raise _Temporary("the server sent a range other than the one requested")
            with _append(part, keep=keep) as stream, _bar(response, part.stem, have if keep else 0) as bar:
                for chunk in response.raw.stream(CHUNK, decode_content=False):
                    stream.write(chunk)
                    bar.update(len(chunk))
            return keep
    except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
        raise _Temporary(_in_words(error)) from error
    except requests.RequestException as error:
        raise InputError(f"cannot download {url}: {error}", next_step="check the URL") from error


def _check_status(response: requests.Response, url: str) -> None:
    code = response.status_code
    if code in (408, 425, 429) or code >= 500:
        raise _Temporary(f"the server answers {code} {response.reason}")
    if code not in (200, 206):
        raise InputError(
            f"cannot download {url}: the server answers {code} {response.reason}",
            next_step="check the URL, or name a mirror folder that has the file",
        )


def _in_words(error: BaseException) -> str:
    """Return the innermost reason of a network error: the outer ones do not help a reader."""
    while isinstance(inner := getattr(error, "reason", None) or next(iter(error.args), None), BaseException):
        error = inner
    return f"{type(error).__name__}: {error}"


def _bar(response: requests.Response, name: str, have: int) -> tqdm:
    """Return a progress bar: live on a terminal, a line every ten seconds in a log."""
    from tqdm import tqdm

    length = response.headers.get("Content-Length", "")
    live = sys.stderr.isatty()
    return tqdm(
        desc=name,
        initial=have,
        total=int(length) + have if length.isdigit() else None,
        unit="B",
        unit_scale=True,
        mininterval=0.1 if live else 10,
        ascii=not live,
        file=sys.stderr,
    )
