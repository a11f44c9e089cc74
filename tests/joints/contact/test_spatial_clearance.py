"""The spatial clearance joint: common motions, planar limit, bristles, centred disks, a second program, bad input."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model, Simulation, SolverFailure
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.workspace import Configuration
from fem_mbd.core.rotations import rotation_about, rotation_from_vector
from fem_mbd.core.scheme.nodes.node_map import node_configuration, pull_back
from fem_mbd.elements import RigidBody
from fem_mbd.friction import Frictionless, HuntCrossley, Linear, LuGre
from fem_mbd.friction.records import FrictionLaw
from fem_mbd.joints import Planar, PlanarClearance, SpatialClearance, SphericalClearance
from fem_mbd.joints.contact import forces as contact_kernels
from fem_mbd.joints.contact.contact_kinematics import CONTACT, DISK_IN_CYLINDER, Contacts, Histories
from tests.core.scheme_tools import column, now, pulled_back, rigid_step, run, simulation, worst_residual
from tests.joints.contact.clearance_models import AXIS, RADIUS_K, RADIUS_L, Setting
from tests.joints.contact.two_bodies import FRICTION, closed_step, contacts, restarted


def test_a_common_motion_of_both_bodies_is_no_work_and_no_slip() -> None:
    """Gap and slip are the same to round-off in any rigid motion, however large."""
    for size in (0.2, 0.8):
        sim, _, kind = closed_step(Setting(), 1e-3)
        rigid_step(sim, np.random.default_rng(7), size)
        rows = pulled_back(sim, kind)
        r = kind.records[0]
        assert r["gap_f"] == pytest.approx(r["gap_i"], abs=1e-15)
        assert np.abs(r["slip"]).max() < 1e-15
        taken = float((rows * sim.scheme.workspace.x).sum())
        assert taken == pytest.approx(r["normal_force"] * r["mu"] @ r["slip"], abs=1e-13)


def in_the_plane(spatial: bool, friction: FrictionLaw, held: bool) -> Simulation:
    """A ring, fixed or free, and a disk with gravity that rolls and slides in it; planar in both formulations."""
    model = Model(gravity=(0, -9.81, 0))
    ring = model.add(RigidBody(3.0, (0.02, 0.02, 0.04), (0, 0, 0))).node
    disk = model.add(RigidBody(1.0, (0.001, 0.001, 0.002), (3e-4, -3.9e-4, 0))).node
    if held:
        model.fix(ring)
    model.set_velocity(disk, (0.05, 0, 0), (0, 0, 4.0))
    normal = HuntCrossley(Linear(1e6), 0.1)
    if spatial:
        model.add(Planar(ring, disk, direction=(0, 0, 1)))
        model.add(SpatialClearance(ring, disk, RADIUS_K, RADIUS_L, normal, friction, axis=(0, 0, 1)))
    else:
        model.add(PlanarClearance(ring, disk, RADIUS_K, RADIUS_L, normal, friction, axis=(0, 0, 1)))
    return simulation(model, 5e-5, 0.03)


@pytest.mark.parametrize("friction", [Frictionless(), FRICTION], ids=["frictionless", "LuGre"])
@pytest.mark.parametrize("held", [True, False], ids=["ring held", "ring free"])
def test_in_the_plane_it_is_the_planar_joint(friction: FrictionLaw, held: bool) -> None:
    """The same to round-off, the ring held or free."""
    runs = []
    for spatial in (False, True):
        sim = in_the_plane(spatial, friction, held)
        ledger = run(sim)
        assert np.count_nonzero(column(ledger, "contact")) > 100
        runs.append((sim.state.u[1:], sim.state.r[1:], sim.state.v[1:], sim.state.omega[1:]))
    for a, b in zip(*runs, strict=True):
        assert b == pytest.approx(a, abs=2e-9)


def test_bristles_around_the_cylinder_and_along_it() -> None:
    """Sticking of a disk rotated relative to the cylinder: bristles along d2 and d3, for any contact direction."""
    for angle in (0.3, 2.5, 5.0):
        sim, y, kind = closed_step(Setting(angle=angle, tilt=0.0), 1e-3)
        kind.history["bristles"][0, 0] = (0.0, 2e-6, -1e-6)
        sim.scheme.residual(0 * y, np.empty_like(y))
        sigma = FRICTION.sigma_0
        r = kind.records[0]
        frame = _surface_frame(sim, -r["normal"])
        assert frame.T @ r["mu"] == pytest.approx((0.0, 2e-6 * sigma, -1e-6 * sigma), rel=1e-5, abs=1e-12)
        # common rotation of cylinder and disk: bristle components are constant, the force rotates
        turn = 0.01 * np.array([0.6, -0.48, 0.64])
        workspace, state = sim.scheme.workspace, sim.state
        workspace.x[1:, :3] = state.u[1:] @ (
            rotation_about(turn, 2 * np.arctan(0.5 * 0.01 * (1 + 0.01**2 / 12))).T - np.eye(3)
        )
        workspace.x[1:, 3:6] = turn @ state.r[1:]
        pulled_back(sim, kind)
        assert kind.z_f[0, 0] == pytest.approx((0.0, 2e-6, -1e-6), abs=2e-9)


def _surface_frame(sim: Simulation, normal: Array) -> Array:
    """(d1, d2, d3) at the contact; the cylinder's axis is third."""
    axis = sim.state.r[1] @ contacts(sim).records[0]["axes_k"][:, 2]
    return np.stack([normal, np.cross(axis, normal), axis], axis=1)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, 0.02])
