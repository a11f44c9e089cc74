"""Every joint and contact that rubs (`family.PARTS`) alike: in rigid motions, turned, swapped, between free bodies."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import joints
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import PointMass, RigidBody
from fem_mbd.friction import Frictionless
from fem_mbd.joints import Clamp, DrivenRevolute
from tests.core.scheme_tools import momenta, simulation
from tests.joints.contact.two_bodies import PLACE, two_bodies
from tests.joints.family import (
    CONTACTS,
    DEPTH,
    DRIVELINES,
    ELSEWHERE,
    PARTS,
    RUBBER,
    RUBBING,
    STEEL,
    Seat,
    contacts_of,
    move,
    rubbing,
    seated,
)
from tests.refusals import refused

TURN = rotation_about((3, -1, 2), 2.2)
SPIN = np.array([40.0, -25.0, 55.0])  # rad/s
AXIS = SPIN / np.linalg.norm(SPIN)
FORCE = 100.0  # N, of a contact, about


def test_the_family_has_every_joint_and_contact() -> None:
    known = {name for name in vars(joints)["__all__"] if hasattr(getattr(joints, name), "build")}
    assert known - {"Joint", "Contact"} - DRIVELINES == set(PARTS) | set(ELSEWHERE)


def rubbed(result: fm.Result, handle: Any) -> tuple[Array, Array]:
    """All slip velocities and friction forces of a part in a run."""
    of = [result.of(c) for c in contacts_of(handle)] or [result.of(handle).friction]
    slip = np.concatenate([np.ravel(o.slip_velocity) for o in of])
    return slip, np.concatenate([np.ravel(o.friction_force) for o in of])


@pytest.mark.parametrize("carried", ["free in space", "by a turntable"])
@pytest.mark.parametrize("name", PARTS)
def test_nothing_slips_rubs_or_loses_between_two_bodies_that_are_one(name: str, carried: str) -> None:
    """Both clamped together and turning by 0.07 rad a step about an axis along nothing."""
    model, seat, handle = seated(name, allow_redundant=True)
    model.add(Clamp(seat.k, seat.l, at=PLACE))
    nodes = [seat.k, seat.l]
    if carried == "by a turntable":
        table = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
        model.add(
            DrivenRevolute(model.ground, table, at=(0, 0, 0), axis=AXIS, speed=float(np.linalg.norm(SPIN)))
        )
        model.add(Clamp(table, seat.k, at=seat.k.position))
        nodes.append(table)
    model.set_velocity(nodes, omega=SPIN, about=(0, 0, 0))
    result = fm.simulate(model, 0.03, fm.StepControl.fixed(1e-3))
    slip, friction = rubbed(result, handle)
    assert np.abs(slip).max() < 1e-11
    assert np.abs(friction).max() < 1e-5 * FORCE
    energy = result.energy["kinetic"][-1]
    for lost in ("dissipation_friction", "dissipation_contact", "dissipation_viscous"):
        assert np.abs(result.energy[lost]).sum() < 1e-12 * energy, lost
    if (
        carried == "by a turntable"
    ):  # its motor supplies what the scheme dissipates in turning unbalanced bodies
        driven = result.energy["work_drivers"] - result.energy["dissipation_scheme"]
        assert np.abs(driven).sum() < 1e-10 * energy
    assert name in RUBBING or max(result.of(c).normal_force[-1] for c in contacts_of(handle)) > 1.0


WITH_OTHER_FORCES = ("PlanarClearance", "LubricatedJournal")  # a planar joint, a film of oil


@pytest.mark.parametrize("name", CONTACTS)
def test_momentum_is_kept_and_recorded_forces_are_those_on_the_body(name: str) -> None:
    """Free bodies that slip: momentum and angular momentum are constant, L's changes by normal and friction force."""
    model, seat, _ = seated(name)
    move(model, seat, name)
    dt, steps = 1e-5, 20
    sim = simulation(model, dt, steps * dt)
    linear, angular = momenta(sim)
    start, impulse, rubbing = sim.state.v[2].copy(), np.zeros(3), 0.0
    for record in sim.steps():
        for contact in record.contacts:
            impulse += dt * (contact["normal_force"] * contact["normal"] + contact["friction_force"])
            rubbing = max(rubbing, float(np.linalg.norm(contact["friction_force"])))
    after, angular_after = momenta(sim)
    assert after == pytest.approx(linear, abs=1e-13)
    # the scheme's error of torques in a step is 5e-10; friction at two points, 0.1 mm apart, would leave 1e-6
    assert angular_after == pytest.approx(angular, abs=2e-9)
    assert rubbing > 0.5
    if name not in WITH_OTHER_FORCES:
        assert 1.0 * (sim.state.v[2] - start) == pytest.approx(impulse, abs=1e-5 * FORCE * steps * dt)


@pytest.mark.parametrize("name", PARTS)
def test_a_turned_model_does_the_same(name: str) -> None:
    found = []
    for turn in (np.eye(3), TURN):
        model, seat, handle = seated(name, turn=turn)
        move(model, seat, name)
        result = fm.simulate(model, 2e-4, fm.StepControl.fixed(1e-5))
        slip, friction = rubbed(result, handle)
        if name in CONTACTS:
            slip, friction = (np.ravel(v.reshape(-1, 3) @ turn) for v in (slip, friction))
        lost = result.energy["dissipation_friction"].sum()
        found.append((slip, friction, lost, result.of(seat.l).velocity @ turn))
    for a, b in zip(*found, strict=True):
        assert np.abs(a).max() > 0.0
        assert b == pytest.approx(a, abs=1e-7 * np.abs(a).max())


