"""Run an experiment with Snakemake and print its table: what `make run` does.

Mistakes in the experiment file are reported before Snakemake starts. Anything after `--` goes to snakemake.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from experiment.config import Experiment
from experiment.programs import command_line, program
from experiment.training import gpu
from replication.paper import experiment_or_paper

ROOT = Path(__file__).resolve().parent.parent
#: How what went wrong begins in a log: a message of ours or of argparse, or a traceback.
ERROR = re.compile(r"^(\S+: )?error: |^Traceback ", re.MULTILINE)


def snakemake(words: list[str]) -> int:
    """Run snakemake in the repository with this Python's environment and return its exit status."""
    command = [sys.executable, "-m", "snakemake", *words]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"}
    return subprocess.run(command, cwd=ROOT, check=False, env=environment).returncode


def print_errors(since: float) -> None:
    """Print the last error, to its end, of each log written since then."""
    written = ((log.stat().st_mtime, log) for log in (ROOT / "results" / "logs").rglob("*.log"))
    for _, log in sorted(one for one in written if one[0] >= since):
        text = log.read_text(encoding="utf-8", errors="replace")
        if found := [*ERROR.finditer(text)]:
            print(f"\n{text[found[-1].start() :].strip()}\n  log: {log.relative_to(ROOT)}", file=sys.stderr)


def described(configfile: Path, words: Sequence[str]) -> tuple[str, Experiment, Path]:
    """Return the name, the experiment and the table that is printed, of an experiment or of a paper."""
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    reader.add_argument("--config", "-C", nargs="*", default=[])  # as snakemake's: of several, the last counts
    found = experiment_or_paper(configfile, reader.parse_known_args(words)[0].config)
    if isinstance(found, Experiment):
        return found.name, found, Path(found.results, "table.md")
    return f"{found.name} at scale {found.scale}", found.experiment, Path("results", found.folder, "claims.md")


def names_resources(words: Sequence[str]) -> bool:
    """Return whether words for snakemake name resources of their own."""
    return any(word.partition("=")[0] in ("--resources", "--res") for word in words)


def jobs_on_cards(experiment: Experiment) -> int:
    """Return how many jobs the cards of this machine run at the same time."""
    return len(gpu.visible_gpus()) * int(experiment.settings["runtime"]["runs_per_gpu"])


@program
def main(argv: list[str] | None = None) -> int:
    parser = command_line(__doc__)
    parser.add_argument("--configfile", type=Path, default=Path("config/config.yaml"))
    parser.add_argument("--cores", default="all", help="processor cores to use (default: all)")
    parser.add_argument("snakemake", nargs="*", metavar="-- WORD", help="further words for snakemake")
    arguments = parser.parse_args(argv)
    configfile = Path(os.path.relpath(arguments.configfile, ROOT))
    os.chdir(ROOT)  # where snakemake runs, and the experiment's files are looked for
    name, experiment, table = described(configfile, arguments.snakemake)
    if (jobs := jobs_on_cards(experiment)) and not names_resources(arguments.snakemake):
        arguments.snakemake += ["--resources", f"gpu={jobs}"]
    words = [*arguments.snakemake, "--cores", str(arguments.cores), "--quiet", "rules", "reason", "host"]
    began = time.time()
    print(f"{name}: {len(experiment.runs)} trainings; progress below, logs in results/logs", flush=True)
    if status := snakemake([*words, "--configfile", str(configfile)]):
        print_errors(began)
        print("\nnot finished: correct the error and run the same command again; it continues", file=sys.stderr)
    elif (ROOT / table).exists():  # not after `-- segmentation` in a new folder
        print((ROOT / table).read_text(encoding="utf-8"))
        print(f"{time.time() - began:.0f} seconds; tables, LaTeX, figures and report: {table.parent}/")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
