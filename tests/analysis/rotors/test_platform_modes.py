"""Kinetic energies of a floating platform's motions: those of one rigid body with the added mass of the water."""

from types import SimpleNamespace

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.analysis.rotors.rotor_modes import Platform, rigid_motions
from fem_mbd.elements import RigidBody

MASS, HEIGHT, INERTIA = 3.0, 4.0, (5.0, 7.0, 6.0)  # kg, m above the reference point, kg m^2


@pytest.mark.parametrize(
    ("move", "turn", "names", "sign"), [(0, 4, ("surge", "pitch"), 1.0), (1, 3, ("sway", "roll"), -1.0)]
)
def test_a_rigid_motion_has_the_energies_of_one_body(
    move: int, turn: int, names: tuple[str, str], sign: float
) -> None:
    """The node is above the reference point of the added mass, which thus moves otherwise when the platform turns."""
    model = Model()
    body = model.add(RigidBody(MASS, INERTIA, position=(0, 0, HEIGHT)))
    simulation = Simulation(model, 1.0, StepControl.fixed(0.1))
    added = np.diag([2.0, 2.0, 4.0, 30.0, 40.0, 50.0])
    added[move, turn] = added[turn, move] = -1.5
    q = np.zeros(6)
    q[move], q[turn] = 0.3, 0.2
    motion = np.zeros((simulation.system.workspace.n, 6), dtype=complex)
    motion[body.node.index] = [*(q[:3] + np.cross(q[3:], [0, 0, HEIGHT])), *q[3:]]
    linear = SimpleNamespace(system=simulation.system, state=simulation.state)
    found = rigid_motions(linear, Platform(body.node, np.zeros(3), added), motion)  # type: ignore[arg-type]

    whole = MASS + 2.0
    coupling = sign * MASS * HEIGHT - 1.5
    rotary = added[turn, turn] + INERTIA[turn - 3] + MASS * HEIGHT**2
    expected = {
        f"platform {names[0]}": whole * (q[move] + coupling / whole * q[turn]) ** 2,
        f"platform {names[1]}": (rotary - coupling**2 / whole) * q[turn] ** 2,
    }
    for name, energy in found.items():
        assert energy == pytest.approx(expected.get(name, 0.0), rel=1e-12, abs=1e-12), name


def test_an_elastic_motion_is_none_of_the_platform() -> None:
    """Two equal masses against each other have no momentum."""
    model = Model()
    ends = [model.add(RigidBody(MASS, INERTIA, position=(x, 0, 0))) for x in (-1.0, 1.0)]
    simulation = Simulation(model, 1.0, StepControl.fixed(0.1))
    motion = np.zeros((simulation.system.workspace.n, 6), dtype=complex)
    motion[ends[0].node.index, 0], motion[ends[1].node.index, 0] = 1.0, -1.0
    linear = SimpleNamespace(system=simulation.system, state=simulation.state)
    none = Platform(ends[0].node, np.zeros(3), np.zeros((6, 6)))
    assert rigid_motions(linear, none, motion) == {}  # type: ignore[arg-type]
