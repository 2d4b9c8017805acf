"""How every figure looks, and how it is saved: without a display, byte for byte equal when the data are equal."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subwords.files import whole_file, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Text and axes of the style. A report replaces it by the page's own text colour, to be readable on dark pages too.
INK = "#1c1c21"
GRID = "#8a8a93"
#: Okabe and Ito's palette, without black and yellow: fit for colour-blind readers, visible on white and black.
COLORS = ("#1f83c4", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("-", "--", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "<", ">", "X", "p", "*", "h")


def styled() -> Any:
    """Return a context in which figures have this style."""
    import matplotlib as mpl

    style = Path(__file__).with_name("figures.mplstyle")
    return mpl.rc_context(mpl.rc_params_from_file(style, use_default_template=False))


def axes_grid(panels: int, columns: int, width: float, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure of equal panels of `width` by `height` inches, `columns` a row, and their axes row by row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = -(-panels // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    grid = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for unused in grid[panels:]:
        unused.set_visible(False)
    return figure, grid[:panels]


def svg_text(figure: Figure) -> str:
    """Return the figure as SVG: the same text whenever the data are the same."""
    stream = io.StringIO()
    with styled():
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    return stream.getvalue()


def save_figure(figure: Figure, path: Path) -> str:
    """Write the figure as SVG, and return what was written."""
    text = svg_text(figure)
    write_whole(path, text)
    return text


def save_png(figure: Figure, path: Path, dots_per_inch: int = 160) -> None:
    """Write the figure as PNG on white."""
    with styled(), whole_file(path, "wb") as stream:
        # The version of matplotlib is not part of the data.
        figure.savefig(stream, format="png", dpi=dots_per_inch, facecolor="white", metadata={"Software": None})
