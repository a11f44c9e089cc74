"""Figures of a run of any model: energies, steps, shapes of the mechanism, histories of parts; for screen and print.

`standard_figures` are those of every run: energy balance, and step sizes with Newton iterations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.base.text import file_names
from fem_mbd.core.scheme.ledger import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.errors import InputError
from fem_mbd.output.export.lines import Lines, joint_points
from fem_mbd.output.figures.plots import (
    COLOURS,
    PANEL_HEIGHT,
    WIDTH,
    legend,
    logarithmic,
    new_figure,
    save,
    styled,
)
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.part import rotation_matrices
from fem_mbd.runs.results.views.states import NotRecorded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_energy(result: Result, width: float = WIDTH) -> Figure:
    """The energy balance over time: energies, accumulated dissipations and works, and the residual of every step.

    Parameters
    ----------
    result : `Result`
    width : inches
    """
    with styled():
        figure, axes = new_figure(3, width=width)
        energies, flows, residual = axes[:, 0]
        _draw_nonzero(energies, result, ENERGIES, accumulate=False)
        _draw_nonzero(flows, result, (*DISSIPATIONS, *WORKS), accumulate=True)
        energies.set_ylabel("energy [J]")
        flows.set_ylabel("since the start [J]")
        summary = result.summary["energy"]
        scale = summary["scale"] or 1.0
        # An exact zero cannot be shown on a logarithmic axis: it is drawn at the lower end of the axis.
        relative = np.maximum(np.abs(result.energy["residual"]) / scale, 1e-18)
        residual.plot(result.time, relative, ".", markersize=1.5, color=COLOURS[0])
        logarithmic(residual)
        residual.set_ylabel("residual / scale")
        residual.set_xlabel("time [s]")
        residual.set_title(
            f"unexplained energy of each step, relative to {scale:.4g} J (largest {summary['relative']:.1e})",
            loc="left",
        )
        return figure


def _draw_nonzero(ax: Axes, result: Result, names: Sequence[str], accumulate: bool) -> None:
    """Draw those columns of the ledger that are not zero throughout."""
    for number, name in enumerate(names):
        column = result.energy[name]
        if np.any(column):
            history = np.cumsum(column) if accumulate else column
            ax.plot(result.time, history, label=name.replace("_", " "), color=COLOURS[number % len(COLOURS)])
    legend(ax, columns=3)


def draw_steps(result: Result, width: float = WIDTH) -> Figure:
    """Step size coloured by the rule that decided it, and Newton iterations, over time.

    Parameters
    ----------
    result : `Result`
    width : inches
    """
    from matplotlib.ticker import MaxNLocator

    with styled():
        figure, axes = new_figure(2, width=width)
        sizes, effort = axes[:, 0]
        rules = result.step["rule"]
        names, counts = np.unique(rules, return_counts=True)
        for number, name in enumerate(names[np.argsort(-counts, kind="stable")]):
            chosen = rules == name
            sizes.plot(
                result.time[chosen],
                result.step["dt"][chosen],
                ".",
                markersize=2.5,
                color=COLOURS[number % len(COLOURS)],
                label=f"{name} ({np.count_nonzero(chosen)})",
            )
        logarithmic(sizes)
        sizes.set_ylabel("step size [s]")
        legend(sizes)
        effort.plot(
            result.time,
            result.step["newton_iterations"],
            ".",
            markersize=2,
            color=COLOURS[0],
            label="iterations",
        )
        effort.plot(
            result.time,
            result.step["rejections"],
            ".",
            markersize=2,
            color=COLOURS[1],
            label="rejected attempts",
        )
        effort.yaxis.set_major_locator(MaxNLocator(integer=True))
        effort.set_ylabel("per step")
        effort.set_xlabel("time [s]")
        legend(effort)
        return figure


def standard_figures(result: Result, folder: Path) -> list[Path]:
    """The figures that every run has; none for a run without a step.

    Parameters
    ----------
    result : `Result`
    folder : existing
    """
    if not result.steps:
        return []
    with styled():
        return [
            save(draw_energy(result), folder / "energy.png"),
            save(draw_steps(result), folder / "steps.png"),
        ]


# inches; 90 and 190 mm are the widths of one column and of a page in Elsevier's instructions for artwork
WIDTHS = {"column": 90 / 25.4, "page": 190 / 25.4}
FORMATS = ("png", "pdf", "svg")
SHAPE_TIMES = 6  # number of times in the picture of shapes
OTHER_AXES = re.compile("_in_(k|l|body)$")  # end of the name of a quantity in other than global axes
# fraction of the longest extent: a mechanism that moves less across a coordinate plane is drawn in that plane
FLAT_RATIO = 1e-6


def plot_run(
    result: Result,
    *parts: Any,
    folder: str | Path | None = None,
    formats: Sequence[str] = ("png",),
    width: str = "page",
) -> dict[str, Figure]:
    """Draw a run: its energies, its steps, the shapes of the mechanism, and all quantities of the given parts.

    Parameters
    ----------
    result : of any model
    *parts : handles, names, nodes or points of the model, as for `Result.of`; each gives a figure of its histories
    folder : where to write the figures, created if necessary; without it none is written
    formats : of the files: "png", "pdf", "svg"
    width : "page" (190 mm) or "column" (90 mm) of a journal

    Returns
    -------
    dict[str, Figure]
        Matplotlib's figures by name: "energy", "steps", "shapes" (where positions were recorded), and those of the
        parts.

    Raises
    ------
    InputError
        For a part, a format or a width that does not exist, and for a folder that cannot be written.
    MissingDependency
        Without matplotlib.
    """
    if width not in WIDTHS:
        raise InputError(f"width is {width!r}; {nearest(width, WIDTHS)}")
    for name in formats:
        if name not in FORMATS:
            raise InputError(f"formats: {name!r} cannot be written; {nearest(name, FORMATS)}")
    if not result.steps:
        raise InputError("the run has no accepted step: there is nothing to draw")
    inches = WIDTHS[width]
    figures = {"energy": draw_energy(result, inches), "steps": draw_steps(result, inches)}
    if "position" in result.outputs and "position" in result.initial:
        figures["shapes"] = draw_shapes(result, inches)
    for part in parts:
        view = result.of(part)
        figures[str(view.name)] = draw_part(view, inches)
    if folder is not None:
        write(figures, Path(folder), formats)
    return figures


def write(figures: dict[str, Figure], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write figures into a folder, which is created if necessary; returns the files."""
    files = [folder / f"{name}.{ending}" for name in file_names(figures) for ending in formats]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with styled():
            for file, figure in zip(files, np.repeat(list(figures.values()), len(formats)), strict=True):
                figure.savefig(file)
    except OSError as error:
        raise InputError(f"{folder}: figures cannot be written there ({error.strerror})") from error
    return files


