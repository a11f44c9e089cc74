"""Tests of initial conditions: closure, redundancy, contradictions, and projection of velocities onto constraints."""

import warnings

import numpy as np
import pytest
from scipy.linalg import qr
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from fem_mbd import InputError, Model, Node, PrescribedMotion, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.scheme.initial import RANK, InitialVelocityWarning, _dependent_rows, connected_rows
from fem_mbd.core.scheme.state import ambient_vectors
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import Beam, Material, PointMass, RigidBody, Section, Straight
from fem_mbd.joints import (
    Clamp,
    Cylindrical,
    DrivenPrismatic,
    DrivenRevolute,
    Prismatic,
    Revolute,
    RigidOffset,
    Spherical,
    Universal,
)
from tests.core.scheme_tools import column, run, simulation, worst_residual
from tests.elements.beam.beam_models import section
from tests.joints.joint_models import CASES, PASSIVE, bodies
from tests.refusals import refused


def _body(model: Model, place: tuple[float, float, float], name: str = "body") -> Node:
    return model.add(RigidBody(1.0, (0.1, 0.1, 0.1), place, name=name)).node


# -- joints that do not close ----------------------------------------------------------------------------------


def test_points_that_do_not_coincide() -> None:
    model = Model()
    body = _body(model, (1, 0, 0))
    model.add(Spherical(model.ground, body.at((-1, 0, 0.02)), name="hip"))
    refused(r"spherical joint 'hip' does not close .* points are 0\.02 m apart", simulation, model, 0.1)


def test_a_driver_that_starts_elsewhere() -> None:
    model = Model()
    body = _body(model, (1, 0, 0))
    model.add(DrivenRevolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), angle=0.3, name="crank"))
    refused(r"driven revolute joint 'crank' does not close .* start the driver", simulation, model, 0.1)
    model = Model()
    body = _body(model, (1, 0, 0))
    model.add(
        DrivenPrismatic(
            model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), displacement=lambda t: 0.1 + t, name="ram"
        )
    )
    refused(r"driven prismatic joint 'ram' does not close .* off by 0\.1", simulation, model, 0.1)


def test_prescribed_motion_that_starts_elsewhere() -> None:
    model = Model()
    body = _body(model, (1, 0, 0), "shaker")
    model.add(PrescribedMotion(body, displacement=lambda t: np.array([0.1 + t, 0, 0])))
    refused(r"node 'shaker\.node' does not start from the reference configuration", simulation, model, 0.1)


def test_closure_is_checked_by_the_size_of_the_model() -> None:
    model = Model()
    body = _body(model, (1000.0, 0, 0))
    model.add(Spherical(model.ground, body.at((-1000.0, 0, 1e-8)), name="hip"))
    assert simulation(model, 0.1).initial_message == ""


# -- redundant and missing constraints -------------------------------------------------------------------------


def four_bar(
    allow_redundant: bool, middle: type[Revolute] | type[Spherical] = Revolute
) -> tuple[Model, list[Node]]:
    """A planar four-bar linkage in the x-y plane; with four hinges three constraints are redundant."""
    model = Model(gravity=(0, -9.81, 0), allow_redundant=allow_redundant)
    corners = [np.array(c, dtype=float) for c in ((0, 0, 0), (0, 1, 0), (1.5, 1.4, 0), (2, 0, 0))]
    bars = []
    for k in range(3):
        along = corners[k + 1] - corners[k]
        turn = rotation_about((0, 0, 1), float(np.arctan2(along[1], along[0])))
        length = float(np.linalg.norm(along))
        inertia = (1e-4, length**2 / 12, length**2 / 12 + 1e-5)
        bars.append(
            model.add(RigidBody(1.0, inertia, 0.5 * (corners[k] + corners[k + 1]), rotation=turn)).node
        )
    ends = [model.ground, *bars, model.ground]
    for k in range(4):
        name = f"hinge {k}"
        if k == 2 and middle is Spherical:
            model.add(Spherical(ends[k], ends[k + 1], at=corners[k], name=name))
        else:
            model.add(Revolute(ends[k], ends[k + 1], at=corners[k], axis=(0, 0, 1), name=name))
    return model, bars


def test_redundant_constraints_are_counted_and_named() -> None:
    with pytest.raises(
        InputError, match=r"3 of 20 constraints are redundant, in .*revolute joint 'hinge \d'"
    ):
        simulation(four_bar(False)[0], 0.1)
    with pytest.raises(
        InputError, match=r"1 of 18 constraints are redundant, in .*'hinge \d'.*allow_redundant"
    ):
        simulation(four_bar(False, Spherical)[0], 0.1)


def test_two_joints_in_one_place() -> None:
    model = Model()
    body = _body(model, (1, 0, 0))
    model.add(Spherical(model.ground, body, at=(0, 0, 0), name="one"))
    model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="other"))
    refused(r"3 of 8 constraints are redundant, in .*'(one|other)'", simulation, model, 0.1)


