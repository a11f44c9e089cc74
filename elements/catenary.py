"""Elastic catenaries, free or on the sea bed: forces at rest and stiffness at the upper end.

A line of unstretched length L, weight w per length in water and stiffness EA hangs between its anchor and the fairlead
at the horizontal distance x and the height z (Jonkman, NREL/TP-500-41958, eqs. 2-35 to 2-38). H and V are the
horizontal and vertical force at the fairlead. Without contact with the sea bed, Va = V - w L at the anchor:

    x = H/w [asinh(V/H) - asinh(Va/H)] + H L/EA
    z = H/w [sqrt(1 + (V/H)^2) - sqrt(1 + (Va/H)^2)] + (V L - w L^2/2)/EA

With the length LB = L - V/w on the sea bed, whose coefficient of friction is C:

    x = LB + H/w asinh(V/H) + H L/EA + C w/(2 EA) [-LB^2 + b max(b, 0)],  b = LB - H/(C w)
    z = H/w [sqrt(1 + (V/H)^2) - 1] + V^2/(2 EA w)

The stiffness in the line's plane is the inverse of d(x, z)/d(H, V), normal to it H/x. For a vertical line with the
tension T(s) the lateral stiffness is 1/int ds/T.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

VERTICAL_TOLERANCE = 1e-6  # fraction of the length: smaller horizontal distances count as zero
ITERATIONS, TOLERANCE = 200, 1e-12  # of Newton's method; the tolerance is a fraction of the length
COMPLEX_STEP = 1e-30
Shape = Callable[[complex, complex], Array]


@dataclass(frozen=True, eq=False)
class MooringLine:
    """A line between the ground and a platform.

    Attributes
    ----------
    name : for messages
    anchor, fairlead : (3,) m, global axes
    length : m, unstretched
    weight : N/m, in water
    stiffness : N, EA
    bed : whether the anchor is on the sea bed, so that part of the line can rest on it
    rubbing : coefficient of friction of the sea bed
    """

    name: str
    anchor: Array
    fairlead: Array
    length: float
    weight: float
    stiffness: float
    bed: bool = True
    rubbing: float = 0.0


def line_at_rest(line: MooringLine) -> tuple[Array, Array]:
    """Force (3,) of a line on the platform, N, and its stiffness (3, 3) at the fairlead, N/m; global axes.

    Raises
    ------
    InputError
        For a line that is slack, or whose shape is not found.
    """
    span = line.fairlead - line.anchor
    x, z = float(np.hypot(*span[:2])), float(span[2])
    if x <= VERTICAL_TOLERANCE * line.length:
        return _vertical(line, z)
    h, v = upper_force(line, x, z)
    in_plane = np.linalg.inv(flexibility(partial(_shape, line), h, v))
    along, across = np.array([span[0], span[1], 0.0]) / x, np.array([-span[1], span[0], 0.0]) / x
    up = np.array([0.0, 0.0, 1.0])
    axes = np.column_stack([along, up])
    stiffness = axes @ in_plane @ axes.T + h / x * np.outer(across, across)
    return -h * along - v * up, stiffness


def _vertical(line: MooringLine, z: float) -> tuple[Array, Array]:
    axial = line.stiffness / line.length
    v = axial * (z - line.length) + 0.5 * line.weight * line.length
    lower = v - line.weight * line.length
    if min(v, lower) <= 0.0:
        raise InputError(f"mooring line '{line.name}' is vertical and slack: it has no stiffness")
    log_ratio = np.log(v / lower)
    across = line.weight / log_ratio if abs(log_ratio) > 1e-9 else v / line.length
    return np.array([0.0, 0.0, -v]), np.diag([across, across, axial])


def _shape(line: MooringLine, h: complex, v: complex) -> Array:
    """(2,) x and z of the fairlead from the anchor under the force (h, v) there."""
    w, ea, length = line.weight, line.stiffness, line.length
    if line.bed and v.real < w * length:
        on_bed = length - v / w
        x = on_bed + h / w * np.arcsinh(v / h) + h * length / ea
        z = h / w * (np.sqrt(1.0 + (v / h) ** 2) - 1.0) + v**2 / (2.0 * ea * w)
        if line.rubbing > 0.0:
            unloaded = on_bed - h / (line.rubbing * w)
            x += (
                line.rubbing * w / (2.0 * ea) * (-(on_bed**2) + (unloaded**2 if unloaded.real > 0.0 else 0.0))
            )
        return np.array([x, z])
    lower = v - w * length
    x = h / w * (np.arcsinh(v / h) - np.arcsinh(lower / h)) + h * length / ea
    z = h / w * (np.sqrt(1.0 + (v / h) ** 2) - np.sqrt(1.0 + (lower / h) ** 2))
    return np.array([x, z + (v * length - 0.5 * w * length**2) / ea])


def flexibility(shape: Shape, h: float, v: float) -> Array:
    """(2, 2) m/N d(x, z)/d(H, V) of a shape, by complex steps."""
    by_h, by_v = COMPLEX_STEP * h, COMPLEX_STEP * max(abs(v), h)
    columns = [shape(h + 1j * by_h, v).imag / by_h, shape(h, v + 1j * by_v).imag / by_v]
    return np.column_stack(columns)


def upper_force(line: MooringLine, x: float, z: float) -> tuple[float, float]:
    """H and V at the fairlead, N, at the distance x > 0 and the height z from the anchor, m.

    Raises
    ------
    InputError
        When no shape is found.
    """
    w, length = line.weight, line.length
    taut = length <= np.hypot(x, z)
    bend = 0.2 if taut else float(np.sqrt(3.0 * ((length**2 - z**2) / x**2 - 1.0)))  # Jonkman, eqs. 2-37
    h = max(abs(w * x / (2.0 * bend)), 1e-6 * abs(w) * length)
    v = 0.5 * w * (z / np.tanh(bend) + length)
    if taut:
        tension_per_distance = line.stiffness * (np.hypot(x, z) / length - 1.0) / np.hypot(x, z)
        h, v = max(h, tension_per_distance * x), tension_per_distance * z + 0.5 * w * length
    forces = solve_shape(partial(_shape, line), (h, v), np.array([x, z]), length)
    if forces is None:
        raise InputError(
            f"mooring line '{line.name}': its shape at rest is not found: is it longer than the path along the sea bed "
            "and up to the fairlead?"
        )
    return forces


def solve_shape(
    shape: Shape, start: tuple[float, float], target: Array, length: float
) -> tuple[float, float] | None:
    """The forces (H, V), N, for which a shape ends at the target (2,), m; None where they are not found.

    By Newton's method in (log H, V), with steps shortened until the distance decreases.

    Parameters
    ----------
    shape : (2,) m, the end's distance and height, from H and V at the end
    start : H above zero, and V, from which to start
    length : m, scale of the tolerance
    """
    h, v = start
    residual = shape(h, v).real - target
    for _ in range(ITERATIONS):
        if np.abs(residual).max() <= TOLERANCE * length:
            return float(h), float(v)
        step, share = -np.linalg.solve(flexibility(shape, h, v) * [h, 1.0], residual), 1.0
        step[0] = np.clip(step[0], -2.0, 2.0)
        while share > 1e-6:
            trial = h * np.exp(share * step[0]), v + share * step[1]
            missed = shape(*trial).real - target
            nearer = np.linalg.norm(missed) < np.linalg.norm(residual)
            if nearer or np.abs(missed).max() <= TOLERANCE * length:
                break
            share *= 0.5
        (h, v), residual = trial, missed
    return (float(h), float(v)) if np.abs(residual).max() <= 1e3 * TOLERANCE * length else None
