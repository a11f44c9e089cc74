"""Figures of mode shapes, and the Campbell diagram."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.analysis.modal.modes import Modes, motion_of
from fem_mbd.analysis.rotors.campbell import Campbell
from fem_mbd.base.arrays import Array, Complex, Indices
from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled
from fem_mbd.output.figures.structures import line_nodes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXES = "xyz"
AMPLITUDE = 0.1  # fraction of the structure's extent: the largest displacement drawn
# fraction of the extent times the largest rotation: a mode with smaller displacements is drawn by its rotations
ROTATION_RATIO = 0.2
# multiples of the speed drawn in each frame; a rotor of three blades excites its support at 3 and 6 times its speed
MULTIPLES = {"rotating": (1, 2, 3, 4, 5, 6), "inertial": (1,), "multi-blade": (1, 3, 6)}
LABEL_HEIGHT = 0.04  # fraction of the axis: height of a track's name
# fraction of the axis: where the lowest modes occupy less than this, a second diagram shows them
INSET_RATIO = 0.4
LABEL_POSITIONS = (0.94, 0.86)  # labels of the multiples of the speed, as fractions of the line


def draw_modes(modes: Modes, path: Path, title: str = "", most: int = 10, names: Sequence[str] = ()) -> Path:
    """Shapes of the lowest modes, two beside each other; returns ``path`` (PNG).

    Each is seen from the side from which it is largest, over the longest extent of the structure; the dashed line is a
    quarter of a period later, where it differs from the straight one. Modes that rotate more than they displace
    (torsion) are drawn by the rotation about the longest extent. ``names`` replace the numbers of the modes.
    """
    count = min(most, len(modes))
    with styled():
        figure, axes = new_figure((count + 1) // 2, 2, share_x=False)
        for k, ax in enumerate(axes.ravel()):
            if k < count:
                _draw_shape(ax, modes, k, names[k] if names else "")
            else:
                ax.set_visible(False)
        figure.suptitle(title, fontsize=11)
        return save(figure, path)


def _draw_shape(ax: Axes, modes: Modes, k: int, mode_name: str = "") -> None:
    linear = modes.linear
    state, centre = linear.state, linear.system.workspace.centre
    positions = state.u - np.einsum("nij,nj->ni", state.r, centre)
    used = np.unique(np.concatenate([np.arange(1, len(positions)), *line_nodes(linear.system)])).astype(int)
    extent = np.ptp(positions[used], axis=0)
    size = float(extent.max()) or 1.0
    h = int(np.argmax(extent))
    shape = modes.shapes[k]
    displaced, turned = np.abs(shape[used, :3]).max(axis=0), np.abs(shape[used, 3:]).max(axis=0)
    across = np.where(np.arange(3) == h, 0.0, displaced)
    value = complex(modes.eigenvalues[k])
    damping = f", ζ = {100 * modes.damping_ratios[k]:.3g} %" if modes.damping_ratios[k] and value.imag else ""
    name = f"{(mode_name or str(k + 1)).split(', ')[0]}: {motion_of(value)}{damping}"
    if displaced.max() < ROTATION_RATIO * size * turned[h]:
        values = shape[:, 3 + h] / turned[h]
        _draw_lines(ax, modes, positions[:, h], np.zeros(len(positions)), values)
        ax.set_ylabel(f"rotation about {AXES[h]} [–]")
    else:
        # a mode along the structure is drawn across it
        v = int(np.argmax(across)) if across.max() > 0.1 * displaced.max() else h
        values = AMPLITUDE * size * shape[:, v] / displaced.max()
        rest = positions[:, v] if v != h else np.zeros(len(positions))
        _draw_lines(ax, modes, positions[:, h], rest, values)
        ax.set_ylabel(f"{AXES[v]} [m]" if v != h else f"displacement along {AXES[h]} [–]")
    ax.set_xlabel(f"{AXES[h]} [m]")
    ax.set_title(name, loc="left", fontsize=9)


def _draw_lines(ax: Axes, modes: Modes, x: Array, rest: Array, values: Complex) -> None:
    lines = line_nodes(modes.linear.system)
    single = np.setdiff1d(np.arange(1, len(x)), np.concatenate([*lines, np.zeros(1, dtype=int)]))
    phases = [(values.real, COLOURS[0], "-")]
    if np.abs(values.imag).max() > 0.02 * np.abs(values).max(initial=0.0):
        phases.append((-values.imag, COLOURS[1], "--"))
    for part, colour, style in [(np.zeros(len(x)), "0.7", "-"), *phases]:
        # one artist with gaps: thousands of them would take most of a figure's time
        ax.plot(_joined(x, lines), _joined(rest + part, lines), color=colour, linestyle=style)
        ax.plot(x[single], rest[single] + part[single], "o", color=colour, markersize=3)


def _joined(values: Array, lines: list[Indices]) -> Array:
    """Values along all lines, nan between those that do not continue each other."""
    parts: list[Array] = []
    last = -1
    for nodes in lines:
        parts += [values[nodes[1:]]] if nodes[0] == last else [np.array([np.nan]), values[nodes]]
        last = int(nodes[-1])
    return np.concatenate(parts or [np.zeros(0)])


def draw_campbell(
    campbell: Campbell, path: Path, title: str = "", per_rev: Sequence[int] | None = None
) -> Path:
    """`campbell_figure`, written to ``path`` (PNG), which is returned."""
    figure = campbell_figure(campbell, title, per_rev)
    with styled():
        return save(figure, path)


def campbell_figure(campbell: Campbell, title: str = "", per_rev: Sequence[int] | None = None) -> Figure:
    """Frequencies over speed with lines at multiples of the speed, and damping ratios below if there is damping.

    In the inertial frame dots mark the critical speeds. Growing motions are marked by crosses.

    Parameters
    ----------
    campbell : the Campbell diagram
    title : above the figure
    per_rev : multiples of the speed; by default 1 to 6 in the rotating frame, 1 in the inertial one, 1, 3 and 6 in
        multi-blade coordinates
    """
    multiples = per_rev or MULTIPLES[campbell.frame]
    damped = bool(not campbell.undamped and np.nanmax(np.abs(campbell.damping_ratios), initial=0.0) > 1e-9)
    with styled():
        top = 1.06 * float(np.nanmax(campbell.frequencies_hz, initial=1e-9))
        lowest = _lowest(campbell)
        has_inset = lowest < INSET_RATIO * top
        figure, axes = new_figure(1 + has_inset + damped, 1, height=4.4 + 2.6 * has_inset + 2.0 * damped)
        _draw_frequencies(axes[0, 0], campbell, multiples, top)
        if has_inset:
            _draw_frequencies(axes[1, 0], campbell, multiples, lowest)
        if campbell.over == "speed":
            axes[0, 0].secondary_xaxis("top", functions=(_to_rpm, _from_rpm)).set_xlabel("speed [rev/min]")
        if damped:
            ax = axes[-1, 0]
            for k, ratios in enumerate(campbell.damping_ratios.T):
                ax.plot(campbell.speeds, 100 * ratios, color=_colour(k), linestyle=_style(campbell, k))
            ax.axhline(0.0, color="0.4", linewidth=0.8)
            ax.set_ylabel("damping ratio [%]")
            if campbell.over == "wind":  # light edge modes beside flap modes of 50 %
                ax.set_yscale("symlog", linthresh=1.0)
                ax.yaxis.set_major_formatter("{x:g}")
            ax.set_xlim(float(campbell.speeds[0]), float(campbell.speeds[-1]))
            _name_tracks(ax, campbell, 100 * campbell.damping_ratios)
        axes[-1, 0].set_xlabel("wind [m/s]" if campbell.over == "wind" else "speed [rad/s]")
        figure.suptitle(title, fontsize=11)
    return figure


def _lowest(campbell: Campbell) -> float:
    """Hz: upper limit of an axis with the three lowest modes that vibrate."""
    highest = np.sort(np.nanmax(campbell.frequencies_hz, axis=0))
    vibrate = highest[highest > 1e-6 * highest[-1]]
    return 1.25 * float(vibrate[min(2, len(vibrate) - 1)]) if len(vibrate) else 0.0


def _draw_frequencies(ax: Axes, campbell: Campbell, multiples: Sequence[int], top: float) -> None:
    """Draw the frequencies up to ``top`` (Hz)."""
    frequencies = campbell.frequencies_hz
    last = float(campbell.speeds[-1]) or 1.0
    if campbell.over == "wind":
        rates = np.array([np.linalg.norm(modes.linear.spin) for modes in campbell.modes]) / (2 * np.pi)
        for k in multiples:
            ax.plot(campbell.speeds, k * rates, color="0.7", linewidth=0.8, zorder=0)
    else:
        _draw_multiples(ax, multiples, last, top)
    for k, values in enumerate(frequencies.T):
        ax.plot(campbell.speeds, values, color=_colour(k), linestyle=_style(campbell, k))
    grows = (campbell.eigenvalues.real > 1e-6 * np.abs(campbell.eigenvalues)) & (campbell.growth[:, None] > 0)
    if grows.any():
        rows, columns = np.nonzero(grows)
        ax.plot(
            campbell.speeds[rows],
            frequencies[rows, columns],
            "x",
            color="#B00020",
            markersize=4,
            label="growing",
        )
    if campbell.frame == "inertial":
        critical = campbell.crossings(1)
        if critical:
            speeds = np.array([speed for _, speed in critical])
            ax.plot(speeds, speeds / (2 * np.pi), "o", color="black", markersize=3.5, label="critical")
    ax.set_xlim(float(campbell.speeds[0]), last)
    ax.set_ylim(0, top)
    ax.set_ylabel("frequency [Hz]")
    _name_tracks(ax, campbell, frequencies)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best")


def _draw_multiples(ax: Axes, multiples: Sequence[int], last: float, top: float) -> None:
    """Dashed lines at multiples of the speed, each labelled at its end: on the right, or at the top."""
    for n in multiples:
        ax.plot([0, last], [0, n * last / (2 * np.pi)], color="0.6", linewidth=0.7, linestyle=(0, (6, 4)))
        # labels are placed on the lines, alternately further out, where the fan of lines is wide enough
        end = min(last, 2 * np.pi * top / n) * LABEL_POSITIONS[n % len(LABEL_POSITIONS)]
        ax.annotate(f"{n}P", (end, n * end / (2 * np.pi)), color="0.4", fontsize=7, ha="center", va="center",
                    bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"})  # fmt: skip


def _name_tracks(ax: Axes, campbell: Campbell, values: Array) -> None:
    """Label every track at its right end in the track's colour; labels that would overlap are moved apart."""
    rows = [np.flatnonzero(np.isfinite(column)) for column in values.T]
    low, high = ax.get_ylim()
    spacing = LABEL_HEIGHT * (high - low)
    # a track that leaves through the top is labelled there
    ends = sorted((min(float(values[row[-1], k]), high), k) for k, row in enumerate(rows)
                  if len(row) and values[row, k].min() < high)  # fmt: skip
    heights = np.array([height for height, _ in ends])
    for k in range(1, len(heights)):
        heights[k] = max(heights[k], heights[k - 1] + spacing)
    heights -= max(0.0, float(heights.max(initial=low)) - high)
    for (value, k), height in zip(ends, heights, strict=True):
        leader = {"arrowstyle": "-", "color": _colour(k), "linewidth": 0.5}
        ax.annotate(_label(campbell, k), (1.0, value), (1.03, height), xycoords=("axes fraction", "data"),
                    textcoords=("axes fraction", "data"), color=_colour(k), fontsize=7, va="center",
                    annotation_clip=False, arrowprops=leader)  # fmt: skip


def _to_rpm(speed: ArrayLike) -> Array:
    return np.asarray(speed) * 30 / np.pi


def _from_rpm(speed: ArrayLike) -> Array:
    return np.asarray(speed) * np.pi / 30


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _sense(campbell: Campbell, k: int) -> float:
    """Whirl of a track in the inertial frame, where it distinguishes modes; 0 elsewhere."""
    return (
        float(np.nanmean(campbell.whirl[len(campbell.speeds) // 2 :, k]))
        if campbell.frame == "inertial"
        else 0.0
    )


def _style(campbell: Campbell, k: int) -> str:
    return "--" if _sense(campbell, k) < -0.5 else "-"


def _label(campbell: Campbell, k: int) -> str:
    if campbell.names:
        return campbell.names[k]
    sense = _sense(campbell, k)
    return f"mode {k + 1}" + (" forward" if sense > 0.5 else " backward" if sense < -0.5 else "")
