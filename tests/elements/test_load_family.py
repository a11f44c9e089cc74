"""Every spring and load (`load_family`) alike: momentum, turned, K and L exchanged, both bodies one, work by hand."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import elements
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.rotations import rotation_about
from fem_mbd.joints import Clamp, DrivenRevolute
from tests.core.scheme_tools import momenta, simulation
from tests.elements.load_family import (
    AXIS,
    BETWEEN,
    FAR_K,
    FORCE,
    FROM_OUTSIDE,
    KINDS,
    MOMENT,
    PARTS_ELSEWHERE,
    Seat,
    loaded,
    seated,
)
from tests.joints.contact.two_bodies import PLACE

TURN = rotation_about((3, -1, 2), 2.2)
SPIN, RELATIVE = np.array([1.0, -2.0, 1.5]), 4.0  # rad/s, of both, and of L against K about the hinge
DT, STEPS = 1e-4, 100
FASTEST = float(np.linalg.norm(SPIN)) + RELATIVE
ROTATION = FASTEST * DT  # rad in a step
LARGEST = 40.0  # N or N m, above all forces and moments of the family, with levers of 1 m


def test_every_part_of_the_package_is_here_or_named() -> None:
    parts = {name for name in vars(elements)["__all__"] if hasattr(getattr(elements, name), "build")}
    here = {name.split(",")[0] for name in (*BETWEEN, *FROM_OUTSIDE)}
    assert parts == here | set(PARTS_ELSEWHERE)


def test_every_kind_of_part_has_a_family() -> None:
    """A new subclass of `PartKind` has to say where it is tested like the others."""
    for name in ("core", "elements", "joints", "aerodynamics", "machines"):
        package = importlib.import_module(f"fem_mbd.{name}")
        for found in pkgutil.walk_packages(package.__path__, f"fem_mbd.{name}."):
            if not found.name.endswith("__main__"):
                importlib.import_module(found.name)

    def kinds(kind: type[PartKind]) -> Iterator[type[PartKind]]:
        for own in kind.__subclasses__():
            yield own
            yield from kinds(own)

    known = {kind.__name__ for kind in kinds(PartKind) if kind.__module__.startswith("fem_mbd.")}
    assert known == set(KINDS)


def move(model: fm.Model, seat: Seat) -> None:
    """Both bodies turn about the hinge's place, L against K as well."""
    about = seat.turned(PLACE)
    model.set_velocity(seat.k, omega=seat.turned(SPIN), about=about)
    model.set_velocity(seat.l, omega=seat.turned(SPIN + RELATIVE * AXIS), about=about)


def moved(name: str, turn: Array, swapped: bool = False, steps: int = STEPS) -> tuple[fm.Result, Seat, Any]:
    """A run of a part of `BETWEEN`."""
    model, seat, handle = seated(name, turn, swapped)
    move(model, seat)
    return fm.simulate(model, steps * DT, fm.StepControl.fixed(DT)), seat, handle


@pytest.mark.parametrize("name", BETWEEN)
def test_forces_between_two_bodies_add_up_to_nothing(name: str) -> None:
    """The scheme's moments err by the square of the rotation in a step."""
    model, seat, _ = seated(name, np.eye(3))
    move(model, seat)
    sim = simulation(model, DT, STEPS * DT)
    (linear, angular), start = momenta(sim), sim.state.omega[2].copy()
    for _ in sim.steps():
        pass
    after, angular_after = momenta(sim)
    assert after == pytest.approx(linear, abs=1e-12)
    assert angular_after == pytest.approx(angular, abs=LARGEST * STEPS * DT * ROTATION**2)
    assert np.abs(sim.state.omega[2] - start).max() > 1e-3


@pytest.mark.parametrize("name", BETWEEN)
def test_a_turned_model_does_the_same(name: str) -> None:
    found = []
    for turn in (np.eye(3), TURN):
        result, seat, _ = moved(name, turn)
        found.append(np.concatenate([result.of(n).velocity[-1] @ turn for n in (seat.k, seat.l)]))
    assert found[1] == pytest.approx(found[0], abs=1e-10)


@pytest.mark.parametrize("name", BETWEEN)
def test_the_roles_of_the_two_bodies_are_alike(name: str) -> None:
    found = []
    for swapped in (False, True):
        result, seat, _ = moved(name, np.eye(3), swapped)
        found.append(np.concatenate([result.of(n).velocity[-1] for n in (seat.k, seat.l)]))
    assert found[1] == pytest.approx(found[0], abs=1e-10)


