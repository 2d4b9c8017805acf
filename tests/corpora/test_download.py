"""Downloads from a real server on this machine that cuts, refuses, forgets and lies; and real kills."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import download as program
from experiment.corpora.download import fetch, place
from subwords.errors import InputError

DATA = random.Random(1).randbytes(300_000)
SHA256 = hashlib.sha256(DATA).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves DATA under any path. The attributes say how it misbehaves."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[str | None] = []  # the Range header of each
        self.ranges = True
        self.cut_after: list[int] = []  # bytes sent before the line is cut, one per request
        self.statuses: list[int] = []  # answers given instead of the file, one per request
        self.seconds_per_chunk = 0.0
        self.content = DATA
        self.wrong_range = False

    def url(self, path: str = "/folder/file.bin") -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server
        asked = self.headers.get("Range")
        server.requests.append(asked)
        if server.statuses and (status := server.statuses.pop(0)) != 200:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and server.ranges else 0
        if start and start >= len(server.content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(server.content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = server.content[start:]
        self.send_response(206 if start else 200)
        if start:
            shown = start - 1 if server.wrong_range else start
            self.send_header("Content-Range", f"bytes {shown}-{len(server.content) - 1}/{len(server.content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = server.cut_after.pop(0) if server.cut_after else None
        for at in range(0, len(body if cut is None else body[:cut]), 10_000):
            try:
                self.wfile.write((body if cut is None else body[:cut])[at : at + 10_000])
                self.wfile.flush()
            except OSError:
                return
            time.sleep(server.seconds_per_chunk)
        if cut is not None:
            self.close_connection = True
            self.connection.close()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield served
    served.shutdown()
    served.server_close()


def part(target: Path) -> Path:
    return target.with_name(target.name + ".part")


def test_whole_file_and_nothing_beside_it(server: Server, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file.bin"
    fetch(server.url(), target, sha256=SHA256)
    assert target.read_bytes() == DATA
    assert [path.name for path in target.parent.iterdir()] == ["file.bin"]


@pytest.mark.parametrize("sha256", [SHA256, None])
@pytest.mark.slow
def test_of_two_that_want_a_file_one_fetches_it(server: Server, tmp_path: Path, sha256: str | None) -> None:
    """As two jobs whose corpora have a part of the same archive."""
    server.seconds_per_chunk = 0.02
    code = "import sys; from pathlib import Path; from experiment.corpora.download import fetch;"
    code += "fetch(sys.argv[1], Path(sys.argv[2]), sha256=sys.argv[3] or None)"
    words = [sys.executable, "-c", code, server.url(), str(tmp_path / "f"), sha256 or ""]
    both = [subprocess.Popen(words) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert (tmp_path / "f").read_bytes() == DATA
    assert server.requests == [None]
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_what_is_there_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    target = tmp_path / "file.bin"
    target.write_bytes(DATA)
    fetch(server.url(), target, sha256=SHA256)
    assert server.requests == []


def test_what_is_there_but_wrong_is_fetched(server: Server, tmp_path: Path) -> None:
    target = tmp_path / "file.bin"
    target.write_bytes(b"an older version")
    fetch(server.url(), target, sha256=SHA256)
    assert target.read_bytes() == DATA


def test_a_cut_line_is_resumed_where_it_was_cut(server: Server, tmp_path: Path) -> None:
    server.cut_after = [100_000, 100_000]
    fetch(server.url(), tmp_path / "f", sha256=SHA256, pause=0.01)
    assert (tmp_path / "f").read_bytes() == DATA
    assert server.requests == [None, "bytes=100000-", "bytes=200000-"]


def test_more_cuts_than_attempts_are_fine_while_bytes_arrive(server: Server, tmp_path: Path) -> None:
    server.cut_after = [20_000] * 12
    fetch(server.url(), tmp_path / "f", sha256=SHA256, attempts=2, pause=0.001)
    assert (tmp_path / "f").read_bytes() == DATA


def test_a_server_without_ranges_starts_again(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    server.cut_after = [100_000]
    fetch(server.url(), tmp_path / "f", sha256=SHA256, pause=0.01)
    assert (tmp_path / "f").read_bytes() == DATA


@pytest.mark.parametrize("kept", [DATA[:50_000], DATA])
def test_a_part_from_before_is_used(server: Server, tmp_path: Path, kept: bytes) -> None:
    part(tmp_path / "f").write_bytes(kept)
    fetch(server.url(), tmp_path / "f", sha256=SHA256)
    assert (tmp_path / "f").read_bytes() == DATA
    assert server.requests == [f"bytes={len(kept)}-"]


@pytest.mark.parametrize("kept", [b"x" * 50_000, DATA + b"more", b"x" * 300_000])
def test_a_part_of_something_else_does_no_harm(server: Server, tmp_path: Path, kept: bytes) -> None:
    part(tmp_path / "f").write_bytes(kept)
    fetch(server.url(), tmp_path / "f", sha256=SHA256, pause=0.01)
    assert (tmp_path / "f").read_bytes() == DATA


def test_another_range_than_asked_for_is_not_appended(server: Server, tmp_path: Path) -> None:
    server.wrong_range = True
    part(tmp_path / "f").write_bytes(DATA[:50_000])
    fetch(server.url(), tmp_path / "f", sha256=SHA256, pause=0.01)
    assert (tmp_path / "f").read_bytes() == DATA


def test_temporary_errors_are_tried_again(server: Server, tmp_path: Path) -> None:
    server.statuses = [503, 429, 500]
    fetch(server.url(), tmp_path / "f", sha256=SHA256, pause=0.01)
    assert len(server.requests) == 4


def test_an_error_that_stays_names_the_way_out(server: Server, tmp_path: Path) -> None:
    server.statuses = [503] * 3
    with pytest.raises(InputError, match=r"503 .*3 attempts(.|\n)*as 127\.0\.0\.1/folder/file\.bin.*mirror"):
        fetch(server.url(), tmp_path / "f", sha256=SHA256, attempts=3, pause=0.01)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_page_is_not_asked_for_twice(server: Server, tmp_path: Path) -> None:
    server.statuses = [404]
    with pytest.raises(InputError, match=r"answers 404"):
        fetch(server.url(), tmp_path / "f", sha256=SHA256, pause=0.01)
    assert len(server.requests) == 1


def test_no_network(server: Server, tmp_path: Path) -> None:
    url = server.url()
    server.shutdown()
    server.server_close()
    with pytest.raises(InputError, match=r"refused(.|\n)*without a network.*mirror"):
        fetch(url, tmp_path / "f", sha256=SHA256, attempts=2, pause=0.01)
    with pytest.raises(InputError, match=r"cannot download(.|\n)*mirror"):
        fetch("http://no-such-host.invalid/f", tmp_path / "f", sha256=SHA256, attempts=1)
    assert list(tmp_path.iterdir()) == []


def test_a_checksum_that_differs_names_both_and_keeps_nothing(server: Server, tmp_path: Path) -> None:
    wrong = "0" * 64
    with pytest.raises(InputError) as error:
        fetch(server.url(), tmp_path / "f", sha256=wrong)
    assert wrong in str(error.value)
    assert SHA256 in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_without_a_checksum_the_length_counts(server: Server, tmp_path: Path) -> None:
    server.cut_after = [1000, 1000]
    fetch(server.url(), tmp_path / "f", pause=0.01)
    assert (tmp_path / "f").read_bytes() == DATA


def test_mirror(tmp_path: Path) -> None:
    url = "https://example.org/a%20folder/file.bin"
    (tmp_path / "mirror/example.org/a folder").mkdir(parents=True)
    (tmp_path / "mirror/example.org/a folder/file.bin").write_bytes(DATA)
    fetch(url, tmp_path / "f", sha256=SHA256, mirror=tmp_path / "mirror")
    assert (tmp_path / "f").read_bytes() == DATA
    with pytest.raises(InputError, match=SHA256):
        fetch(url, tmp_path / "g", sha256="1" * 64, mirror=tmp_path / "mirror")
    with pytest.raises(InputError, match=r"mirror/example\.org/other"):
        fetch("https://example.org/other", tmp_path / "g", sha256=SHA256, mirror=tmp_path / "mirror")
    with pytest.raises(InputError, match="not a folder"):
        fetch(url, tmp_path / "g", sha256=SHA256, mirror=tmp_path / "nowhere")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "mirror"]


def test_file_urls(tmp_path: Path) -> None:
    (tmp_path / "a b").write_bytes(DATA)
    fetch(f"file://{tmp_path}/a%20b", tmp_path / "f", sha256=SHA256)
    assert (tmp_path / "f").read_bytes() == DATA
    with pytest.raises(InputError, match="no such file"):
        fetch(f"file://{tmp_path}/c", tmp_path / "g", sha256=SHA256)


HOSTILE_URLS = [
    "https://host/../../etc/passwd",
    "https://host/%2e%2e/%2E%2E/f",
    "https://host/f?/../../../f",
    "https://host/f?../../x",
    "https://../f",
    "https://host/f%00",
    "https://host/a%0Ab",
]


@pytest.mark.parametrize("url", ["ftp://host/f", "/a/path", "https:///path", *HOSTILE_URLS])
def test_other_urls_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        fetch(url, tmp_path / "f")


def test_a_mirror_is_not_left_through_the_path_of_a_url() -> None:
    assert place("https://Example.org/a/b?c=d") == "example.org/a/b?c=d"


def test_the_program_prints_errors_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--url", "gopher://x/y", "--output", str(tmp_path / "f")]
    assert program.main(arguments) == 2
    error = capsys.readouterr().err
    assert "unknown scheme 'gopher'" in error
    assert "Traceback" not in error


def test_killed_and_started_again(server: Server, tmp_path: Path, root: Path) -> None:
    server.seconds_per_chunk = 0.02
    target = tmp_path / "f"
    command = [sys.executable, str(root / "scripts/download.py"), "--url", server.url(), "--sha256", SHA256]
    command += ["--output", str(target)]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while (not part(target).exists() or not part(target).stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not target.exists()
    kept = part(target).stat().st_size
    assert 0 < kept < len(DATA)
    server.seconds_per_chunk = 0
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    assert target.read_bytes() == DATA
    assert server.requests == [None, f"bytes={kept}-"]
    assert not part(target).exists()


def test_a_full_disk_leaves_no_file_under_the_targets_name(server: Server, tmp_path: Path, root: Path) -> None:
    command = f"ulimit -f 100; trap '' XFSZ; exec {sys.executable} {root}/scripts/download.py --url {server.url()} "
    command += f"--sha256 {SHA256} --output {tmp_path}/f"
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "too large" in done.stderr
    assert not (tmp_path / "f").exists()