def test_a_centred_disk_is_regular(tilt: float) -> None:
    """Centred at rest: no contact, no undefined direction; an initial velocity then moves it to the wall."""
    model = Setting(gap=None, tilt=tilt, along=0.0).model(ground=True)
    sim = simulation(model, 1e-3, 0.01)
    ledger = run(sim)
    assert np.isfinite(ledger).all() and (column(ledger, "contact") == 0.0).all()
    assert np.isfinite(sim.outputs()["contact"]["normal"]).all()
    assert sim.outputs()["contact"]["gap_f"][0] == pytest.approx(RADIUS_K - RADIUS_L, abs=1e-14)
    sim = simulation(model, 1e-3, 0.05)
    sim.state.v[2] = (0.1, 0.2, -0.1)
    ledger = run(restarted(sim))
    assert np.isfinite(ledger).all() and column(ledger, "contact").max() > 0.0
    assert worst_residual(sim, ledger) < 1e-12


def test_rows_of_contacts_of_several_kinds() -> None:
    model = Model()
    bodies = [model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.1 * k))).node for k in range(3)]
    spatial = model.add(SpatialClearance(model.ground, bodies[0], 0.02, 0.01, Linear(1e5), axis=(0, 0, 1)))
    other = model.add(SphericalClearance(bodies[1], bodies[2].at((0, 0, -0.1)), 0.02, 0.01, Linear(1e5)))
    second = model.add(SpatialClearance(bodies[1], bodies[2], 0.03, 0.01, Linear(1e5), axis=(0, 0, 1)))
    found = now(simulation(model, 0.1))
    for handle, gap in ((spatial, 0.01), (other, 0.01), (second, 0.02)):
        assert found.of(handle).gap == pytest.approx(gap)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"radius_l": 0.06}, "does not fit"),
        ({"disk_axis": (1, 0, 0)}, "90 degrees from the cylinder's"),
        ({"axis": (0, 0, 0)}, "axis of clearance joint 'bush'"),
        ({"axis": None}, "clearance joint 'bush': give its axis in global axes"),
        ({"l": (0.07, 0, 5.0)}, "0.07 m from the cylinder's axis"),
    ],
)
def test_bad_input(changed: dict[str, Any], message: str) -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.3))).node
    options: dict[str, Any] = {
        "k": model.ground,
        "l": (0, 0, 0.3),
        "radius_k": 0.05,
        "radius_l": 0.049,
        "name": "bush",
        "axis": (0, 0, 1),
    }
    options |= changed
    options["l"] = body.at_global(options["l"])
    with pytest.raises(InputError, match=message):
        model.add(SpatialClearance(normal=Linear(1e6), friction=FRICTION, **options))


