"""Write envs/*.yaml: what each conda environment needs, with all that this needs in turn, at the versions of the lock.

requirements/environments.yaml says what the environments are. Which package needs which is read from the installed
packages (make env), versions and markers from requirements/requirements.lock, torch's version from the Makefile.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from experiment.programs import command_line, program
from experiment.yamlfiles import read_mapping
from subwords.errors import InputError
from subwords.files import write_whole

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "envs"
REQUIREMENTS = ROOT / "requirements"
PYTHON = "3.11"
#: Packages of torch's CUDA builds: torch itself names their exact versions, another build of torch others.
WITH_TORCH = ("nvidia-", "cuda-", "triton")
#: Where the environments are used: a package that is needed on one of these is in the file.
PLATFORMS = [
    {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"},
    {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "aarch64"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64"},
]


def locked() -> dict[str, list[str]]:
    """Return package -> its lines of the lock, `name==version ; marker`; torch's version is the Makefile's."""
    found: dict[str, list[str]] = {}
    for line in (REQUIREMENTS / "requirements.lock").read_text().splitlines():
        if re.match(r"[A-Za-z0-9]", line):
            requirement = line.removesuffix("\\").strip()
            found.setdefault(canonicalize_name(Requirement(requirement).name), []).append(requirement)
    makefile = (ROOT / "Makefile").read_text()
    torch = re.search(r"torch==[\w.]+", makefile)
    assert torch
    return {**found, "torch": [torch[0]]}


def platforms(requirement: Requirement, extra: str = "") -> list[dict[str, str]]:
    """Return the platforms on which a requirement holds, for this Python and an extra of the package that states it."""
    python = {"python_version": PYTHON, "python_full_version": f"{PYTHON}.0", "extra": extra}
    return [p for p in PLATFORMS if requirement.marker is None or requirement.marker.evaluate({**p, **python})]


def needs(package: str, extras: set[str]) -> list[Requirement]:
    """Return what an installed package, with these extras, states as its needs on any of the platforms."""
    try:
        required = importlib.metadata.distribution(package).requires or []
    except importlib.metadata.PackageNotFoundError:
        raise InputError(f"{package} is not installed", next_step="make env") from None
    return [need for need in map(Requirement, required) if any(platforms(need, extra) for extra in {"", *extras})]


def closure(packages: Iterable[str], lock: dict[str, list[str]]) -> list[str]:
    """Return the lines of the lock for the packages and all that they need in turn, ordered by name."""
    found: dict[str, set[str]] = {}  # package -> its extras
    waiting = [Requirement(package) for package in packages]
    while waiting:
        need = waiting.pop()
        package = canonicalize_name(need.name)
        if package.startswith(WITH_TORCH) or (package in found and need.extras <= found[package]):
            continue
        if package not in lock:
            raise InputError(f"{package} is in no lock", next_step="add it to requirements/requirements.in; make lock")
        found[package] = found.get(package, set()) | need.extras
        waiting += needs(package, found[package])
    return [line for package in sorted(found) for line in lock[package] if platforms(Requirement(line))]


def _pin(line: str) -> str:
    """Return a line of the lock as an environment file has it: with a marker only where platforms differ."""
    requirement = Requirement(line)
    pin, where = f"{requirement.name}{requirement.specifier}", platforms(requirement)
    machines = [
        f"(sys_platform == '{p['sys_platform']}' and platform_machine == '{p['platform_machine']}')" for p in where
    ]
    return pin if where == PLATFORMS else f"{pin}; {' or '.join(machines)}"


def files() -> dict[Path, str]:
    """Return path -> text of every file of envs/."""
    lock, written = locked(), {}
    template = (REQUIREMENTS / "environment.yaml.template").read_text()
    for name, about in read_mapping(REQUIREMENTS / "environments.yaml", next_step="correct it").items():
        listed = [f"  - {package}" for package in (f"python={PYTHON}", "pip", *about["conda"])]
        pins = [f'      - "{_pin(line)}"' for line in closure(chain(*about["packages"]), lock)]
        parts = {"purpose": about["purpose"], "conda": "\n".join(listed), "pip": "\n".join(pins)}
        written[FOLDER / f"{name}.yaml"] = template.format(name=name, **parts)
    # fairseq's metadata asks for old versions that it does not need, so it comes after the rest, without dependencies.
    # Older and newer releases of pip take the versions of its build tools from different variables. The library's
    # compiled core is built where its source is, and programs find it there.
    parts = {name: _without_comments(REQUIREMENTS / f"{name}.txt") for name in ("fairseq", "build")}
    written[FOLDER / "pipeline.post-deploy.sh"] = (REQUIREMENTS / "post-deploy.sh.template").read_text().format(**parts)
    return written


def _without_comments(path: Path) -> str:
    return "\n".join(line for line in path.read_text().splitlines() if line and not line.startswith("#"))


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args(argv)
    written = files()
    there = {path for path in FOLDER.iterdir() if path.is_file()}
    differing = [path for path, text in written.items() if path not in there or path.read_text() != text]
    differing += there - written.keys()
    if arguments.check and differing:
        names = ", ".join(sorted(path.name for path in differing))
        raise InputError(f"envs/ is not what the lock says: {names}", next_step="python tools/make_environments.py")
    for path in differing:
        if path in written:
            write_whole(path, written[path])
        else:
            path.unlink()


if __name__ == "__main__":
    raise SystemExit(main())
