"""Every joint and contact that rubs, between two bodies in general position; `test_family` tests them all alike."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd import Model, Node, joints
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints.contact.contact_kind import ClearanceHandle
from fem_mbd.joints.friction.joint_friction import READ_BY
from tests.joints.contact.two_bodies import PLACE, two_bodies

TRIAD = triad_with_third((0.48, -0.6, 0.64))
ALONG, ACROSS, NORMAL = TRIAD.T  # the contact's normal, and its tangents
DEPTH = 1e-4  # m, of contacts: 100 N
STEEL = Linear(1e6)
RUBBER = LuGre(sigma_0=1e5, sigma_1=0.1, mu_s=0.3, mu_k=0.3, v_s=1e-2)
CLOSE = 5e-4  # m, radial clearance
SIZES: dict[str, Any] = {
    "pin_radius": 0.2,
    "ball_radius": 0.25,
    "friction_arm": 0.15,
    "reaction_arm": 0.3,
    "bending_reaction_arm": 0.2,
    "initial_overlap": 0.4,
    "torque_preload": 0.4,
    "force_preload": 7.0,
}


@dataclass(frozen=True)
class Seat:
    """The two bodies, and the axes of the contact: ``turn`` times `TRIAD`."""

    k: Node
    l: Node
    turn: Array

    @property
    def axes(self) -> Array:
        """ALONG, ACROSS, NORMAL turned (3, 3), rows."""
        return np.asarray((self.turn @ TRIAD).T)

    def on_k(self, *from_place: float) -> Any:
        """Point of K at PLACE plus components along the axes, m."""
        return self.k.at_global(
            self.turn @ PLACE + np.array([*from_place, *[0.0] * (3 - len(from_place))]) @ self.axes
        )

    def on_l(self, *from_place: float) -> Any:
        """Point of L likewise."""
        return self.l.at_global(self.turn @ PLACE + np.array(from_place) @ self.axes)


Make = Callable[[Seat, Any], Any]


def rubbing(kind: Any, slider: str = "inner", **axes: str) -> Make:
    """An ideal joint with friction from preloads and reactions; ``axes`` names attributes and the seat's axes."""

    def make(seat: Seat, law: Any) -> Any:
        named = dict(zip(("along", "across", "normal"), seat.axes, strict=True))
        directions = {name: named[which] for name, which in axes.items()}
        faces: Any = {"faces": (0.1, 0.15), "slider": slider} if kind is joints.Prismatic else {}
        sizes = {name: value for name, value in SIZES.items() if kind.kind in READ_BY.get(name, (kind.kind,))}
        friction = joints.JointFriction(law=law, **sizes, **faces)
        return kind(seat.k, seat.l, at=seat.turn @ PLACE, friction=friction, **directions)

    return make


