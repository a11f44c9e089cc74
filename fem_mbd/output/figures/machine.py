"""Figure of a machine: the lines of its members, seen from the side and against the wind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fem_mbd.base.arrays import Array
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled

VIEWS = ((0, "x, downwind [m]"), (1, "y [m]"))


def draw_machine(lines: Mapping[str, Array], path: Path, title: str = "") -> Path:
    """Draw the members' lines into ``path`` (PNG), which is returned.

    Parameters
    ----------
    lines : (n, 3) of each member by name, m, global axes with z up
    path : of the figure
    title : above it
    """
    with styled():
        figure, axes = new_figure(1, 2, height=5.0, share_x=False)
        for ax, (across, label) in zip(axes.ravel(), VIEWS, strict=True):
            for k, (name, points) in enumerate(lines.items()):
                ax.plot(points[:, across], points[:, 2], color=COLOURS[k % len(COLOURS)], label=name)
                ax.plot(points[[0, -1], across], points[[0, -1], 2], ".", color="0.3", markersize=3)
            ax.set_aspect("equal", adjustable="datalim")
            ax.set_xlabel(label)
            ax.set_ylabel("z [m]")
        axes.ravel()[-1].legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
        figure.suptitle(title, fontsize=11)
        return save(figure, path)