def test_a_joint_between_held_nodes_is_redundant() -> None:
    model = Model()
    body = _body(model, (1, 0, 0))
    model.fix(body)
    model.add(Spherical(model.ground, body, at=(0, 0, 0), name="idle"))
    refused(r"3 of 3 constraints are redundant, in spherical joint 'idle'", simulation, model, 0.1)


@pytest.mark.parametrize("dt, allowed", [(0.05, 1e-6), (0.01, 1e-4), (0.001, 1e-2)])
def test_the_door_shares_its_weight_between_its_hinges(dt: float, allowed: float) -> None:
    """Two hinges of one axis, five constraints too many: the smallest multipliers that carry the door.

    The constraints' round-off, divided by dt^2, limits how well; it must not add up over the steps.
    """
    model = Model(gravity=(0, 0, -9.81), allow_redundant=True)
    door = model.add(RigidBody(20.0, (5, 4, 2), (0.4, 0, 1.0))).node
    for name, height in (("lower", 0.2), ("upper", 1.8)):
        model.add(Revolute(model.ground, door, at=(0, 0, height), axis=(0, 0, 1), name=name))
    sim = simulation(model, dt, 300 * dt)
    assert sim.system.redundant == 5
    run(sim)
    reaction = sim.outputs()["reaction"]
    weight = 20 * 9.81
    couple = 1.6 * reaction[1, 0] + reaction[:, 4].sum()
    assert couple == pytest.approx(-0.4 * weight, rel=1e-9)
    # the smallest sum of squares of forces f, -f and moments n, n with 1.6 f + 2 n = couple
    moment = couple / (1.6**2 / 2 + 2)
    force = 0.8 * moment
    assert reaction[:, 2] == pytest.approx([weight / 2] * 2, abs=allowed * weight)
    assert reaction[:, 0] == pytest.approx([-force, force], abs=allowed * weight)
    assert reaction[:, 4] == pytest.approx([moment] * 2, abs=allowed * weight)


def test_a_redundant_linkage_moves_like_one_that_is_not() -> None:
    def solve(model: Model, bars: list[Node]) -> tuple[Simulation, Array]:
        sim = simulation(model, 0.01, 1.0)
        ledger = run(sim)
        assert worst_residual(sim, ledger) < 1e-11
        assert np.abs(sim.scheme.workspace.constraints).max() < 1e-11
        return sim, np.concatenate([sim.state.u[1:], sim.state.v[1:]])

    exact, plain = _without_redundancy()
    full, found = solve(*four_bar(True))
    assert full.system.redundant == 3
    assert exact.system.redundant == 0
    assert found == pytest.approx(plain, abs=1e-8)
    # in the plane: no reaction across it
    assert np.abs(full.outputs()["reaction"][:, [2, 3, 4]]).max() < 1e-6


def _without_redundancy() -> tuple[Simulation, Array]:
    """The same linkage with a hinge, a hinge, a spherical joint and a point of the last bar on the ground's z axis."""
    model, _ = four_bar(False, Spherical)
    model.specs[next(iter(model.specs))].pop()
    last = model.nodes[-1]
    model.add(Cylindrical(model.ground, last, at=(2, 0, 0), axis=(0, 0, 1), name="slide"))
    sim = simulation(model, 0.01, 1.0)
    run(sim)
    return sim, np.concatenate([sim.state.u[1:], sim.state.v[1:]])


def test_unheld_beam_is_no_error() -> None:
    """Nothing has to be attached: a free body is a model like any other."""
    model = Model()
    model.add(Beam(section(), line=Straight((0, 0, 0), (1, 0, 0)), order=2))
    assert simulation(model, 0.1).initial_message == ""


# -- velocities ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PASSIVE)
def test_velocities_are_projected_with_least_kinetic_energy(name: str) -> None:
    """As an impact would: the change is orthogonal, in the mass, to all velocities that the joint allows."""
    model = Model()
    k, l = bodies(model)
    model.add(CASES[name].make(k, l))
    model.set_velocity(k, (1, 2, 3), (0.5, -1, 2))
    model.set_velocity(l, (-1, 0.3, 1), (2, 1, -0.5))
    with pytest.warns(InitialVelocityWarning, match=f"did not fulfil .*{name}.* changed as by an impact"):
        sim = simulation(model, 1e-4, 1e-3)
    assert "did not fulfil" in sim.initial_message
    workspace, state = sim.scheme.workspace, sim.state
    given = sim.system.reference_state()
    # linear and angular momentum of both bodies together are kept, for the joint's impulses are internal
    before, after = (
        _momenta(s.u, s.r, s.v, s.omega, workspace.mass, workspace.inertia) for s in (given, state)
    )
    assert after == pytest.approx(before, abs=1e-8)
    # kinetic energy of the change and of what is left add up to the energy given
    change = _kinetic(given.v - state.v, given.omega - state.omega, workspace.mass, workspace.inertia)
    left = _kinetic(state.v, state.omega, workspace.mass, workspace.inertia)
    assert change + left == pytest.approx(
        _kinetic(given.v, given.omega, workspace.mass, workspace.inertia), rel=1e-8
    )
    assert change > 0.01 * left
    # and now they obey: the first step takes no impact
    ledger = run(sim)
    assert column(ledger, "dissipation_scheme").max() < 1e-12 * left


