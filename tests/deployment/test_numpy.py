"""fairseq's compiled code, built against numpy 2 (requirements/build.txt), gives the same on numpy 1.26 and on 2."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = [pytest.mark.deployment, pytest.mark.slow]

#: Load two extensions as files, without torch, which they do not use here; cut lengths into batches and into blocks.
PROGRAM = """
import importlib.util, json, sys, types
import numpy

sys.modules["torch"] = types.ModuleType("torch")

def extension(name):
    (path,) = __import__("pathlib").Path(sys.argv[1], "fairseq", "data").glob(f"{name}.*.so")
    spec = importlib.util.spec_from_file_location(f"fairseq.data.{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

lengths = numpy.array([5, 3, 8, 1, 9, 2, 7, 7, 4, 6], dtype=numpy.int64)
order = numpy.argsort(lengths, kind="stable")
batches = extension("data_utils_fast").batch_by_size_vec(order, lengths[order], 16, 3, 1)
blocks = extension("token_block_utils_fast")._get_slice_indices_fast(lengths, "complete", 10, 0)
print(json.dumps([numpy.__version__, [batch.tolist() for batch in batches], blocks.tolist()]))
"""


def results(python: Path) -> tuple[str, list[list[int]], list[list[int]]]:
    site = sysconfig.get_paths()["platlib"]
    done = subprocess.run([python, "-c", PROGRAM, site], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    version, batches, blocks = json.loads(done.stdout)
    return version, batches, blocks


def test_fairseqs_extensions_on_numpy_2(tmp_path: Path, root: Path) -> None:
    (pin,) = re.findall(r"^numpy==2\S+", (root / "requirements" / "build.txt").read_text(), re.MULTILINE)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "two"], check=True)
    python = tmp_path / "two" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", pin], check=True)
    version, batches, blocks = results(python)
    assert version == pin.removeprefix("numpy==")
    here, *same = results(Path(sys.executable))
    assert here.startswith("1.")
    assert [batches, blocks] == same
    # Three sentences or 16 pieces, with padding, in a batch; whole sentences up to 10 pieces in a block: by hand.
    assert batches == [[3, 5, 1], [8, 0], [9, 6], [7, 2], [4]]
    assert blocks == [[0, 8], [8, 17], [17, 26], [26, 35], [35, 42], [42, 52]]
