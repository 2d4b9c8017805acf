"""List a folder of results, watch trainings, delete what nothing needs.

    results.py ls                    what is there: size, age, and the experiments that use it
    results.py watch                 every training that is under way: updates, dev scores, speed, time left
    results.py prune                 what nothing needs any more; deletes nothing
    results.py prune --superseded    also what only earlier forms of experiments used, before they were changed
    results.py prune --delete        deletes what it shows

Each experiment says what it uses before its first job starts (results/used). To give one up, delete its files there.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.filesize import decimal as size
from rich.live import Live
from rich.table import Table

from experiment.programs import command_line, program
from experiment.store.inventory import Waste, delete, held, others, size_of, waste
from experiment.training.progress import Progress, unfinished

REFRESH_SECONDS = 2.0
#: A training that has written nothing for so long is not under way.
SILENT_SECONDS = 600


def duration(seconds: float) -> str:
    """Return a duration in its largest unit or two.

    >>> [duration(s) for s in (42, 90, 7_500, 200_000)]
    ['42 s', '1 min', '2 h 5 min', '2 d 7 h']
    """
    minutes, hours, days = (int(seconds // unit) for unit in (60, 3600, 86400))
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds:.0f} s"


def list_results(root: Path) -> Table:
    table = Table("result", "state", "size", "age", "used by", box=None)
    total = 0
    for one in held(root):
        age = duration(max(time.time() - one.made, 0))
        state = "finished" if one.finished else "unfinished"
        table.add_row(str(one.folder), state, size(one.size), age, ", ".join(one.users) or "no experiment")
        total += one.size
    for folder in others(root):
        table.add_row(str(folder), "", size(bytes_there := size_of(folder)))
        total += bytes_there
    table.add_row("all", "", size(total))
    return table


def progress_table(trainings: Iterable[Progress]) -> Table:
    table = Table("training", "updates", "done", "dev", "pieces/s", "left", box=None)
    for one in trainings:
        left = "?" if one.seconds_left is None else duration(one.seconds_left)
        table.add_row(
            "/".join(one.folder.parts[-5:]),
            f"{one.updates} {one.of}",
            "" if one.share is None else f"{one.share:.0%}",
            f"{one.metric} " + ", ".join(f"{score:.2f}" for score in one.dev) if one.dev else "",
            "" if one.pieces_per_second is None else f"{one.pieces_per_second:,.0f}",
            f"stopped {duration(one.silent)} ago" if one.silent > SILENT_SECONDS else left,
        )
    if not table.row_count:
        table.add_row("no training is under way")
    return table


def watch(root: Path, console: Console, once: bool) -> None:
    """Show the trainings; in a terminal, until the user stops it."""
    if once or not console.is_terminal:
        console.print(progress_table(unfinished(root)))
        return
    with Live(progress_table(unfinished(root)), console=console, refresh_per_second=1) as live:
        while True:
            time.sleep(REFRESH_SECONDS)
            live.update(progress_table(unfinished(root)))


def show_waste(console: Console, found: Sequence[Waste], deletes: bool) -> None:
    table = Table("can go", "size", "why", box=None)
    for one in found:
        table.add_row(str(one.path), size(one.size), one.reason)
    console.print(table)
    total = size(sum(one.size for one in found))
    console.print(f"{len(found)}, {total}" + (" deleted" if deletes else "; nothing is deleted without --delete"))


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("what", choices=["ls", "watch", "prune"])
    parser.add_argument("--results", type=Path, default=Path("results"), help="the folder (default: results)")
    parser.add_argument("--once", action="store_true", help="watch: print the state and end, as in a log")
    parser.add_argument("--superseded", action="store_true", help="prune: also what only earlier plans used")
    parser.add_argument("--delete", action="store_true", help="prune: delete what is shown")
    arguments = parser.parse_args(argv)
    root = arguments.results
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, soft_wrap=True)
    if arguments.what == "ls":
        console.print(list_results(root))
    elif arguments.what == "watch":
        with contextlib.suppress(KeyboardInterrupt):
            watch(root, console, arguments.once)
    else:
        found = waste(root, arguments.superseded)
        if arguments.delete:
            found = delete(root, found, arguments.superseded)
        show_waste(console, found, arguments.delete)


if __name__ == "__main__":
    raise SystemExit(main())