TILTED = rotation_about((1, 0, 0), 0.4)[:, 2]  # axis of a disk, components along the seat's axes
RIM = float(0.04 * np.hypot(TILTED[0], TILTED[1]))
CONTACTS: dict[str, Make] = {
    "PointOnPlane": lambda s, law: joints.PointOnPlane(
        s.on_k(), s.on_l(0.13, 0, -DEPTH), STEEL, law, direction=s.axes[2]
    ),
    "SphereOnPlane": lambda s, law: joints.SphereOnPlane(
        s.on_k(), s.on_l(0.13, 0, 0.04 - DEPTH), 0.04, STEEL, law, direction=s.axes[2]
    ),
    "SphereOnSphere": lambda s, law: joints.SphereOnSphere(
        s.on_k(), s.on_l(0, 0, 0.08 - DEPTH), 0.03, 0.05, STEEL, law
    ),
    "DiskOnPlane": lambda s, law: joints.DiskOnPlane(
        s.on_k(), s.on_l(0.13, 0, RIM - DEPTH), 0.04, STEEL, law, direction=s.axes[2], axis=TILTED @ s.axes
    ),
    "FaceOnPlane": lambda s, law: joints.FaceOnPlane(
        s.on_k(), [s.on_l(0.1 * x, 0.1 * y, -DEPTH) for x, y in ((0, 1), (1, -1), (-1, -1))], STEEL, law,
        direction=s.axes[2],
    ),
    "SphericalClearance": lambda s, law: joints.SphericalClearance(
        s.on_k(), s.on_l(0, 0, CLOSE + DEPTH), 0.05, 0.05 - CLOSE, STEEL, law
    ),
    "PlanarClearance": lambda s, law: joints.PlanarClearance(
        s.on_k(), s.on_l(0, 0, CLOSE + DEPTH), 0.05, 0.05 - CLOSE, STEEL, law, axis=s.axes[0]
    ),
    "SpatialClearance": lambda s, law: joints.SpatialClearance(
        s.on_k(), s.on_l(0.02, 0, CLOSE + DEPTH), 0.05, 0.05 - CLOSE, STEEL, law, axis=s.axes[0], stops=(-0.1, 0.1)
    ),
    "JournalBearing": lambda s, law: joints.JournalBearing(
        s.on_k(), s.on_l(0.02, 0, CLOSE + DEPTH), 0.05, 0.05 - CLOSE, 0.06, STEEL, law, axis=s.axes[0]
    ),
    "RevoluteClearance": lambda s, law: joints.RevoluteClearance(
        s.on_k(), s.on_l(0.005 + DEPTH, 0, CLOSE + DEPTH), 0.05, 0.05 - CLOSE, 0.06, 0.05, STEEL, law, axis=s.axes[0],
        crown=5e-4,
    ),
    "LubricatedJournal": lambda s, law: joints.LubricatedJournal(
        s.on_k(), s.on_l(0, 0, 0.97 * CLOSE), 0.05, 0.03, CLOSE, 0.05, axis=s.axes[0], stiffness=1e6, friction=law,
        aligned=False,
    ),
}  # fmt: skip
RUBBING: dict[str, Make] = {
    "Revolute": rubbing(joints.Revolute, axis="normal"),
    "Prismatic": rubbing(joints.Prismatic, axis="normal", first="along"),
    "Cylindrical": rubbing(joints.Cylindrical, axis="normal"),
    "Spherical": rubbing(joints.Spherical),
    "Universal": rubbing(joints.Universal, axis_k="along", axis_l="across"),
    "Planar": rubbing(joints.Planar, direction="normal", first="along"),
}
PARTS = CONTACTS | RUBBING
ELSEWHERE = {  # without a friction law: `test_family_without_friction`
    "Clamp": "lets nothing move; used here to hold both bodies together",
    "RigidOffset": "likewise",
    "DrivenRevolute": "a Revolute with one condition more",
    "DrivenPrismatic": "a Prismatic with one condition more",
    "RigidContact": "impacts without friction, see tests/joints/impact too",
    "RollingBall": "a condition without a law, see tests/joints/rolling too",
    "RollingDisk": "likewise",
}
DRIVELINES = {
    "Belt",
    "Clutch",
    "GearPair",
    "PlanetaryGear",
    "Rack",
    "ShaftInertia",
    "TorsionalPlay",
}  # driveline/

# axes about which L may turn against K, components along the seat's; any axis for the others
FREE = {
    "Revolute": np.array([0.0, 0.0, 1.0]),
    "Cylindrical": np.array([0.0, 0.0, 1.0]),
    "Planar": np.array([0.0, 0.0, 1.0]),
    "Prismatic": np.zeros(3),
    "Universal": np.array([1.0, 0.0, 0.0]),
    "PlanarClearance": np.array([1.0, 0.0, 0.0]),
}


def seated(
    name: str, law: Any = RUBBER, turn: Array | None = None, **options: Any
) -> tuple[Model, Seat, Any]:
    """A model of the two bodies with the part of that name between them, and the part's handle."""
    model = Model(**options)
    turn = np.eye(3) if turn is None else turn
    seat = Seat(*two_bodies(model, turn=turn), turn)
    return model, seat, model.add(PARTS[name](seat, law))


def move(model: Model, seat: Seat, name: str) -> None:
    """Initial velocities with slip: both bodies turn about the contact, L relative to K too, as the part allows."""
    about, spin = seat.turn @ PLACE, seat.turn @ (1.0, -2.0, 1.5)
    relative = seat.turn @ (1.0, 3.0, -2.5) if name not in FREE else 4.0 * FREE[name] @ seat.axes
    slide = 0.3 * seat.axes[2] if name == "Prismatic" else np.zeros(3)
    model.set_velocity(seat.k, omega=spin, about=about)
    model.set_velocity(seat.l, slide, omega=spin + relative, about=about)


def contacts_of(handle: Any) -> list[ClearanceHandle]:
    """The single contacts of a part's handle."""
    parts = [
        handle,
        *getattr(handle, "stops", ()),
        *getattr(handle, "edges", ()),
        *getattr(handle, "walls", ()),
        *getattr(handle, "faces", ()),
        *([] if getattr(handle, "asperities", None) is None else [handle.asperities]),
    ]
    flat = [c for part in parts for c in (part if isinstance(part, list) else [part])]
    return [c for c in flat if isinstance(c, ClearanceHandle)]