def test_a_planar_joint_asks_for_its_axis() -> None:
    body = Model().add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    with pytest.raises(InputError, match="clearance joint 'pin': give its axis in global axes"):
        PlanarClearance(Model().ground, body, 0.02, 0.01, Linear(1e5), name="pin")


def test_rows_against_a_second_program() -> None:
    """A step with tilt and slip; numbers from an independent program of the same equations, K at rest."""
    rng = np.random.default_rng(4)
    r_k = rotation_from_vector(rng.normal(size=3))
    r_l = r_k @ rotation_from_vector((0.05, -0.03, 0.4))
    arms = np.array([[0.01, 0.02, 0.03], [0.02, -0.01, 0.015]])
    u_k = rng.normal(size=3)
    u_l = u_k + r_k @ arms[0] + r_k @ (0.6 * 0.000578, 0.8 * 0.000578, 0.01) - r_l @ arms[1]
    rng.normal(size=12)
    x = np.stack([np.zeros(12), 1e-4 * rng.normal(size=12)])
    x[1, :3] *= 0.1
    record = np.zeros(1, CONTACT)
    record["nodes"], record["arm"] = [0, 1], arms
    record["form"], record["in_frame"] = DISK_IN_CYLINDER, 1
    record["radius_k"], record["radius_l"] = RADIUS_K, RADIUS_L
    record["axes_k"], record["axis_l"] = np.eye(3), (0, 0, 1)
    r = np.stack([r_k, r_l])
    q = np.concatenate([np.stack([u_k, u_l])[:, None], r.transpose(0, 2, 1)], axis=1)
    contact_kernels.begin(record, q)
    law = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02, v_eps=1e-7)
    rows, z_f, normal = np.zeros((2, 12)), np.zeros((1, 1, 3)), Linear(1e6)
    none, forces = np.zeros(1), np.zeros((2, 4, 3))
    end, rate, r_f = np.empty((2, 4, 3)), np.empty((4, 3)), np.empty((2, 3, 3))
    for n in range(2):
        node_configuration(x[n], r[n], q[n], end[n], rate, r_f[n])
    contacts = Contacts(record, normal.record()[None], law.record()[None])
    past, nodes = Histories(z_f.copy(), none, none, none), Configuration(x, r, q, r_f, end)
    contact_kernels.residual(contacts, past, 1e-3, nodes, forces, rows, z_f)
    pull_back(x[1], r[1], r_f[1], forces[1], np.zeros((4, 3)), rows[1])
    assert record["normal_force"][0] == pytest.approx(6.182493073563, rel=1e-9)
    assert record["gap_f"][0] == pytest.approx(-7.47276406980147e-06, abs=1e-15)
    expected = (
        -4.2664803165983, 1.7041174412376, -4.4397317626929, -6.9858692858114e-02, 0.17026357526181, 0.18014887410967,
        0.0, 0.0, 0.0, -1.1460096355832e-06, -1.4198937414986e-06, 5.3683150170753e-07,
    )  # fmt: skip
    assert rows[1] / 1e-6 == pytest.approx(expected, abs=1e-9)


def test_a_disk_that_lies_across_its_cylinder_ends_the_run() -> None:
    """Beyond the largest tilt it would touch at two points, and the deeper one change from step to step."""
    sim = simulation(Setting(tilt=0.0).model(ground=True), 1e-3)
    sim.state.r[2] = rotation_about(np.cross(AXIS, (1, 0, 0)), np.radians(75)) @ sim.state.r[2]
    sim.scheme.load_state()
    sim.system.workspace.q_f[:] = sim.system.workspace.q_i
    with pytest.raises(SolverFailure, match=r"tilt of a disk in its cylinder 1\.3.* too soft for the load"):
        sim.ranges.check_state()
