"""Subword segmentation: many algorithms, one interface.

>>> from subwords import learn
>>> model = learn("bpe", iter(["low lower lowest", "new newer newest"]), size=6)
>>> model.encode("lower newest")
'lo@@ wer ne@@ west'
>>> model.decode("lo@@ wer ne@@ west")
'lower newest'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from subwords.version import __version__

if TYPE_CHECKING:
    from subwords.api import learn, load
    from subwords.errors import InputError

__all__ = ["InputError", "__version__", "learn", "load"]


def __getattr__(name: str) -> Any:
    """Import what is asked for, so that `import subwords` takes no time."""
    if name in ("learn", "load"):
        from subwords import api

        return getattr(api, name)
    if name == "InputError":
        from subwords.errors import InputError

        return InputError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