def _momenta(u: Array, r: Array, v: Array, omega: Array, mass: Array, inertia: Array) -> Array:
    linear = mass[:, None] * v
    spin = np.einsum("nij,njk,nk->ni", r, inertia, omega)
    return np.concatenate([linear.sum(axis=0), (np.cross(u, linear) + spin).sum(axis=0)])


def _kinetic(v: Array, omega: Array, mass: Array, inertia: Array) -> float:
    return 0.5 * float(mass @ (v**2).sum(axis=1) + np.einsum("ni,nij,nj", omega, inertia, omega))


@pytest.mark.parametrize("name", PASSIVE)
def test_velocities_that_obey_are_left_alone(name: str) -> None:
    model = Model()
    k, l = bodies(model)
    model.add(CASES[name].make(k, l))
    model.set_velocity([k, l], (1, 2, 3), (0.5, -1, 2), about=(3, 2, 1))
    sim = simulation(model, 0.1)
    given = sim.system.reference_state()
    assert sim.initial_message == ""
    assert np.array_equal(sim.state.v, given.v) and np.array_equal(sim.state.omega, given.omega)


def test_bodies_start_with_the_speed_of_their_driver() -> None:
    model = Model()
    body = _body(model, (1, 0, 0))
    model.add(
        DrivenRevolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), angle=lambda t: 3 * t, name="crank")
    )
    with pytest.warns(InitialVelocityWarning, match=r"driven revolute joint 'crank' \(error 3\)"):
        sim = simulation(model, 0.1)
    assert sim.state.v[1] == pytest.approx((0, 3, 0), abs=1e-12)
    assert sim.state.omega[1] == pytest.approx((0, 0, 3), abs=1e-12)


def test_prescribed_motion_gives_its_own_velocity() -> None:
    model = Model()
    body = model.add(
        RigidBody(1.0, (1, 1, 1), (1, 0, 0), rotation=rotation_about((1, 0, 0), 0.5), centre=(0, 1, 0))
    ).node
    model.add(
        PrescribedMotion(
            body, displacement=lambda t: np.array([2 * t, 0, 0]), axis=(1, 0, 0), angle=lambda t: 3 * t
        )
    )
    sim = simulation(model, 0.1)
    assert sim.state.omega[1] == pytest.approx((3, 0, 0), abs=1e-9)
    arm = sim.state.u[1] - (1, 0, 0)
    assert sim.state.v[1] == pytest.approx(np.array([2, 0, 0]) + np.cross((3, 0, 0), arm), abs=1e-9)


def test_contradictory_speeds_are_named() -> None:
    """Two drivers of one body that agree in place, not in speed; and one that moves what is held."""
    model = Model(allow_redundant=True)
    body = _body(model, (1, 0, 0))
    model.add(
        DrivenRevolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), angle=lambda t: t, name="slow")
    )
    model.add(
        DrivenRevolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), angle=lambda t: 2 * t, name="fast")
    )
    refused(r"no initial velocity fulfils all constraints: .*'(slow|fast)'", simulation, model, 0.1)
    model = Model(allow_redundant=True)
    body = _body(model, (1, 0, 0))
    model.fix(body)
    model.add(
        DrivenPrismatic(
            model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), displacement=lambda t: t, name="ram"
        )
    )
    refused(
        r"no initial velocity fulfils .*'ram' contradict each other or a fixed node", simulation, model, 0.1
    )


# -- bad joints ------------------------------------------------------------------------------------------------


