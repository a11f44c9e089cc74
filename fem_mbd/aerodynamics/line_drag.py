"""Drag of round beams that stand, such as towers, as loads along them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.aerodynamics.blade import BladeAerodynamics, Polar
from fem_mbd.aerodynamics.momentum import AIR, NoInduction
from fem_mbd.aerodynamics.rotor_blade import RotorBlade
from fem_mbd.aerodynamics.rotor_loads import RotorLoads
from fem_mbd.aerodynamics.wind import Wind
from fem_mbd.base.arrays import Array
from fem_mbd.elements.beam.beam import BeamHandle


def line_drag(
    beam: BeamHandle,
    s: ArrayLike,
    diameter: ArrayLike,
    drag: ArrayLike,
    wind: Wind,
    *,
    stations: int = 20,
    density: float = AIR,
    name: str = "",
) -> RotorLoads:
    """The drag of a round beam that stands, such as a tower, as loads along it: `RotorLoads` without induction.

    Parameters
    ----------
    beam : its handle
    s : (n,) m along it, from 0 to its length
    diameter, drag : (n,) m and drag coefficient, linear in between
    wind : that of the rotor
    stations : along the beam
    density : kg/m^3
    name : shown in messages

    Raises
    ------
    InputError
        As `BladeAerodynamics`.
    """
    span, what = np.asarray(s, dtype=float), name or f"drag of {beam.name}"
    circle = np.array([-180.0, 180.0])
    polars = [Polar(circle, [0.0, 0.0], [cd, cd], name=what) for cd in np.broadcast_to(drag, span.shape)]
    zero = np.zeros(len(span))
    round_ = BladeAerodynamics(
        span, np.broadcast_to(diameter, span.shape), polars, zero, np.zeros((len(span), 2)), what
    )
    first = beam.nodes[0]
    return RotorLoads(
        [RotorBlade(beam, round_)], first, _across(beam), wind, centre=first.position, induction=NoInduction(),
        stall="none", stations=stations, angle_at=0.25, density=density, turning=False, name=what,
    )  # fmt: skip


def _across(beam: BeamHandle) -> Array:
    """A direction across a beam: distances of its stations from the "axis" are not zero."""
    along = beam.nodes[-1].position - beam.nodes[0].position
    return np.asarray(np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))]))
