"""Clamped beams under loads that grow once and stay: what the static validations share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fem_mbd.elements import Beam, BeamHandle, Force, Section
from fem_mbd.elements.curve import ReferenceLine, Straight
from fem_mbd.model import Model, Node
from fem_mbd.relaxation import relax
from fem_mbd.simulation import Simulation
from fem_mbd.time_functions import Ramp, TimeFunction

Array = NDArray[np.float64]


def section(
    EA: float, GA: float, GJ: float, EI2: float, EI3: float | None = None, mass: float = 1.0
) -> Section:
    """From rigidities; the mass has no part in statics but sets the periods that `relax` steps by."""
    EI3 = EI2 if EI3 is None else EI3
    return Section(np.diag([EA, GA, GA, GJ, EI2, EI3]), mass, 1e-3 * mass * np.diag([2.0, 1.0, 1.0]))


def clamped(
    part: Section,
    length: float | None = None,
    line: ReferenceLine | None = None,
    elements: int = 8,
    order: int = 4,
) -> tuple[Model, BeamHandle]:
    """A beam clamped at its start, straight along x with axes 2 and 3 along y and z if there is no line."""
    model = Model()
    line = Straight((0, 0, 0), (length, 0, 0)) if line is None else line
    beam = model.add(Beam(part, line=line, elements=elements, order=order))
    model.fix(beam.start)
    return model, beam


def grow(vector: ArrayLike, end: float) -> TimeFunction:
    """A load that grows from zero to ``vector`` (3,) at ``end`` (s)."""
    return np.asarray(vector, dtype=float) * Ramp(0.0, end)


def bend(
    model: Model, beam: BeamHandle, force: Sequence[float], end: float, steps: int
) -> tuple[Simulation, Array]:
    """Equilibrium under a dead tip force, and the place of the tip."""
    model.add(Force(beam.end, grow(force, end)))
    sim = relax(model, end, steps)
    return sim, place(sim, beam.end)


def place(sim: Simulation, node: Node) -> Array:
    """Position (3,) of a node."""
    return np.array(sim.outputs()["position"][node.index])


def axes(sim: Simulation, node: Node) -> Array:
    """Rotation (3, 3) of a node: its axes as columns."""
    return np.array(sim.state.r[node.index])


def shape(sim: Simulation, beam: BeamHandle) -> Array:
    """Places (n, 3) of a beam's nodes from start to end."""
    return np.array(sim.outputs()["position"][[node.index for node in beam.nodes]])
