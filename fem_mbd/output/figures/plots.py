"""Plotting tools: one style for all figures, without a display and without matplotlib's global state.

Cases draw histories with `draw_panels` (over time or over an angle); the figures of every run are in `run_figures`.
Files are PNG; histories of any length are drawn in full, with matplotlib's line simplification. Axis labels have SI
prefixes: 25000 N are drawn in kN and 0.045 s in ms, without powers of ten at the axis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import floor, log10
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.dependencies import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
UNITS = ("m", "s", "N", "J", "W", "Hz", "Pa", "N m", "m/s", "m/s²")  # units that take a prefix
LABEL = re.compile(r"^(?P<name>.*) \[(?P<unit>[^\]]+)\]$")
SMALLEST, LARGEST = 0.1, 1000.0  # numbers from the first up to the second need no prefix
# Okabe & Ito's palette: distinguishable with any kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C564B")
STYLE: dict[Any, Any] = {
    "axes.grid": True, "axes.spines.right": False, "axes.spines.top": False, "axes.titlesize": 10,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 4), "grid.alpha": 0.3, "grid.linewidth": 0.5, "font.size": 9,
    "legend.fontsize": 8, "legend.frameon": False, "lines.linewidth": 1.0, "savefig.dpi": 150,
    "agg.path.chunksize": 20_000, "path.simplify": True,
}  # fmt: skip
WIDTH = 7.0  # inches, 178 mm: a page of a journal with two columns
SMALLEST_RATIO = 10**0.5  # smallest ratio of the highest to the lowest value of a logarithmic axis
PANEL_HEIGHT = 2.4
LONG_HISTORY = 4000
ANGLE_TICKS = (15.0, 30.0, 45.0, 60.0, 90.0, 180.0, 360.0)
# A series is y over the panel's common x, or a pair (x, y).
Series = np.ndarray | tuple[np.ndarray, np.ndarray]


def prefix_axes(figure: Figure) -> None:
    """Give every linear axis whose label ends in a unit of `UNITS` the prefix suitable for its range.

    Parameters
    ----------
    figure : with its axes' limits
    """
    for ax in figure.axes:
        # length axes of a picture that is to scale keep one unit for both directions
        if ax.get_aspect() == "auto":
            for axis in (ax.xaxis, ax.yaxis):
                _prefix(axis)


def _prefix(axis: Axis) -> None:
    match = LABEL.match(axis.get_label_text())
    if match is None or match["unit"] not in UNITS or axis.get_scale() != "linear":
        return
    power = prefix_power(max(abs(limit) for limit in axis.get_view_interval()))
    if power == 0:
        return
    from matplotlib.ticker import FuncFormatter

    factor = 10.0**-power
    axis.set_label_text(f"{match['name']} [{PREFIXES[power]}{match['unit']}]")
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value * factor:g}".replace("-", "\N{MINUS SIGN}"))
    )


def prefix_power(size: float) -> int:
    """Power of ten, a multiple of three, that brings ``size`` between 1 and 1000; 0 for numbers that need none.

    Parameters
    ----------
    size : of a number
    """
    if size == 0.0 or SMALLEST <= size < LARGEST:
        return 0
    return min(max(3 * floor(log10(size) / 3), min(PREFIXES)), max(PREFIXES))


@dataclass(frozen=True)
class Panel:
    """One set of axes in `draw_panels`.

    Parameters
    ----------
    ylabel : with unit
    series : curves by name: y (k,) over the panels' common x, or a pair (x, y)
    log : logarithmic y axis
    title : above the axes
    shaded : ranges of x to shade
    """

    ylabel: str
    series: Mapping[str, Series]
    log: bool = False
    title: str = ""
    shaded: Sequence[tuple[float, float]] = field(default=())


@contextmanager
def styled(more: Mapping[Any, Any] = MappingProxyType({})) -> Iterator[None]:
    """Context with the package's style.

    Parameters
    ----------
    more : further settings of matplotlib

    Raises
    ------
    MissingDependency
        Without matplotlib; also by `new_figure`.
    """
    need("matplotlib")
    from cycler import cycler
    from matplotlib import rc_context

    with rc_context({**STYLE, "axes.prop_cycle": cycler(color=COLOURS), **more}):
        yield


def new_figure(
    rows: int = 1,
    columns: int = 1,
    *,
    width: float = WIDTH,
    height: float | None = None,
    share_x: bool = True,
) -> tuple[Figure, np.ndarray]:
    """A figure and its (rows, columns) array of axes; draw and save it within `styled()`.

    Parameters
    ----------
    rows, columns : of axes
    width, height : inches; by default the height follows from the rows
    share_x : whether all axes of a column have the same x
    """
    need("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(
        figsize=(width, PANEL_HEIGHT * rows + 0.5 if height is None else height), layout="constrained"
    )
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, sharex=share_x, squeeze=False)


def logarithmic(ax: Axes) -> None:
    """Make the y axis logarithmic, with at least half a decade.

    Values that differ by round-off only would leave an axis without height, as their logarithms are equal.

    Parameters
    ----------
    ax : axes with their curves
    """
    low, high = ax.dataLim.intervaly
    if 0.0 < low <= high < SMALLEST_RATIO * low:
        # before the scale changes, which would replace the limits
        middle = np.sqrt(low) * np.sqrt(high)
        ax.set_ylim(middle / np.sqrt(SMALLEST_RATIO), middle * np.sqrt(SMALLEST_RATIO))
    ax.set_yscale("log")


def save(figure: Figure, path: Path) -> Path:
    """Write the figure as PNG, with SI prefixes on its axes, and return its path.

    Parameters
    ----------
    figure : drawn
    path : of the file
    """
    prefix_axes(figure)
    figure.savefig(path, format="png")
    return path


def draw_panels(
    path: Path,
    x: np.ndarray,
    panels: Sequence[Panel],
    *,
    xlabel: str = "time [s]",
    title: str = "",
    angle: bool = False,
    limits: tuple[float, float] | None = None,
) -> Path:
    """Panels one above the other over a common x, saved at ``path``.

    Parameters
    ----------
    path : of the PNG file
    x : (k,)
    panels : `Panel`, from the top
    xlabel : with unit
    title : of the figure
    angle : x is in degrees, ticks at round angles
    limits : range of x
    """
    with styled():
        figure, axes = new_figure(len(panels))
        for panel, ax in zip(panels, axes[:, 0], strict=True):
            _draw_panel(ax, x, panel, limits)
        last = axes[-1, 0]
        last.set_xlabel(xlabel)
        if limits is not None:
            last.set_xlim(*limits)
        if angle:
            from matplotlib.ticker import MultipleLocator

            low, high = last.get_xlim()
            last.xaxis.set_major_locator(MultipleLocator(_angle_tick(high - low)))
        if title:
            figure.suptitle(title, fontsize=11)
        return save(figure, path)


def _draw_panel(ax: Axes, x: np.ndarray, panel: Panel, limits: tuple[float, float] | None) -> None:
    for name, series in panel.series.items():
        x_values, y = series if isinstance(series, tuple) else (x, series)
        if limits is not None:
            # Points outside the limits would still affect the range of y.
            inside = (x_values >= limits[0]) & (x_values <= limits[1])
            x_values, y = x_values[inside], y[inside]
        ax.plot(x_values, y, label=name, linewidth=0.6 if len(x_values) > LONG_HISTORY else None)
    for low, high in panel.shaded:
        ax.axvspan(low, high, color="0.5", alpha=0.15, linewidth=0)
    if panel.log:
        logarithmic(ax)
    ax.set_ylabel(panel.ylabel)
    ax.set_title(panel.title, loc="left")
    if len(panel.series) > 1 or not panel.title:
        legend(ax)


def legend(ax: Axes, columns: int = 4) -> None:
    """A legend above the axes on the right, clear of curves, title and exponent, if there is more than one curve.

    Parameters
    ----------
    ax : axes
    columns : of the legend
    """
    handles, labels = ax.get_legend_handles_labels()
    if any(labels):
        ax.legend(handles, labels, ncols=columns, markerscale=3.0, loc="lower right", bbox_to_anchor=(1.0, 1.0),
                  borderaxespad=0.2)  # fmt: skip


def _angle_tick(span: float) -> float:
    return next((tick for tick in ANGLE_TICKS if span / tick <= 12.5), 360.0 * np.ceil(span / 360.0 / 12.5))