@pytest.mark.parametrize("carried", ["free in space", "by a turntable"])
@pytest.mark.parametrize("name", BETWEEN)
def test_nothing_is_lost_or_done_between_two_bodies_that_are_one(name: str, carried: str) -> None:
    """Both clamped together, turning by 0.05 rad a step about an axis along nothing."""
    model, seat, _ = seated(name, np.eye(3), allow_redundant=True)
    model.add(Clamp(seat.k, seat.l, at=PLACE))
    spin, nodes = np.array([40.0, -25.0, 55.0]), [seat.k, seat.l]
    if carried == "by a turntable":
        table = model.add(elements.RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
        model.add(DrivenRevolute(model.ground, table, at=(0, 0, 0), axis=spin, speed=np.linalg.norm(spin)))
        model.add(Clamp(table, seat.k, at=seat.k.position))
        nodes.append(table)
    model.set_velocity(nodes, omega=spin, about=(0, 0, 0))
    result = fm.simulate(model, 0.02, fm.StepControl.fixed(7e-4))
    energy = result.energy["kinetic"][-1]
    for amount in ("dissipation_viscous", "work_loads"):
        assert np.abs(result.energy[amount]).sum() < 1e-12 * energy, amount
    assert np.ptp(result.energy["elastic"]) < 1e-12 * energy


def test_recorded_forces_of_springs_do_the_work_of_the_ledger() -> None:
    """Tension times change of length, by the trapezoidal rule, is elastic energy and what the damper loses."""
    for name in ("SpringDamper", "RotationalSpringDamper"):
        result, _, handle = moved(name, np.eye(3))
        view = result.from_start.of(handle)
        path, force = (view.length, view.force) if name == "SpringDamper" else (view.angle, view.torque)
        work = 0.5 * (force[2:] + force[1:-1]) @ np.diff(path)[1:]
        energy = result.energy
        stored = energy["elastic"][-1] - energy["elastic"][0]
        # the jump of velocities within a step leaves the scheme's dissipation, of third order
        lost = (energy["dissipation_viscous"] + energy["dissipation_scheme"])[1:].sum()
        assert abs(lost) > 1e-3
        assert work == pytest.approx(stored + lost, rel=1e-4)


def test_torques_do_the_work_of_the_ledger() -> None:
    """About the hinge: of a given torque at the middle of steps times the change of angle, of a generator its power."""
    result, *_ = moved("JointTorque", np.eye(3))
    middle, hinge = result.time - 0.5 * DT, result.of("hinge")
    turned, speed = np.diff(hinge.angle, prepend=0.0), hinge.angular_velocity[:, 2]
    # the mean of torque times speed in a step is dt^2/12 of the product of their rates more
    more = 5.0 * abs(speed[-1] - speed[0]) * DT**2 / 12.0
    assert (1.0 + 5.0 * middle) @ turned == pytest.approx(result.energy["work_loads"].sum(), abs=1.5 * more)
    result, *_ = moved("Generator", np.eye(3))
    view = result.of("part")
    assert view.power.sum() * DT == pytest.approx(-result.energy["work_loads"].sum(), rel=1e-12)
    assert view.torque == pytest.approx(0.2 * view.speed, rel=1e-12)
    assert view.speed * DT == pytest.approx(np.diff(result.of("hinge").angle, prepend=0.0), rel=1e-6)
    assert view.speed[0] == pytest.approx(RELATIVE, rel=1e-3)


def start_rotating(model: fm.Model, seat: Seat, beam: Any) -> list[fm.Node]:
    """Give body or beam a spin; its nodes."""
    nodes = [seat.k] if beam is None else list(beam.nodes)
    model.set_velocity(nodes, (0.2, -0.1, 0.3) @ seat.turn.T, omega=seat.turned(SPIN), about=(0, 0, 0))
    return nodes


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_loads_give_their_impulse_and_its_moment(name: str) -> None:
    """Over 0.01 s, with force and place of the middle of each step: errors are of the square of its rotation."""
    model, seat, beam = loaded(name, np.eye(3))
    start_rotating(model, seat, beam)
    sim = simulation(model, DT, STEPS * DT)
    before = np.concatenate(momenta(sim))
    ends = [states(sim, seat, beam)]
    for _ in sim.steps():
        ends.append(states(sim, seat, beam))
    expected = np.zeros(6)
    for (x_0, r_0), (x_1, r_1) in zip(ends, ends[1:], strict=False):
        expected += DT * wrench(name, 0.5 * (x_0 + x_1), 0.5 * (r_0 + r_1), beam)
    found = np.concatenate(momenta(sim)) - before
    assert np.abs(expected).max() > 1e-3
    # a beam bends by 1e-6 m in this time
    error = LARGEST * STEPS * DT * (ROTATION**2 + (1e-6 if beam is not None else 0.0))
    assert found == pytest.approx(expected, abs=error)


def states(sim: fm.Simulation, seat: Seat, beam: Any) -> tuple[Array, Array]:
    """Place of the load (3,), for a beam its middle, and axes of the node in which a follower is given."""
    node = seat.k if beam is None else beam.nodes[len(beam.nodes) // 2]
    view = sim.of(node if beam is not None else seat.k.at_global(FAR_K))
    return np.asarray(view.position), np.asarray(view.rotation_matrix)


def wrench(name: str, place: Array, axes: Array, beam: Any) -> Array:
    """Force and moment about the origin (6,)."""
    load = FROM_OUTSIDE[name]
    if name.startswith("Moment"):
        return np.concatenate([np.zeros(3), axes @ MOMENT if load.follower else MOMENT])
    if beam is None:
        force = axes @ FORCE if load.follower else FORCE
    else:
        own = (1.0, 3.0, -2.0) if name == "TableLoad" else FORCE  # of a table in section axes 2, 3, 1
        force = beam.line.length * (axes @ own if load.follower else np.asarray(own))
    return np.concatenate([force, np.cross(place, force)])


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_turned_loads_do_the_same_and_balance(name: str) -> None:
    found = []
    for turn in (np.eye(3), TURN):
        model, seat, beam = loaded(name, turn)
        nodes = start_rotating(model, seat, beam)
        result = fm.simulate(model, STEPS * DT, fm.StepControl.fixed(DT))
        found.append(np.concatenate([result.of(node).velocity[-1] @ turn for node in nodes]))
        assert result.summary["energy"]["relative"] < 1e-12
        assert abs(result.energy["work_loads"].sum()) > 1e-4
    assert found[1] == pytest.approx(found[0], abs=1e-9)