def _two_balls(seat: Seat, law: Any) -> Any:
    return joints.SphereOnSphere(seat.on_l(0, 0, 0.08 - DEPTH), seat.on_k(), 0.05, 0.03, STEEL, law)


def _exchanged(name: str) -> Any:
    """The part with K and L exchanged: function of a seat, whose k is L, and of a law."""
    if name == "SphereOnSphere":
        return lambda seat, law: _two_balls(replace(seat, k=seat.l, l=seat.k), law)
    if name == "Universal":  # each body keeps its own axis of the cross
        return rubbing(joints.Universal, axis_k="across", axis_l="along")
    if name == "Prismatic":  # the body that was the guide is L, around the other
        return rubbing(joints.Prismatic, "outer", axis="normal", first="along")
    return PARTS[name]


# of what friction does: a reaction is taken at L's point, axes of friction are those of K; against the other's they
# move in 0.2 ms by 6e-5 m of the smallest size of 0.1 m (a sliding joint at 0.3 m/s), or by 8e-4 rad (4 rad/s)
EXCHANGED = {"SphereOnSphere": 0.0} | dict.fromkeys(RUBBING, 8e-4)
HARDLY = replace(RUBBER, mu_s=1e-9, mu_k=1e-9)
NOT_ALIKE = {
    "PointOnPlane": "the plane is K's",
    "SphereOnPlane": "the plane is K's",
    "DiskOnPlane": "the plane is K's",
    "FaceOnPlane": "the plane is K's",
    "SphericalClearance": "the socket is K's, the ball is L's",
    "PlanarClearance": "the ring is K's, the disk is L's",
    "SpatialClearance": "the cylinder is K's, the disk is L's",
    "JournalBearing": "the bearing is K's, the journal is L's",
    "RevoluteClearance": "the bearing is K's, the journal is L's",
    "LubricatedJournal": "the bearing is K's, the journal is L's",
}


def test_every_part_has_roles_that_are_alike_or_a_reason() -> None:
    assert set(PARTS) == set(EXCHANGED) | set(NOT_ALIKE)


def _velocities(name: str, make: Any, swapped: bool = False, l_first: bool = False, law: Any = RUBBER) -> Any:
    """(12,) of both bodies after 0.2 ms, m/s and rad/s."""
    model = fm.Model()
    seat = Seat(*two_bodies(model, l_first=l_first), np.eye(3))
    move(model, seat, name)
    model.add(make(replace(seat, k=seat.l, l=seat.k) if swapped else seat, law))
    result = fm.simulate(model, 2e-4, fm.StepControl.fixed(1e-5))
    views = [result.of(node) for node in (seat.k, seat.l)]
    return np.concatenate([v[-1] for view in views for v in (view.velocity, view.angular_velocity)])


@pytest.mark.parametrize("name", EXCHANGED)
def test_the_roles_of_the_two_bodies_are_alike(name: str) -> None:
    """K and L exchanged: the same motion."""
    as_it_is = _velocities(name, PARTS[name])
    by_friction = np.abs(as_it_is - _velocities(name, PARTS[name], law=HARDLY)).max()
    assert 1e-5 < by_friction < 1.0
    exchanged = _velocities(name, _exchanged(name), swapped=True)
    assert exchanged == pytest.approx(as_it_is, abs=1e-12 + EXCHANGED[name] * by_friction)


@pytest.mark.parametrize("name", PARTS)
def test_the_order_of_the_bodies_in_the_model_does_not_matter(name: str) -> None:
    """L's node comes first: the same motion to round-off of forces of 100 N."""
    as_it_is = _velocities(name, PARTS[name])
    assert _velocities(name, PARTS[name], l_first=True) == pytest.approx(as_it_is, abs=1e-12)


NO_MOMENT = {("PointOnPlane", "l")}  # a point mass can be there, with friction
BALLS = {("SphereOnPlane", "l")} | {
    (name, side) for name in ("SphereOnSphere", "SphericalClearance") for side in "kl"
}


class Bead(Seat):
    """A seat whose K or L is a point mass, which is made where the contact is."""

    model: fm.Model
    side: str
    made: dict[str, fm.Node]

    def __init__(self, model: fm.Model, side: str):
        super().__init__(model.ground, model.ground, np.eye(3))
        for name, value in (("model", model), ("side", side), ("made", {})):
            object.__setattr__(self, name, value)

    def on_k(self, *from_place: float) -> Any:
        return self._made("k", super().on_k(*from_place).position)

    def on_l(self, *from_place: float) -> Any:
        return self._made("l", super().on_l(*from_place).position)

    def _made(self, side: str, position: Array) -> fm.Point:
        if side not in self.made:
            bead = side == self.side
            part = PointMass(1.0, position, name="bead") if bead else RigidBody(1.0, (1, 1, 1), position)
            self.made[side] = self.model.add(part).node
        return self.made[side].at_global(position)


@pytest.mark.parametrize("side", ["k", "l"])
@pytest.mark.parametrize("name", CONTACTS)
def test_a_point_mass_is_refused_where_a_moment_would_be_lost(name: str, side: str) -> None:
    """A point on a plane has none; a ball has none without friction."""
    for law in (RUBBER, Frictionless()):
        model = fm.Model()
        if name == "LubricatedJournal" and law is not RUBBER:
            continue
        part = CONTACTS[name](Bead(model, side), law)
        if (name, side) in NO_MOMENT or ((name, side) in BALLS and law is not RUBBER):
            model.add(part)
        else:
            refused(r"node 'bead\.node'", model.add, part)