def draw_part(view: Any, width: float = WIDTHS["page"]) -> Figure:
    """All quantities of one part over time, one panel each; of a part with several rows, the middle one.

    A vector that has components in several axes is drawn in one of them, the global ones.
    """
    histories: dict[str, Array] = {}
    for name in view.quantities:
        if OTHER_AXES.sub("", name) != name and OTHER_AXES.sub("", name) in view.quantities:
            continue
        try:
            histories[name] = np.asarray(view.value(name))
        except NotRecorded:
            continue
    if not histories:
        raise InputError(f"'{view.name}': none of its quantities was recorded, or it has none")
    with styled():
        figure, axes = new_figure(len(histories), width=width)
        title = view.name
        for ax, (name, values) in zip(axes[:, 0], histories.items(), strict=True):
            quantity = view.quantities[name]
            if values.ndim > 1 + bool(quantity.components):
                middle = values.shape[1] // 2
                title = f"{view.name}, {view.row_title(name, middle)}"
                values = values[:, middle]
            _draw_quantity(ax, view.time, values, quantity)
        axes[-1, 0].set_xlabel("time [s]")
        figure.suptitle(title, fontsize=10)
    return figure


def _draw_quantity(ax: Axes, time: Array, values: Array, quantity: Any) -> None:
    titles = list(quantity.components) or [""]
    for title, history in zip(titles, values.reshape(len(time), len(titles)).T, strict=True):
        ax.plot(time, history, label=title)
    unit = "-" if quantity.unit == "1" else quantity.unit
    axes = f"\nin {quantity.axes} axes" if quantity.axes else ""
    ax.set_ylabel(f"{quantity.name.replace('_', ' ')} [{unit}]{axes}")
    legend(ax)


