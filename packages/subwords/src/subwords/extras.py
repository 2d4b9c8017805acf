"""Packages that not every algorithm needs: the extras of this one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from subwords.errors import InputError


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import, inside this block, what an extra of this package installs. Raises InputError where it is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"the package {error.name} is not installed", next_step=f"pip install 'subwords[{name}]'"
        ) from None
