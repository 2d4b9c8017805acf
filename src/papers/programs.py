"""What the programs that take a paper's file share: their common options."""

from __future__ import annotations

import argparse
from pathlib import Path


def paper_command(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return the command line of a program that takes a paper's file and a scale."""
    command = argparse.ArgumentParser(prog=program, description=description)
    command.add_argument("--paper", type=Path, required=True, metavar="FILE", help="a file of config/papers")
    command.add_argument("--scale", help="default: the file's")
    return command


def add_parts(command: argparse.ArgumentParser) -> None:
    """Add the option that leaves out what needs other sources than those named."""
    command.add_argument("--parts", nargs="+", metavar="NAME", help="only what needs no other source than these")


def add_measurements(command: argparse.ArgumentParser) -> None:
    """Add the option for measurements: files that are called after the analysis that made them, or scores.csv."""
    help_text = "of scripts/measure.py, called NAME.csv after the analysis"
    command.add_argument("--measurements", type=Path, nargs="*", default=[], metavar="CSV", help=help_text)
