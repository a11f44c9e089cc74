"""Every spring and load, between two bodies or on a beam in general position; `test_load_family` tests them alike."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd import Model, Node
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.elements import (
    Beam,
    DistributedLoad,
    Force,
    FreePlay,
    FrictionDamper,
    Generator,
    JointTorque,
    LineLoad,
    Moment,
    OrificeDamper,
    RotationalSpringDamper,
    Section,
    SpeedController,
    SpringDamper,
    TableLoad,
)
from fem_mbd.elements.loads.load_table import LoadTable
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import Revolute
from tests.joints.contact.two_bodies import PLACE, two_bodies

TRIAD = triad_with_third((0.48, -0.6, 0.64))
AXIS = TRIAD[:, 2]
FORCE, MOMENT = np.array([3.0, -2.0, 1.0]), np.array([0.3, 0.2, -0.4])
FAR_K, FAR_L = np.array([-0.3, 0.2, 0.4]), np.array([0.9, -0.1, 0.3])  # m, points of K and of L


@dataclass(frozen=True)
class Seat:
    """The two bodies, and how the model is turned."""

    k: Node
    l: Node
    turn: Array

    def turned(self, v: Any) -> Array:
        """A direction or place turned with the model."""
        return np.asarray(self.turn @ np.asarray(v))

    @property
    def far(self) -> tuple[Any, Any]:
        """Points of K and of L off both mass centres."""
        return self.k.at_global(self.turned(FAR_K)), self.l.at_global(self.turned(FAR_L))


Make = Callable[[Model, Seat, bool], Any]  # the last: K and L exchanged


# as of a smooth law: stops that are touched, an open relief valve, bristles
BESIDE = (
    FreePlay((-0.01, 0.0), Linear(300.0)),
    OrificeDamper(2.0, relief=1e-3, slope=0.3),
    FrictionDamper(LuGre(sigma_0=20.0, sigma_1=1.0, mu_s=0.3, mu_k=0.3, v_s=1e-2), 2.0),
)


def _points(stiffness: float, damping: float, parallel: Any = ()) -> Make:
    def make(model: Model, seat: Seat, swapped: bool) -> Any:
        k, l = seat.far[::-1] if swapped else seat.far
        spring = SpringDamper(
            k, l, stiffness, damping, length=1.1, cubic=50.0, parallel=parallel, name="part"
        )
        return model.add(spring)

    return make


def _about_axis(kind: Any, *values: Any, **options: Any) -> Make:
    """A part about the axis of a hinge; exchanged, about the opposite axis: L relative to K is K relative to L."""

    def make(model: Model, seat: Seat, swapped: bool) -> Any:
        axis, pair = seat.turned(AXIS), (seat.k, seat.l)
        model.add(Revolute(*pair, at=seat.turned(PLACE), axis=axis, name="hinge"))
        pair, axis = (pair[::-1], -axis) if swapped else (pair, axis)
        return model.add(kind(*pair, axis, *values, **options, name="part"))

    return make


def braking(speed: float) -> tuple[float, float]:
    """0.2 N m s times the speed: torque and derivative."""
    return 0.2 * speed, 0.2


# between two bodies: forces and moments add up to zero
BETWEEN: dict[str, Make] = {
    "SpringDamper": _points(120.0, 1.5),
    "SpringDamper, parallel": _points(120.0, 1.5, BESIDE),
    "RotationalSpringDamper": _about_axis(RotationalSpringDamper, 2.0, 0.05),
    "RotationalSpringDamper, parallel": _about_axis(RotationalSpringDamper, 2.0, 0.05, parallel=BESIDE),
    "JointTorque": _about_axis(JointTorque, lambda t: 1.0 + 5.0 * t),
    "Generator": _about_axis(Generator, braking),
    "SpeedController": _about_axis(SpeedController, 3.0, 0.2, 1.0),
}


@dataclass(frozen=True)
class Load:
    """A load from outside on K, or on the beam; ``follower``: its components are in axes that turn with its node."""

    make: Callable[[Seat, Any], Any]
    on_beam: bool = False
    follower: bool = False


def _load_table(seat: Seat, beam: Any) -> Any:
    """Constant 3, -2, 1 N/m in section axes 2, 3, 1, at the reference axis."""
    table = LoadTable(np.array([0.0, beam.line.length]), np.tile((3.0, -2.0, 1.0), (2, 1)))
    return TableLoad(beam, table, name="part")


def _distributed(follower: bool) -> Callable[[Seat, Any], Any]:
    def make(seat: Seat, beam: Any) -> Any:
        value = FORCE if follower else seat.turned(FORCE)
        return DistributedLoad(
            beam, lambda points: np.tile(value, (len(points.s), 1)), follower=follower, name="part"
        )

    return make


# K's node has axes of its own, which turn with the model: components in them stay as they are
FROM_OUTSIDE: dict[str, Load] = {
    "Force": Load(lambda s, b: Force(s.far[0], s.turned(FORCE), name="part")),
    "Force, follower": Load(lambda s, b: Force(s.far[0], FORCE, follower=True, name="part"), follower=True),
    "Moment": Load(lambda s, b: Moment(s.k, s.turned(MOMENT), name="part")),
    "Moment, follower": Load(lambda s, b: Moment(s.k, MOMENT, follower=True, name="part"), follower=True),
    "LineLoad": Load(lambda s, b: LineLoad(b, s.turned(FORCE), name="part"), on_beam=True),
    "LineLoad, follower": Load(
        lambda s, b: LineLoad(b, FORCE, follower=True, name="part"), on_beam=True, follower=True
    ),
    "DistributedLoad": Load(_distributed(False), on_beam=True),
    "DistributedLoad, follower": Load(_distributed(True), on_beam=True, follower=True),
    "TableLoad": Load(_load_table, on_beam=True, follower=True),
}
PARTS_ELSEWHERE = {
    "Beam": "tests/elements/beam",
    "Bushing": "its axes are those of K, its point L's: tests/elements/springs/test_bushing.py",
    "LinearBearing": "likewise",
    "Cable": "tests/elements/test_cable.py",
    "LineMesh": "beams: tests/elements/line_mesh",
    "LoadStation": "an output: tests/output/section_loads",
    "ModalDamping": "tests/elements/beam/damping: of a beam alone",
    "PointMass": "a mass: tests/core/model/test_points.py",
    "RigidBody": "a mass: tests/elements/test_rigid_body.py",
}
# element classes, by class: which family or folder tests them
KINDS = {
    "BeamKind": "tests/elements/beam",
    "TwoNodeBeams": "tests/elements/beam",
    "ThreeNodeBeams": "tests/elements/beam",
    "FourNodeBeams": "tests/elements/beam",
    "BushingKind": "tests/elements/springs/test_bushing.py",
    "CableKind": "tests/elements/test_cable.py",
    "ConstraintKind": "tests/joints/joint_models.py",
    "ModalDampingKind": "tests/elements/beam/damping",
    "ShapeDampingKind": "tests/elements/beam/damping",
    "LoadKind": "this family",
    "DistributedKind": "this family",
    "GeneratorKind": "this family",
    "SpringKind": "this family",
    "ParallelKind": "this family",
    "StopKind": "this family",
    "ContactKind": "tests/joints/family.py",
    "JournalKind": "tests/joints/family.py",
    "JointFrictionKind": "tests/joints/family.py",
    "LubricatedJournalKind": "tests/joints/family.py",
    "ImpactKind": "tests/joints/impact",
    "RollingKind": "tests/joints/rolling",
    "DriveKind": "tests/joints/driveline",
    "PlayKind": "tests/joints/driveline",
    "BeltKind": "tests/joints/driveline",
    "RotorLoadsKind": "tests/aerodynamics",
}


def seated(name: str, turn: Array, swapped: bool = False, **options: Any) -> tuple[Model, Seat, Any]:
    """Two bodies with the part of `BETWEEN` of that name, and its handle."""
    model = Model(**options)
    seat = Seat(*two_bodies(model, turn=turn), turn)
    return model, seat, BETWEEN[name](model, seat, swapped)


def loaded(name: str, turn: Array) -> tuple[Model, Seat, Any]:
    """A body, or a beam of two elements, with the load of `FROM_OUTSIDE` of that name; the beam, or None."""
    model, load = Model(), FROM_OUTSIDE[name]
    seat, beam = Seat(model.ground, model.ground, turn), None
    if load.on_beam:
        start, end = (np.asarray(turn @ p) for p in ((0.1, 0.2, 0.0), (0.8, -0.3, 0.4)))
        section = Section(np.diag([1e5, 4e4, 4e4, 80.0, 100.0, 100.0]), 1.5, 1e-3 * np.diag([2.0, 1.0, 1.0]))
        beam = model.add(Beam(section, start, end, up=turn @ AXIS, elements=2, name="beam"))
    else:
        seat = Seat(*two_bodies(model, turn=turn), turn)
    model.add(load.make(seat, beam))
    return model, seat, beam
