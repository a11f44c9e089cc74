"""Figures of structures: a static equilibrium, a machine's members, cross-sections, steady states of a turbine.

An equilibrium is drawn by its undeformed and deformed shape in two views, and the load over displacement; a machine by
the lines of its members, seen from the side and against the wind; sections by their meshes, coloured by material or by
a value of each element; steady states by power, thrust, pitch and deflection over the wind, and forces along the blade.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def draw_equilibrium(equilibrium: Equilibrium, tip: Node, path: Path, title: str = "") -> Path:
    """Draw into ``path`` (PNG) and return it; the load is shown over the tip's displacement."""
    positions = np.array([node.position for node in equilibrium.forces.system.model.nodes])
    deformed = equilibrium.outputs["position"]
    all_positions = np.concatenate([positions[1:], deformed[1:]])
    extent = np.ptp(all_positions, axis=0)
    order = np.argsort(-extent, kind="stable")
    across = [k for k in order[1:] if extent[k] > FLAT_RATIO * extent[order[0]]] or [order[1]]
    with styled():
        figure, axes = new_figure(1 + len(across), 1, share_x=False)
        for axis, k in zip(axes[:-1, 0], across, strict=True):
            _draw_view(axis, equilibrium, positions, deformed, int(order[0]), int(k))
        axes[0, 0].set_title(title)
        axes[0, 0].legend(loc="best")
        _draw_path(axes[-1, 0], equilibrium.path, tip)
        return save(figure, path)


def _draw_view(axis: Axes, equilibrium: Equilibrium, before: Array, after: Array, h: int, v: int) -> None:
    lines = line_nodes(equilibrium.forces.system)
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


COLUMNS = 3
CORNERS = {3: 3, 4: 4, 6: 3, 8: 4}  # by the number of nodes


def draw_sections(
    meshes: Sequence[Any],
    titles: Sequence[str],
    path: Path,
    values: Sequence[Array] | None = None,
    label: str = "",
    centres: Sequence[dict[str, Array]] = (),
) -> Path:
    """Draw section meshes into ``path`` (PNG) and return it.

    Parameters
    ----------
    meshes : with `points`, `blocks` and `kind_of`, as of `SectionMesh`
    titles : one for each
    path : of the picture
    values : (m,) numbers of the elements of each mesh; by default the numbers of their materials
    label : of the values
    centres : for each mesh, points (2,) m to mark, by name
    """
    from matplotlib.collections import PolyCollection

    with styled():
        columns = min(COLUMNS, len(meshes))
        figure, axes = new_figure(-(-len(meshes) // columns), columns, share_x=False)
        for axis, mesh, title, k in zip(axes.flat, meshes, titles, range(len(meshes)), strict=False):
            colours = np.asarray(mesh.kind_of if values is None else values[k], dtype=float)
            first, shapes = 0, []
            limits = (colours.min(), max(colours.max(), colours.min() + 1e-300))
            for block in mesh.blocks:
                corners = mesh.points[block[:, : CORNERS[block.shape[1]]]][:, :, ::-1] * [1, 1]
                shapes.append(
                    PolyCollection(
                        corners,
                        array=colours[first : first + len(block)],
                        cmap="tab10" if values is None else "viridis",
                        clim=(0, 9) if values is None else limits,
                        edgecolors="0.3" if values is None else "face",
                        linewidths=0.1,
                    )
                )
                axis.add_collection(shapes[-1])
                first += len(block)
            for marker, (name, point) in zip("o^sD", (centres[k] if centres else {}).items(), strict=False):
                axis.plot(point[1], point[0], marker, color="k", markersize=4, fillstyle="none", label=name)
            if centres:
                axis.legend(loc="best")
            axis.autoscale()
            axis.set_aspect("equal", adjustable="datalim")
            axis.set_title(title)
            axis.set_xlabel("y3 [m]")
            axis.set_ylabel("y2 [m]")
            if values is not None:
                figure.colorbar(shapes[0], ax=axis, label=label)
        for axis in axes.flat[len(meshes) :]:
            axis.set_visible(False)
        return save(figure, path)


MAX_LINES = 6  # of distributions


def draw_steady(
    data: Mapping[str, Any], along: Sequence[tuple[float, Array, Array]], file: Path, title: str
) -> Path:
    """Draw steady states.

    Parameters
    ----------
    data : lists over the wind, as of `SteadyStates.plain`
    along : wind (m/s), span (m) and forces (n, 3), N/m, along the wind, driving and radial, of each state
    file : to write
    title : of the figure
    """
    winds = data["winds_m_s"]
    tip = np.array(data["tip_deflection_m"])
    over_wind = (
        ("power [MW]", np.array(data["power_w"]) / 1e6),
        ("thrust [MN]", np.array(data["thrust_n"]) / 1e6),
        ("pitch [deg]", np.array(data["pitch_deg"])),
        ("tip, to the suction side [m]", tip[:, 0]),
    )
    with styled():
        figure, axes = new_figure(3, 2, share_x=False)
        for axis, (label, values) in zip(axes[:2].ravel(), over_wind, strict=True):
            axis.plot(winds, values, "o-", markersize=3)
            axis.set_xlabel("wind [m/s]")
            axis.set_ylabel(label)
        for k in np.unique(np.linspace(0, len(along) - 1, MAX_LINES).round().astype(int)):
            wind, span, force = along[k]
            for axis, values in zip(axes[2], force.T[:2], strict=True):
                axis.plot(span, values / 1e3, label=f"{wind:.3g} m/s")
        for axis, label in zip(axes[2], ("force along the wind [kN/m]", "driving force [kN/m]"), strict=True):
            axis.set_xlabel("along the blade [m]")
            axis.set_ylabel(label)
        axes[2, 0].legend(loc="best", fontsize="small")
        axes[0, 0].set_title(f"{title}: steady states")
        return save(figure, file)
