"""Figures of structures: a machine's members, and a static equilibrium.

A machine is drawn by the lines of its members, seen from the side and against the wind; an equilibrium by its
undeformed and deformed shape in two views, and the load over displacement.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.analysis.statics.path import Path as Branch
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.node import Node
from fem_mbd.core.scheme.system import System
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLAT_RATIO = 1e-6  # fraction of the model: a smaller extent needs no view of its own
AXES = "xyz"
VIEWS = ((0, "x, downwind [m]"), (1, "y [m]"))


def draw_equilibrium(found: Equilibrium, tip: Node, path: Path, title: str = "") -> Path:
    """Draw into ``path`` (PNG) and return it; the load is shown over the tip's displacement."""
    positions = np.array([node.position for node in found.forces.system.model.nodes])
    deformed = found.outputs["position"]
    all_positions = np.concatenate([positions[1:], deformed[1:]])
    extent = np.ptp(all_positions, axis=0)
    order = np.argsort(-extent, kind="stable")
    across = [k for k in order[1:] if extent[k] > FLAT_RATIO * extent[order[0]]] or [order[1]]
    with styled():
        figure, axes = new_figure(1 + len(across), 1, share_x=False)
        for axis, k in zip(axes[:-1, 0], across, strict=True):
            _draw_view(axis, found, positions, deformed, int(order[0]), int(k))
        axes[0, 0].set_title(title)
        axes[0, 0].legend(loc="best")
        _draw_path(axes[-1, 0], found.path, tip)
        return save(figure, path)


def _draw_view(axis: Axes, found: Equilibrium, before: Array, after: Array, h: int, v: int) -> None:
    lines = line_nodes(found.forces.system)
    for positions, colour, label in ((before, "0.6", "reference"), (after, COLOURS[0], "equilibrium")):
        for n, nodes in enumerate(lines):
            axis.plot(positions[nodes, h], positions[nodes, v], color=colour, label=label if n == 0 else None)
        single = np.setdiff1d(np.arange(1, len(positions)), np.concatenate([*lines, [0]]))
        axis.plot(positions[single, h], positions[single, v], "o", color=colour, markersize=3)
    axis.set_xlabel(f"{AXES[h]} [m]")
    axis.set_ylabel(f"{AXES[v]} [m]")
    # equal scales only where the picture stays readable
    spread = [np.ptp(np.concatenate([before[1:, k], after[1:, k]])) for k in (h, v)]
    if spread[1] > 0.15 * spread[0]:
        axis.set_aspect("equal", adjustable="datalim")


def line_nodes(system: System) -> list[Indices]:
    """Nodes along every part drawn as a line."""
    return [nodes for kind in system.kinds if kind.drawn == "line" for nodes in kind.nodes]


def _draw_path(axis: Axes, path: Branch, tip: Node) -> None:
    displacement = np.array([positions[tip.index] for positions in path.positions]) - tip.position
    loads, speeds = np.array(path.load_factors), np.array(path.speeds)
    by_speed = np.ptp(loads) == 0 and np.ptp(speeds) > 0
    values = speeds if by_speed else loads
    size = np.abs(displacement).max(initial=0.0)
    for k in range(3):
        if np.abs(displacement[:, k]).max(initial=0.0) > FLAT_RATIO * size:
            axis.plot(
                displacement[:, k], values, ".-", color=COLOURS[k], label=f"along {AXES[k]}", markersize=3
            )
    for load in path.limits:
        axis.axhline(load, color="0.5", linestyle=":", linewidth=0.8)
        axis.annotate(
            f"limit {load:.4g}",
            (1.0, load),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
            fontsize=7,
        )
    axis.set_xlabel(f"displacement of {tip.name} [m]")
    axis.set_ylabel("speed [rad/s]" if by_speed else "load factor")
    if axis.get_lines():
        axis.legend(loc="best")


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
