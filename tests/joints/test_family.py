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
    ELSEWHERE,
    PARTS,
    RUBBER,
    RUBBING,
    STEEL,
    Seat,
    contacts_of,
    move,
    seated,
)
from tests.refusals import refused

TURN = rotation_about((3, -1, 2), 2.2)
SPIN = np.array([40.0, -25.0, 55.0])  # rad/s
AXIS = SPIN / np.linalg.norm(SPIN)
FORCE = 100.0  # N, of a contact, about


def test_the_family_has_every_joint_and_contact() -> None:
    known = {name for name in vars(joints)["__all__"] if hasattr(getattr(joints, name), "build")}
    assert known - {"Joint", "Contact"} == set(PARTS) | set(ELSEWHERE)


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


@pytest.mark.parametrize("name", ["SphereOnSphere", *sorted(set(RUBBING) - {"Universal", "Prismatic"})])
def test_the_roles_of_the_two_bodies_are_alike(name: str) -> None:
    """K and L exchanged: the same motion, but for the axes of friction in a joint, which are those of K.

    A guide with flat faces has one body inside the other, a universal joint an axis on each.
    """
    found = []
    for swapped in (False, True):
        model = fm.Model()
        seat = Seat(*two_bodies(model), np.eye(3))
        move(model, seat, name)
        make = _two_balls if swapped and name == "SphereOnSphere" else PARTS[name]
        model.add(make(replace(seat, k=seat.l, l=seat.k) if swapped and name in RUBBING else seat, RUBBER))
        result = fm.simulate(model, 2e-4, fm.StepControl.fixed(1e-5))
        found.append(np.concatenate([result.of(node).velocity[-1] for node in (seat.k, seat.l)]))
    assert found[1] == pytest.approx(found[0], abs=1e-7)


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
