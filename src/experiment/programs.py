"""What all programs in scripts/ share: a mistake that the user can correct ends with a message, and no traceback.

The workflow gives most of them a job: a JSON object on the command line, or in a file.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import select
import sys
from collections.abc import Callable, Sequence
from typing import Any

from experiment.jsonfiles import read_json
from experiment.provenance import software
from experiment.schema import ROOT
from subwords.errors import InputError

BROKEN_PIPE = 141  # 128 + SIGPIPE, as the shell reports it


def program(main: Callable[..., int | None]) -> Callable[..., int]:
    """Make `main` print mistakes that the user can correct (InputError, failed reads and writes) and return 2.

    Without a mistake, None becomes 0. It also finds `fairseq_plugins`, a package in the repository's root.
    """

    @functools.wraps(main)
    def wrapped(argv: Sequence[str] | None = None) -> int:
        if str(ROOT) not in sys.path:
            sys.path.insert(0, str(ROOT))
        try:
            return main(argv) or 0
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)
        except OSError as error:
            if isinstance(error, BrokenPipeError) and _nobody_reads():
                return BROKEN_PIPE
            print(f"error: {error}\n  next: check the path, its permissions and the free space", file=sys.stderr)
        return 2

    return wrapped


def _nobody_reads() -> bool:
    """Return whether the reader of the output has left, as `head` does; if so, what is still to be written is lost."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)  # a pipe without a reader reports that without being asked
    if not output.poll(0):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes once more when it ends
    return True


def command_line(description: str | None, name: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of a program's command line; --help shows its docstring, `description`, line by line."""
    return argparse.ArgumentParser(
        prog=name, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


class Job(dict[str, Any]):
    """A job by its keys. Raises InputError for one that is missing."""

    def __missing__(self, name: str) -> Any:
        raise InputError(f"the job has no {name!r}", next_step="compare it with one that the workflow runs")


def job_program(work: Callable[[Job], None]) -> Callable[..., int]:
    """Make a program of a function that does a job. --help shows the docstring of its module."""

    @program
    def main(argv: Sequence[str] | None = None) -> None:
        work(read_job(work.__globals__["__doc__"], argv))

    return main


def read_job(described: str | None, argv: Sequence[str] | None = None) -> Job:
    """Return the job that a program's command line gives: JSON, or a file with it. `described` is for --help."""
    command = command_line(described)
    command.add_argument("job", metavar="JOB", help="a JSON object, or a file with one; `snakemake -p` prints them")
    given = command.parse_args(argv).job
    try:
        found = json.loads(given) if given.lstrip().startswith("{") else read_json(given)
    except ValueError as error:
        raise InputError(f"the job is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"the job is not a JSON object: {found!r}")
    software()  # what records of this job will name: the code as it is now
    return Job(found)
