"""Beam strains: zero in rigid motion, frame-invariant, closed forms of stretch, shear, twist and bending."""

import numpy as np
import pytest

from fem_mbd import Model
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, rotation_from_vector
from fem_mbd.core.scheme.array_kernels import pack
from fem_mbd.elements import Beam, RigidBody, Straight
from tests.core.scheme_tools import order as slope_of, random_step, rigid_step, run, simulation
from tests.elements.beam.beam_models import ORDERS, SHAPES, Strains, beam, line, section

every_beam = pytest.mark.parametrize("order, shape", [(n, s) for n in ORDERS for s in SHAPES])


@every_beam
def test_reference_configuration_is_free_of_strain(order: int, shape: str) -> None:
    out = simulation(beam(order, shape)[0], 0.1).outputs()
    assert out["section_strain"].shape == (2 * (order - 1), 6)
    assert np.abs(out["section_strain"]).max() < 1e-15
    assert np.abs(out["section_force"]).max() < 1e-12


@every_beam
@pytest.mark.parametrize("size", [0.1, 3.0])
def test_rigid_motion_has_no_strain_and_no_force(order: int, shape: str, size: float) -> None:
    model, handle = beam(order, shape, damping=0.1)
    sim, y = random_step(model, 0.3, 0.1)
    workspace, system = sim.scheme.workspace, sim.system
    rigid_step(sim, np.random.default_rng(3), size)
    pack(workspace.x, system.equation, y)
    pack(workspace.multipliers, system.constraint_equation, y)
    sim.scheme.residual(y, np.empty_like(y))
    strains = Strains(handle, workspace, section().stiffness)
    assert np.abs(workspace.p[1:]).max() > 0.1 * size
    # round-off of positions and their rates over the element's length, times the stiffness
    allowed = 1e-14 * (1 + np.abs(workspace.p).max())
    assert np.abs(strains(workspace.q_f)).max() < allowed
    assert np.abs(strains.rate(workspace.q_f, workspace.p)).max() < allowed
    assert np.abs(workspace.force_m).max() < 1e4 * allowed
    assert np.abs(workspace.force_f).max() < 1e4 * allowed


@every_beam
def test_forces_rotate_with_the_frame(order: int, shape: str) -> None:
    turn, shift = rotation_about((1, 2, -1), 2.2), np.array([3.0, -2.0, 5.0])
    here, _ = random_step(beam(order, shape, damping=0.1)[0], 0.3, 0.4)
    there, z = random_step(beam(order, shape, damping=0.1)[0], 0.3, 0.4)
    state, workspace, system = there.state, there.scheme.workspace, there.system
    state.u[:], state.r[:] = shift + here.state.u @ turn.T, turn @ here.state.r
    there.scheme.load_state()
    there.scheme.begin(0.3)
    x = here.scheme.workspace.x.reshape(-1, 4, 3).copy()
    x[:, [0, 2]] = x[:, [0, 2]] @ turn.T
    pack(x.reshape(-1, 12), system.equation, z)
    pack(workspace.multipliers, system.constraint_equation, z)
    there.scheme.residual(z, np.empty_like(z))
    for name in ("force_m", "force_f"):
        one = getattr(here.scheme.workspace, name)
        assert np.abs(one).max() > 1.0
        assert getattr(workspace, name) == pytest.approx(one @ turn.T, abs=1e-13 * np.abs(one).max())


# -- closed forms ----------------------------------------------------------------------------------------------


def _deformed(order: int, strain: Array, elements: int = 1) -> Array:
    """Recorded strains of a straight beam of 1 m whose nodes are placed on the helix of constant strain."""
    model = Model()
    handle = model.add(Beam(section(), line=Straight((0, 0, 0), (1, 0, 0)), elements=elements, order=order))
    sim = simulation(model, 0.1)
    rotation = handle.start.rotation
    force, bend = np.array([1.0, 0, 0]) + strain[:3], strain[3:]
    fine, weights = np.polynomial.legendre.leggauss(20)
    for node in handle.nodes:
        s = float(node.position[0])
        turn = rotation @ rotation_from_vector(s * bend)
        way = sum(
            0.5 * s * w * rotation_from_vector(0.5 * s * (1 + p) * bend) @ force
            for p, w in zip(fine, weights, strict=True)
        )
        sim.state.r[node.index] = turn
        sim.state.u[node.index] = rotation @ way + turn @ sim.scheme.workspace.centre[node.index]
    sim.scheme.load_state()
    return sim.outputs()["section_strain"]


@pytest.mark.parametrize("order", ORDERS)
def test_stretch_and_shear_are_exact(order: int) -> None:
    strain = np.array([0.3, -0.2, 0.1, 0, 0, 0])
    assert _deformed(order, strain) == pytest.approx(np.tile(strain, (order - 1, 1)), abs=1e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0.6, -0.48, 0.64)])
@pytest.mark.parametrize("angle", [0.8, 2.5, 3.1])
def test_curvature_of_two_nodes(axis: tuple[float, float, float], angle: float) -> None:
    """It is the angle but for the fifth order, and grows without bound towards half a turn: no element can fold."""
    strain = np.concatenate([np.zeros(3), angle * np.array(axis)])
    found, expected = _deformed(2, strain)[0, 3:], (np.sin(angle) + 4 * np.tan(angle / 2)) / 3
    assert found == pytest.approx(expected * np.array(axis), rel=1e-11, abs=1e-13)
    assert expected >= angle and (angle > 1 or expected == pytest.approx(angle, rel=angle**4 / 100))


@pytest.mark.parametrize("order", ORDERS)
def test_twist_does_not_stretch(order: int) -> None:
    found = _deformed(order, np.array([0, 0, 0, 1.3, 0, 0]))
    assert found[:, [0, 1, 2, 4, 5]] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_bending_neither_twists_nor_shears(order: int) -> None:
    found = _deformed(order, np.array([0, 0, 0, 0, 0.9, 0]))
    assert found[:, [1, 3, 5]] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_strains_at_gauss_points_converge(order: int) -> None:
    """Of the interpolated helix, with the number of nodes of an element as order: one more than anywhere else."""
    strain = np.array([0.05, 0.03, -0.02, 0.9, -0.7, 1.1])
    counts = (3, 4, 6, 8)
    errors = [float(np.abs(_deformed(order, strain, n) - strain).max()) for n in counts]
    assert slope_of(errors, [1 / n for n in counts]) == pytest.approx(order, abs=0.2)


# -- attached to other parts -----------------------------------------------------------------------------------


def test_a_shared_node_may_be_rotated_relative_to_the_section() -> None:
    """A beam that starts at a rotated body behaves like one with its own nodes: outputs are in section axes."""

    def solve(turned: bool) -> tuple[Array, Array]:
        model = Model(gravity=(0, 0, -9.81))
        reference = line("curved")
        place, frame = reference.at(0.0)
        rotation = frame @ rotation_about((3, 1, 2), 1.9) if turned else frame
        inertia = rotation.T @ np.diag([0.3, 0.4, 0.5]) @ rotation
        body = model.add(RigidBody(1.0, inertia, place, rotation=rotation)).node
        handle = model.add(Beam(section(), start=body, line=reference, elements=2, order=3))
        model.set_velocity(handle.nodes, (0, 0, 0), (0, 2, 1), about=(0, 0, 0))
        sim = simulation(model, 0.02, 0.5)
        run(sim)
        out = sim.outputs()
        return out["position"], out["section_force"]

    for one, other in zip(solve(False), solve(True), strict=True):
        assert np.abs(one).max() > 0.1
        assert other == pytest.approx(one, abs=1e-9 * np.abs(one).max())
