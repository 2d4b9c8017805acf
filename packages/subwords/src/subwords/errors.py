"""The one kind of error that is the user's to mend, and the warning of a text that offers too little."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """A value, file or option that cannot be used as it is.

    The message names the problem with its value, what is allowed, and what to run or change next. Programs print it
    without a traceback and leave with status 2.
    """

    def __init__(self, problem: str, *, allowed: str = "", next_step: str = "") -> None:
        allowed = f"\n  allowed: {allowed}" if allowed else ""
        next_step = f"\n  next: {next_step}" if next_step else ""
        super().__init__(problem + allowed + next_step)


class Shortfall(UserWarning):
    """A text offers fewer pieces than were asked for: the model is smaller."""


def unknown(kind: str, value: object, choices: Iterable[object], next_step: str = "") -> InputError:
    """Return the error for a name that is not among `choices`, with the nearest one as a hint.

    >>> print(unknown("algorithm", "bpee", ["bpe", "hft"]))
    unknown algorithm 'bpee': did you mean 'bpe'?
      allowed: bpe, hft
    """
    import difflib

    names = [str(choice) for choice in choices]
    close = difflib.get_close_matches(str(value), names, n=1)
    hint = f": did you mean {close[0]!r}?" if close else ""
    return InputError(f"unknown {kind} {str(value)!r}{hint}", allowed=", ".join(names), next_step=next_step)


def check_known(kind: str, values: Iterable[object], choices: Collection[object], next_step: str = "") -> None:
    """Raise the error of `unknown` for the first of the values that is not among `choices`."""
    for value in values:
        if value not in choices:
            raise unknown(kind, value, choices, next_step)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import, inside this block, what an extra of this package installs. Raises InputError where it is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        problem = f"the package {error.name} is not installed"
        raise InputError(problem, next_step=f"pip install 'subwords[{name}]'") from None
