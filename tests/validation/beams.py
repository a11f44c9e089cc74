"""Straight cantilevers and constant loads, as most of the published static problems use them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fem_mbd import Model
from fem_mbd.elements import Beam, BeamHandle, Force, Moment, Section
from fem_mbd.relaxation import relax
from fem_mbd.time_functions import Ramp

LONG = 1e5  # s, against periods of seconds


def section(axial: float, shear: float, torsion: float, bending_2: float, bending_3: float) -> Section:
    """A section with a mass of 1 kg/m and little rotary inertia: statics do not depend on them."""
    stiffness = np.diag([axial, shear, shear, torsion, bending_2, bending_3])
    return Section(stiffness, 1.0, np.diag([2.0, 1.0, 1.0]) * 1e-2)


def cantilever(length: float, cross: Section, elements: int, order: int = 4) -> tuple[Model, BeamHandle]:
    """Beam along global axis 1, held at the origin, section axes parallel to the global ones."""
    model = Model()
    beam = model.add(Beam(cross, (0, 0, 0), (length, 0, 0), elements=elements, order=order))
    model.fix(beam.start)
    return model, beam


def grown(direction: ArrayLike, size: float) -> object:
    """A vector load that grows from nothing to ``size`` along ``direction`` (3,) during the load path."""
    return np.asarray(direction, dtype=float) * Ramp(0.0, LONG, 0.0, size)


def tip_under(
    model: Model,
    beam: BeamHandle,
    steps: int = 10,
    force: object | None = None,
    moment: object | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Place (3,) and quaternion (4,) of the beam's end in equilibrium under loads there."""
    if force is not None:
        model.add(Force(beam.end, force))
    if moment is not None:
        model.add(Moment(beam.end, moment))
    found = relax(model, LONG, steps=steps, hold=100).outputs()
    return found["position"][beam.end.index], found["quaternion"][beam.end.index]