def test_joints_refuse_bad_input_by_name() -> None:
    model = Model()
    body = _body(model, (1, 0, 0), "arm")
    with pytest.raises(
        InputError, match=r"universal joint 'cross': its axes make 45 degrees, they must make 90"
    ):
        Universal(model.ground, body, axis_k=(1, 0, 0), axis_l=(1, 1, 0), name="cross")
    with pytest.raises(InputError, match=r"axis of universal joint 'cross'"):
        Universal(model.ground, body, axis_k=(1, 0, 0), axis_l=(0, 0, 0), name="cross")
    with pytest.raises(InputError, match=r"axis of revolute joint 'hinge' is the zero vector"):
        model.add(Revolute(model.ground, body, axis=(0, 0, 0), name="hinge"))
    with pytest.raises(InputError, match=r"axis of prismatic joint 'rail' has entries that are not finite"):
        model.add(Prismatic(model.ground, body, axis=(0, np.nan, 1), name="rail"))
    with pytest.raises(InputError, match=r"driven revolute joint 'crank': give its angle"):
        DrivenRevolute(model.ground, body, axis=(0, 0, 1), name="crank")
    with pytest.raises(InputError, match=r"driven prismatic joint 'ram': give its displacement"):
        DrivenPrismatic(model.ground, body, axis=(0, 0, 1), name="ram")
    for joint in (Spherical, Clamp, RigidOffset):
        with pytest.raises(InputError, match=r"joint 'J(-\d)?' joins node 'arm\.node' to itself"):
            model.add(joint(body, body.at((1, 0, 0)), name="J"))


def test_clamp_to_the_ground_holds_the_node() -> None:
    model = Model(gravity=(0, 0, -9.81))
    body = _body(model, (1, 0, 0))
    assert model.add(Clamp(model.ground, body)) is None
    model.add(PointMass(1.0, position=(2, 0, 0)))
    sim = simulation(model, 0.1)
    run(sim)
    assert sim.state.u[1] == pytest.approx((1, 0, 0))
    assert sim.system.constraints == 0
    assert sim.outputs()["support"][0, :3] == pytest.approx((0, 0, 9.81))


@pytest.mark.parametrize("exponent", range(1, 14))
def test_rows_that_nearly_depend_on_others_are_told_by_their_new_part(exponent: int) -> None:
    """One row is the mean of two others, 0.7 long, but for a part of 10^-exponent, 1.4 10^-exponent of its length."""
    rows = np.linalg.qr(np.random.default_rng(exponent).standard_normal((12, 12)))[0][:6]
    rows[3] = 0.5 * rows[0] + 0.5 * rows[1] + 10.0**-exponent * rows[3]
    scaled = rows * 10.0 ** np.arange(-3.0, 3.0)[:, None]  # in whatever units
    pivots = np.abs(
        qr((rows / np.linalg.norm(rows, axis=1, keepdims=True)).T, mode="r", pivoting=True)[0].diagonal()
    )
    assert len(_dependent_rows(scaled)) == (pivots <= RANK).sum() == (exponent > 9)


# -- sets of constraints -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_rows_with_columns_in_common_are_connected(seed: int) -> None:
    """Against SciPy's connected components of the graph of rows and columns."""
    rng, rows, columns = np.random.default_rng(seed), 60, 50
    row, column = rng.integers(0, rows, 45), rng.integers(0, columns, 45)
    graph = csr_matrix((np.ones(45), (row, rows + column)), shape=(rows + columns,) * 2)
    _, group = connected_components(graph, directed=False)
    first = [int(np.flatnonzero(group[:rows] == one)[0]) for one in group[:rows]]
    assert connected_rows(row, column, rows, columns).tolist() == first


def test_rows_of_a_long_loop_in_any_order_are_connected() -> None:
    rng, count = np.random.default_rng(1), 3000
    place, row = rng.permutation(count), rng.permutation(count)
    column = np.concatenate([place, np.roll(place, 1)])
    assert not connected_rows(np.concatenate([row, row]), column, count, count).any()


def test_a_rotor_without_a_centre_of_its_rotation_is_asked_about() -> None:
    """A beam of 2 m that spins: the velocity of its tip is omega r with a centre, 0 without."""
    for about, asks in (((0, 0, 0), False), (None, True)):
        model = Model()
        section = Section.circle(0.02, Material(2e9, 0.3, 1200))
        blade = model.add(Beam(section, (0, 0, 0), (2, 0, 0), elements=2, name="blade"))
        if about is None:
            with pytest.raises(InputError, match="give about=POINT"):
                model.set_velocity(blade, omega=(0, 0, 3.0))
        for nodes in [blade] if about else blade.nodes:
            model.set_velocity(nodes, omega=(0, 0, 3.0), about=about)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            sim = Simulation(model, 0.1, StepControl.fixed(0.01))
        said = [str(one.message) for one in told if "did you mean" in str(one.message)]
        assert bool(said) is asks and all("about=POINT" in text for text in said)
        assert sim.state.v[-1, 1] == pytest.approx(0.0 if asks else 6.0)


def test_vectors_of_a_state_are_such_as_kernels_take() -> None:
    """In C order: arguments of other types are taken by the kernel's Python, a hundred times slower."""
    state = System(four_bar(True)[0]).reference_state()
    q = ambient_vectors(state)
    assert q.flags.c_contiguous
    assert q[:, 0] == pytest.approx(state.u) and q[:, 1:] == pytest.approx(np.swapaxes(state.r, 1, 2))
