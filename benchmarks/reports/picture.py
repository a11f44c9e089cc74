"""Figure of cost over error: CPU seconds of a run over its error, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.reports.report import Curves
from fem_mbd.output.figures.plots import WIDTH, new_figure, save, styled

MARKS = "osD^v"
# An axis whose ratio of end to beginning is at most this has room for ticks between the powers of ten.
ROOM = 300.0


def draw(panels: Sequence[Curves], path: Path) -> Path:
    """Draw the panels next to each other, one per problem; returns the path of the PNG."""
    path.parent.mkdir(exist_ok=True)
    with styled():
        figure, axes = new_figure(
            1, len(panels), width=min(WIDTH, 3.6 * len(panels)), height=2.8, share_x=False
        )
        for ax, panel in zip(np.ravel(axes), panels, strict=True):
            for mark, (label, (errors, seconds)) in zip(MARKS, panel.lines.items(), strict=False):
                order = np.argsort(errors)
                ax.loglog(
                    np.take(errors, order), np.take(seconds, order), marker=mark, markersize=4, label=label
                )
            for axis in (ax.xaxis, ax.yaxis):
                low, high = axis.get_view_interval()
                axis.set_major_locator(LogLocator(subs=(1.0,) if high > ROOM * low else (1.0, 3.0)))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                axis.set_minor_formatter(NullFormatter())
            ax.set_title(panel.title)
            ax.set_xlabel(panel.error)
        np.ravel(axes)[0].set_ylabel("CPU seconds")
        handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=len(labels) if len(panels) > 1 else 1
        )
        return save(figure, path)
