"""Tests of static forces and their derivative: differences, closed forms, balance of a free body."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fem_mbd import InputError, Model, Spin, elements, friction, joints
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.state import State
from tests.elements.beam.beam_models import beam, line as line_of, section

SPIN = Spin((0.1, -0.3, 0.2), (1.0, 2.0, -0.5), 3.0, azimuth=0.7)


def everything(growth: Any = 1.0) -> Model:
    """A beam of coupled section with damping, a body on a joint, springs, contact, and every kind of load.

    ``growth``, a function of time or a number, multiplies one of the loads.
    """
    model = Model(gravity=(1.0, -2.0, 9.81))
    held = model.add(
        elements.Beam(section(), line=line_of("curved"), elements=2, order=3, damping=1e-3, name="beam")
    )
    model.fix(held.start)
    body = model.add(
        elements.RigidBody(2.0, np.diag([0.3, 0.4, 0.5]), position=held.end.position, centre=(0.2, 0.1, -0.1))
    )
    model.add(joints.Revolute(held.end, body.node, axis=(0.3, 0.2, 1.0)))
    model.add(elements.RotationalSpringDamper(held.end, body.node, (0.3, 0.2, 1.0), 40.0, 0.5, angle=0.3))
    far = model.ground.at((3.0, 2.0, 1.0))
    model.add(elements.SpringDamper(body.node.at((0.1, 0.2, 0.3)), far, 300.0, 2.0, length=0.5))
    ball = model.ground.at(body.node.position + np.array([0.01, 0.012, -0.008]))
    model.add(
        joints.SphericalClearance(
            ball, body.node, 0.2, 0.19, normal=friction.HuntCrossley(friction.Linear(1e4), 0.5),
            friction=friction.Coulomb(0.2, 1e-3),
        )
    )  # fmt: skip
    model.add(elements.Force(body.node.at((0.3, 0, 0.1)), np.array([5.0, -3.0, 2.0]) * growth))
    model.add(elements.Force(held.nodes[2], (1.0, 4.0, 2.0), follower=True))
    model.add(elements.Moment(held.nodes[1], (3.0, -1.0, 2.0)))
    model.add(elements.Moment(held.end, (1.0, 1.0, -2.0), follower=True))
    model.add(elements.LineLoad(held, (0.5, -1.0, 0.3), follower=True))
    return model


def moved(forces: StaticForces, size: float = 0.2) -> State:
    random = np.random.default_rng(3)
    increment = size * random.normal(size=forces.n + forces.m)
    return forces.update(forces.start(), increment)


@pytest.mark.parametrize("spin", [None, SPIN])
def test_tangent_is_the_derivative_of_the_residual(spin: Spin | None) -> None:
    forces = StaticForces(everything(Ramp(0.0, 2.0)), time=1.0, spin=spin)
    state = moved(forces)
    tangent, load = forces.tangent(state, 1.7), forces.load(state)
    random = np.random.default_rng(1)
    for _ in range(3):
        direction = random.normal(size=forces.n + forces.m)
        h = 1e-4

        def at(step: float, direction: np.ndarray = direction) -> np.ndarray:
            return forces.residual(forces.update(state, step * direction), 1.7)

        fourth = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
        assert tangent @ direction == pytest.approx(fourth, rel=1e-8, abs=1e-8 * np.abs(fourth).max())
    change = forces.residual(state, 2.7) - forces.residual(state, 1.7)
    assert load == pytest.approx(change, abs=1e-11 * np.abs(change).max())


def test_damping_and_friction_have_no_part() -> None:
    """Neither the beam's damping nor its time steps matter: the elastic energy alone determines the force."""
    for damping in (0.0, 0.5):
        forces = StaticForces(beam(4, damping=damping)[0])
        state = moved(forces, 0.1)
        force, tangent = forces.residual(state), forces.tangent(state).toarray()
        if damping == 0.0:
            expected = force, tangent
    np.testing.assert_array_equal(force, expected[0])
    np.testing.assert_array_equal(tangent, expected[1])


def test_a_free_beam_is_in_balance_and_its_stiffness_symmetric() -> None:
    """Internal forces have no resultant; the stiffness is asymmetric by the unbalanced moments."""
    forces = StaticForces(beam(3)[0])
    state = moved(forces, 0.2)
    own = forces.residual(state).reshape(-1, 6)
    force, moment = own[:, :3], np.einsum("nij,nj->ni", state.r[1:], own[:, 3:])
    size = np.abs(own).max()
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * size
    assert np.abs((np.cross(state.u[1:], force) + moment).sum(axis=0)).max() < 1e-12 * size
    k = forces.tangent(state).toarray()
    skewed = k - k.T
    for n, m in enumerate(own[:, 3:]):
        block = slice(6 * n + 3, 6 * n + 6)
        skewed[block, block] -= skew(m)
    assert np.abs(skewed).max() < 1e-11 * np.abs(k).max()


def test_forces_turn_with_the_structure() -> None:
    forces = StaticForces(beam(4)[0])
    state = moved(forces)
    turn = Rotation.from_rotvec((0.4, -1.1, 2.0)).as_matrix()
    other = state.copy()
    other.u[1:], other.r[1:] = state.u[1:] @ turn.T, turn @ state.r[1:]
    a, b = (forces.residual(s).reshape(-1, 6) for s in (state, other))
    assert b[:, :3] == pytest.approx(a[:, :3] @ turn.T, abs=1e-10 * np.abs(a).max())
    assert b[:, 3:] == pytest.approx(a[:, 3:], abs=1e-10 * np.abs(a).max())


def test_centrifugal_forces_of_a_tilted_body() -> None:
    """m r w^2 outwards, and the couple -w x J w that rotates a tilted rod into the plane of rotation."""
    model = Model()
    tensor = np.diag([0.1, 0.4, 0.4])
    tilt = Rotation.from_rotvec((0, 0.3, 0)).as_matrix()
    body = model.add(elements.RigidBody(2.0, tensor, position=(1.5, 0, 0), rotation=tilt))
    spin = Spin((0, 0, 0), (0, 0, 1), 5.0)
    forces = StaticForces(model, spin=spin)
    own, _ = forces.forces(forces.start())
    row = own[body.node.index]
    assert row[:3] == pytest.approx([-2.0 * 1.5 * 25.0, 0, 0], rel=1e-14)
    couple = tilt @ row[3:]
    # as an internal moment: (J_zz - J_xx) sin cos w^2 of the tilt
    assert couple == pytest.approx([0, (0.4 - 0.1) * np.sin(0.3) * np.cos(0.3) * 25.0, 0], abs=1e-13)


def test_gravity_in_rotation() -> None:
    """Along the axis always; across it on request, in the rotated frame."""
    g = np.array([0.0, -9.0, -2.0])
    assert Spin((0, 0, 0), (0, 0, 3), 1.0).gravity(g, 1)[0] == pytest.approx([0, 0, -2])
    held = Spin((0, 0, 0), (0, 0, 3), 1.0, azimuth=np.pi / 2).gravity(g, 1)[0]
    assert held == pytest.approx([-9, 0, -2], abs=1e-14)


def test_bad_rotation() -> None:
    with pytest.raises(InputError, match="spin: axis"):
        Spin((0, 0, 0), (0, 0, 0), 1.0)
    with pytest.raises(InputError, match="spin: rate"):
        Spin((0, 0, 0), (0, 0, 1), np.nan)
