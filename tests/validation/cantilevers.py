"""Clamped beams in equilibrium under their loads: common functions of the static validations."""

from collections.abc import Sequence

import numpy as np

from fem_mbd import Equilibrium, Model, Node, find_equilibrium
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Beam, BeamHandle, Force, Section
from fem_mbd.elements.curve import ReferenceLine, Straight


def section(
    EA: float, GA: float, GJ: float, EI2: float, EI3: float | None = None, mass: float = 1.0
) -> Section:
    """From rigidities; the mass has no part in statics."""
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


def bend(
    model: Model, beam: BeamHandle, force: Sequence[float], load_steps: int = 8
) -> tuple[Equilibrium, Array]:
    """Equilibrium under a dead tip force, and the place of the tip."""
    model.add(Force(beam.end, force))
    found = find_equilibrium(model, load_steps=load_steps)
    return found, place(found, beam.end)


def place(found: Equilibrium, node: Node) -> Array:
    """Position (3,) of a node."""
    return np.array(found.outputs["position"][node.index])


def axes(found: Equilibrium, node: Node) -> Array:
    """Rotation (3, 3) of a node: its axes as columns."""
    return np.array(found.state.r[node.index])


def shape(found: Equilibrium, beam: BeamHandle) -> Array:
    """Places (n, 3) of a beam's nodes from start to end."""
    return np.array(found.outputs["position"][[node.index for node in beam.nodes]])