def draw_shapes(result: Result, width: float = WIDTHS["page"]) -> Figure:
    """The mechanism at up to six equidistant times, the earliest palest, with the paths of nodes without a line.

    Beams are lines, and bodies are lines from their mass centres to their joints; dots mark nodes, triangles the joints
    at the ground. A mechanism that stays in a coordinate plane is drawn in that plane, any other in space.
    """
    lines, links = Lines(result.model), _links(result.model)
    last, start = len(result.output_time) - 1, result.info.start_time
    wanted = np.linspace(start, float(result.output_time[last]), SHAPE_TIMES)[1:]
    rows = np.unique([int(np.abs(result.output_time - time).argmin()) for time in wanted])
    times = [start, *result.output_time[rows]]
    states: list[tuple[Any, Array | None]] = [(result.initial["position"], result.initial.get("quaternion"))]
    states += [(_row(result, "position", row), _row(result, "quaternion", row)) for row in rows]
    shapes = [lines.at_points(positions) for positions, _ in states]
    bodies = [_body_lines(links, *state) for state in states]
    every = max(last // 400, 1)
    paths = result.outputs.read("position", every=every)
    single = paths[:, lines.single_nodes]
    everything = [*shapes, single.reshape(-1, 3), *(line for of_one in bodies for line in of_one)]
    extent = np.ptp(np.concatenate(everything), axis=0)
    across = int(np.argmin(extent))
    flat = extent[across] <= FLAT_RATIO * extent.max()
    axes = [k for k in range(3) if not flat or k != across]
    with styled():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, min(width, 2.2 * PANEL_HEIGHT)), layout="constrained")
        FigureCanvasAgg(figure)
        ax: Any = figure.add_subplot(projection=None if flat else "3d")
        for path in np.swapaxes(single, 0, 1):
            ax.plot(*path[:, axes].T, color="0.7", linewidth=0.6)
        for k, (time, shape, of_bodies) in enumerate(zip(times, shapes, bodies, strict=True)):
            colour = _shade(k / max(len(shapes) - 1, 1))
            _draw_shape(ax, lines, shape[:, axes], colour, f"{time:.4g} s")
            for line in of_bodies:
                ax.plot(*line[:, axes].T, color=colour, linewidth=2.0, solid_capstyle="round")
        fixed = joint_points(result.model).get(0)
        if fixed is not None:
            ax.plot(*fixed[:, axes].T, "^", color="0.2", markersize=6, zorder=3)
        ax.set_aspect("equal", adjustable="datalim") if flat else ax.set_aspect("equal")
        for name, k in zip("xyz", axes, strict=False):
            getattr(ax, f"set_{name}label")(f"{'xyz'[k]} [m]")
        legend(ax, columns=3)
    return figure


def _row(result: Result, name: str, row: int) -> Array | None:
    """An output at one time; None where it was not recorded."""
    return result.outputs.read(name, int(row), int(row) + 1)[0] if name in result.outputs else None


def _links(model: Mapping[str, Any]) -> dict[int, tuple[Array, Array]]:
    """Mass centre (3,) and joint points (k, 3) of every body without a beam, in the axes of its node."""
    alone, points = set(Lines(model).single_nodes), joint_points(model)
    return {
        node: (np.array(model["nodes"][node].get("centre", (0.0, 0.0, 0.0))), points[node])
        for node in alone.intersection(points)
    }


def _body_lines(
    links: dict[int, tuple[Array, Array]], positions: Array | None, quaternions: Array | None
) -> list[Array]:
    """Lines (2, 3) from the mass centres of bodies to their joints; none where rotations were not recorded."""
    if positions is None or quaternions is None:
        return []
    rotations = rotation_matrices(quaternions)
    return [
        positions[node] + np.array([centre, point]) @ rotations[node].T
        for node, (centre, points) in links.items()
        for point in points
    ]


def _shade(share: float) -> Array:
    """The colour of a time, paler the earlier: ``share`` from 0 to 1."""
    from matplotlib.colors import to_rgb

    return np.asarray(1 - (0.25 + 0.75 * share) * (1 - np.array(to_rgb(COLOURS[0]))))


def _draw_shape(ax: Any, lines: Lines, points: Array, colour: Array, label: str) -> None:
    """Draw beams and single nodes at one time."""
    for line in lines.connectivity:
        ax.plot(*points[line].T, color=colour, label=label)
        label = ""
    if len(lines.single):
        ax.plot(*points[lines.single].T, "o", markersize=3, color=colour, label=label)
