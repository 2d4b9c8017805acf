"""The core under random input, built with sanitizers (addresses, undefined behaviour) and with checked containers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_core import fuzz

PACKAGE = Path(__file__).parent.parent
FLAGS = "-O0 -g0 -fno-omit-frame-pointer -fsanitize=address,undefined -D_GLIBCXX_ASSERTIONS"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(5))
def test_random_texts_and_bytes(seed: int) -> None:
    fuzz(seed, 3)


@pytest.mark.slow
@pytest.mark.skipif(not (PACKAGE / "setup.py").exists(), reason="needs the package's sources")
def test_memory_and_arithmetic_are_sound(tmp_path: Path) -> None:
    pytest.importorskip("Cython")
    compiler = shutil.which("g++")
    if not compiler:
        pytest.skip("needs g++")
    runtime = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    if not Path(runtime.stdout.strip()).is_absolute():
        pytest.skip("needs the address sanitizer's library")
    shutil.copy(PACKAGE / "setup.py", tmp_path)
    shutil.copy(PACKAGE / "pyproject.toml", tmp_path)
    shutil.copytree(PACKAGE / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.so", "*.egg-info"))
    build = [sys.executable, "setup.py", "build_ext", "--inplace", "-j", "2"]
    flags = {**os.environ, "SUBWORDS_CFLAGS": FLAGS}
    subprocess.run(build, cwd=tmp_path, env=flags, check=True, capture_output=True)
    environment = {
        **os.environ,
        "LD_PRELOAD": runtime.stdout.strip(),
        "PYTHONPATH": str(tmp_path / "src"),
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0",  # CPython's own
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    program = [sys.executable, str(Path(__file__).parent / "fuzz_core.py"), "1", "6"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
