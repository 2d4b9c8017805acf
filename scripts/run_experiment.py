"""Run an experiment with Snakemake and print its table: what `make run` does.

Mistakes in the experiment file are reported before Snakemake starts. Anything after `--` goes to snakemake.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from experiment import config
from experiment.programs import program

ROOT = Path(__file__).resolve().parent.parent


def snakemake(words: list[str]) -> int:
    """Run snakemake in the repository with this Python's environment and return its exit status."""
    command = [sys.executable, "-m", "snakemake", "--rerun-incomplete", *words]
    return subprocess.run(command, cwd=ROOT, check=False, env=_environment()).returncode


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"}


@program
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configfile", type=Path, default=Path("config/config.yaml"))
    parser.add_argument("--cores", default="all", help="processor cores to use (default: all)")
    parser.add_argument("snakemake", nargs="*", metavar="-- WORD", help="further words for snakemake")
    arguments = parser.parse_args(argv)
    experiment = config.load(arguments.configfile)
    words = [*arguments.snakemake, "--cores", str(arguments.cores), "--quiet", "rules", "reason", "host"]
    began = time.monotonic()
    print(f"{experiment.name}: {len(experiment.runs)} systems; progress below, logs in results/logs", flush=True)
    status = snakemake([*words, "--configfile", str(arguments.configfile)])
    if status:
        print(f"\nnot finished; mend what is wrong and run the same command again: it continues", file=sys.stderr)
        return status
    folder = ROOT / "results" / experiment.name
    print((folder / "table.md").read_text(encoding="utf-8"))
    print(f"{time.monotonic() - began:.0f} seconds; table, LaTeX, figures and report: {folder.relative_to(ROOT)}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
