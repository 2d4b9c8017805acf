"""What all programs in scripts/ share: a mistake that the user can correct ends with a message, and no traceback."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence

from experiment.schema import ROOT
from subwords.errors import InputError


def program(main: Callable[..., int]) -> Callable[..., int]:
    """Make `main` print mistakes that the user can correct (InputError, failed reads and writes) and return 2.

    It also finds `fairseq_plugins`, a package in the repository's root.
    """

    @functools.wraps(main)
    def wrapped(argv: Sequence[str] | None = None) -> int:
        if str(ROOT) not in sys.path:
            sys.path.insert(0, str(ROOT))
        try:
            return main(argv)
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)
        except OSError as error:
            print(f"error: {error}\n  next: check the path, its permissions and the free space", file=sys.stderr)
        return 2

    return wrapped
