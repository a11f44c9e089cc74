"""Figures of docs/reference/validation.md: small, one style, results as lines and references as markers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from fem_mbd.output.figures.plots import COLOURS, new_figure, styled
from tests.validation.problem import Curve, Picture

HEIGHT, PANEL_WIDTH = 2.9, 4.2  # inches
DPI = 110
LEGEND_WIDTH = 62  # characters, keys counted as six
NARROW = 100.0  # range of a logarithmic axis below which plain numbers are written
MARKERS = ("o", "s", "D", "^", "v")


def draw(pictures: Sequence[Picture], path: Path) -> Path:
    """The pictures side by side, saved as PNG."""
    with styled():
        figure, axes = new_figure(
            1, len(pictures), width=PANEL_WIDTH * len(pictures), height=HEIGHT, share_x=False
        )
        for picture, ax in zip(pictures, axes[0], strict=True):
            _draw_one(ax, picture)
        figure.savefig(path, format="png", dpi=DPI)
        return path


def _draw_one(ax: Axes, picture: Picture) -> None:
    lines = [curve for curve in picture.curves if not curve.points]
    points = [curve for curve in picture.curves if curve.points]
    for number, curve in enumerate(lines):
        look: dict[str, Any] = {} if curve.joined else {"linestyle": "none", "marker": "x", "markersize": 5.5}
        colour = COLOURS[number % len(COLOURS)]
        ax.plot(np.asarray(curve.x), np.asarray(curve.y), label=curve.label, color=colour, **look)
    kinds = 0
    for curve in points:
        kinds += bool(curve.label)  # one without a label goes with the one before
        _draw_points(ax, curve, MARKERS[max(kinds - 1, 0) % len(MARKERS)])
    if picture.equal:
        ax.set_aspect("equal", adjustable="datalim")
    ax.set_xscale("log" if picture.log_x else "linear")
    ax.set_yscale("log" if picture.log_y else "linear")
    if picture.log_x:
        ax.xaxis.set_minor_formatter(NullFormatter())
    else:
        whole = all(np.issubdtype(np.asarray(curve.x).dtype, np.integer) for curve in picture.curves)
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=whole))
    if picture.log_y and ax.get_ylim()[1] < NARROW * ax.get_ylim()[0]:
        for formatter in (ax.yaxis.set_major_formatter, ax.yaxis.set_minor_formatter):
            formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        ax.yaxis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
    ax.set_xlabel(picture.xlabel)
    ax.set_ylabel(picture.ylabel)
    _legend(ax, [curve.label for curve in picture.curves if curve.label])


def _legend(ax: Axes, labels: list[str]) -> None:
    """Above the axes; as many columns as fit."""
    if labels:
        columns = max(1, int(LEGEND_WIDTH / (max(map(len, labels)) + 6)))
        ax.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=min(columns, len(labels)), borderaxespad=0.2,
            columnspacing=1.0, handlelength=1.5, handletextpad=0.4,
        )  # fmt: skip


def _draw_points(ax: Axes, curve: Curve, marker: str) -> None:
    """Open markers, so that the line under them is seen."""
    ax.plot(
        np.asarray(curve.x), np.asarray(curve.y), linestyle="none", label=curve.label or None, color="black",
        marker=marker, markersize=4.5, markerfacecolor="none", markeredgewidth=0.9,
    )  # fmt: skip
