"""A stand-in for conda, which Snakemake's --use-conda accepts: environments are venvs, filled by pip.

It takes an environment file's word for nothing: the Python must be the one that is here, pip packages are installed
from the file's pip section and nothing else, and a conda package that it does not know is an error.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

VERSION = "24.7.1"
#: Conda packages that a machine has in other ways -> the program that shows it.
FROM_THE_MACHINE = {"cxx-compiler": "c++"}

ACTIVATE = """\
# source activate ENVIRONMENT
export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"
unset PYTHONHOME
"""


def put_into(folder: Path) -> dict[str, str]:
    """Write `bin/conda` and `bin/activate` below the folder; return the environment variables that lead to them."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    conda = programs / "conda"
    conda.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).resolve()} "$@"\n')
    conda.chmod(0o755)
    (programs / "activate").write_text(ACTIVATE)
    return {"PATH": f"{programs}:{os.environ['PATH']}", "STAND_IN_CONDA": str(folder)}


def create(file: Path, prefix: Path) -> None:
    """Make a venv with what an environment file lists."""
    described = yaml.safe_load(file.read_text(encoding="utf-8"))
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    pins: list[str] = []
    for package in described["dependencies"]:
        if isinstance(package, dict):
            pins += package["pip"]
            continue
        name, _, version = package.partition("=")
        if name == "python" and version != here:
            raise SystemExit(f"{file}: asks for Python {version}; the stand-in has {here}")
        if name not in ("python", "pip", *FROM_THE_MACHINE):
            raise SystemExit(f"{file}: the stand-in knows no conda package {name}")
        if name in FROM_THE_MACHINE and not shutil.which(FROM_THE_MACHINE[name]):
            raise SystemExit(f"{file}: {name} is not on this machine")
    base = Path(sys.base_prefix, "bin", f"python{here}")
    subprocess.run([base, "-m", "venv", prefix], check=True)
    listed = prefix / "requirements.txt"
    listed.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
    install = [prefix / "bin" / "python", "-m", "pip", "install", "--quiet", "--upgrade", "-r", listed]
    subprocess.run(install, check=True)


def main(words: list[str]) -> int:
    options = {word: words[place + 1] for place, word in enumerate(words[:-1]) if word.startswith("--")}
    if words == ["--version"]:
        print(f"conda {VERSION}")
    elif words == ["info", "--json"]:
        print(json.dumps({"conda_prefix": os.environ["STAND_IN_CONDA"], "platform": "linux-64"}))
    elif words[:2] == ["config", "--get"]:
        print(json.dumps({"get": {"channel_priority": "strict"}}))
    elif words[:2] == ["env", "create"]:
        create(Path(options["--file"]), Path(options["--prefix"]))
    elif words[:1] != ["clean"]:  # there are no tarballs
        raise SystemExit(f"the stand-in does not know: conda {' '.join(words)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
