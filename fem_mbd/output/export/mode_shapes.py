"""Export of mode shapes for ParaView: one time step per mode, with the number of the mode as its time.

The points are those of the equilibrium. Every mode is scaled so that its largest displacement is a tenth of the
model's size (for pure rotations, that its largest rotation is 0.1 rad). A mode moves as

    displacement cos(w t) + displacement_90 sin(w t)        likewise turn and turn_90 [rad], global axes

with the second part zero for a mode in which everything oscillates in phase: warp by `displacement` to see it. The
values `frequency` [Hz] and `damping_ratio` are the same at all points.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.errors import InputError
from fem_mbd.output.export.lines import Frame, Lines
from fem_mbd.output.export.writing import WRITERS, check_format, writable, write_frames

SIZE = 0.1  # fraction of the model's size, or rad


def export_modes(found: Modes, path: str | Path, to: str = "vtkhdf") -> Path:
    """Write mode shapes for other programs; returns the file to open.

    Parameters
    ----------
    found : `Modes`
    path : file without its ending
    to : "vtkhdf", "xdmf" or "vtu"

    Raises
    ------
    InputError
        For an unknown format or a file that cannot be written.
    """
    check_format(to, WRITERS)
    system = found.linear.system
    lines = Lines(system.describe())
    if not lines.points:
        raise InputError("this model has no nodes besides the ground: there is nothing to draw")
    with writable(Path(path)) as place:
        return write_frames(place, to, lines, _frames(found, lines))


def _frames(found: Modes, lines: Lines) -> Iterator[Frame]:
    linear = found.linear
    state, centre = linear.state, linear.system.work.centre
    positions = state.u - np.einsum("nij,nj->ni", state.r, centre)
    points, axes = lines.places(positions), lines.axes(state.r)
    extent = float(np.ptp(points, axis=0).max()) or 1.0
    numbers = zip(found.shapes, found.frequencies_hz, found.damping_ratios, strict=True)
    for number, (shape, frequency, damping) in enumerate(numbers, start=1):
        motion = _scaled(shape, extent)
        halves = {"displacement": motion[:, :3], "turn": motion[:, 3:]}
        values: dict[str, Array] = {}
        for name, part in halves.items():
            values |= {name: lines.places(part.real), f"{name}_90": lines.places(-part.imag)}
        values |= {f"d{k + 1}": axes[:, :, k] for k in range(3)}
        values["frequency"] = np.full((len(points), 1), frequency)
        values["damping_ratio"] = np.full((len(points), 1), damping)
        yield Frame(float(number), points, values)


def _scaled(shape: Complex, extent: float) -> Complex:
    moved, turned = np.abs(shape[:, :3]).max(), np.abs(shape[:, 3:]).max()
    if moved > 1e-9 * extent * turned:
        return shape * (SIZE * extent / moved)
    return shape * (SIZE / turned) if turned else shape
