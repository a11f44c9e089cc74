"""Parts of drivelines: shaft inertias, gears, racks, planetary sets, clutches, brakes, torsional play, belts.

Each has one coordinate and acts on rotations about axes that are fixed to its bodies; equations: `kernels`,
docs/how-to/drivelines.md. Bearings are other parts: a `ShaftInertia` has its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, not_negative, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle
from fem_mbd.core.model.time_functions import as_time_function
from fem_mbd.core.rotations import triad_with_third, unit_vector
from fem_mbd.elements.rigid_body import BodyHandle
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless, Linear
from fem_mbd.friction.records import FrictionLaw, NormalLaw
from fem_mbd.joints.contact.contact_kind import check_laws
from fem_mbd.joints.driveline.kind import BeltKind, DriveKind, DriveSpec, Lever, PlayKind


@dataclass(frozen=True, eq=False, repr=False)
class DriveHandle(Handle):
    """A part of a driveline in a model; ``result.of(handle)`` gives its outputs.

    Attributes
    ----------
    name : shown in messages and results
    spec : its data
    """

    name: str
    spec: DriveSpec


@arguments()
@dataclass(frozen=True, eq=False)
class ShaftInertia:
    """A wheel, rotor or shaft that rotates about an axis fixed in space: one degree of freedom, no mass to bear.

    Parameters
    ----------
    inertia : kg m^2, about the axis
    axis : (3,) global axes
    position : (3,) m, where pictures show it
    name : shown in messages and results

    Raises
    ------
    InputError
        For an inertia that is not positive, an axis without direction.
    """

    inertia: float
    axis: Any
    position: Any = (0.0, 0.0, 0.0)
    _: KW_ONLY
    name: str = "shaft"

    def __post_init__(self) -> None:
        positive(self.inertia, f"shaft '{self.name}': inertia (kg m^2)")
        unit_vector(self.axis, f"shaft '{self.name}': axis")

    def build(self, model: Model) -> BodyHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        node = model.node(self.position, triad_with_third(self.axis), name=f"{name}.node")
        model.fix(node, translation=True, rotation=(True, True, False))
        model.registry.add_mass(node, 0.0, np.diag([0.0, 0.0, float(self.inertia)]), np.zeros(3))
        model.registry.name_body(name, node)
        return BodyHandle(name, node)


def _register(model: Model, part: Any, what: str, **spec: Any) -> DriveHandle:
    name = model.registry.unique_name(part.name)
    made = DriveSpec(name, what, **spec)
    kind = DriveKind if made.contact is None else PlayKind
    model.registry.add(BeltKind if what == "belt" else kind, made)
    return DriveHandle(name, made)


def _levers(
    model: Model, what: str, housing: Attachment | None, *wheels: tuple[Attachment, Array]
) -> list[Lever]:
    """Levers of bodies about axes times radii, and of the housing, to which their rotations are relative."""
    levers: list[Lever] = []
    for attachment, turn in wheels:
        model.registry.require_rotation(attachment, what)
        node = model.registry.node_of(attachment, what)
        if any(node is lever.node for lever in levers):
            raise InputError(f"{what}: node '{node.name}' is given twice: give different bodies")
        levers.append(Lever(node, turn))
    if housing is not None:
        node = model.registry.node_of(housing, what)
        if any(node is lever.node for lever in levers):
            raise InputError(f"{what}: node '{node.name}' is its housing and a wheel: give different bodies")
        levers.append(Lever(node, -np.sum([turn for _, turn in wheels], axis=0)))
    return levers


def _check_mesh(part: Any, what: str) -> None:
    """Stiffness, damping, backlash, contact and friction of a mesh."""
    if part.stiffness is not None:
        positive(part.stiffness, f"{what}: stiffness (N/m)")
    not_negative(part.damping, f"{what}: damping (N s/m)")
    not_negative(part.backlash, f"{what}: backlash (m)")
    if part.backlash > 0.0 and part.contact is None:
        raise InputError(f"{what}: backlash needs a contact law: give contact=Linear(stiffness)")
    if part.contact is not None and part.stiffness is not None:
        raise InputError(f"{what}: give a stiffness, or the contact law of the flanks, not both")
    if part.damping > 0.0 and part.stiffness is None and part.contact is None:
        raise InputError(f"{what}: damping acts with a stiffness or a contact law, an ideal mesh has none")
    check_laws(part.contact or Linear(1.0), part.friction or Frictionless(), what)


def _mesh(part: Any) -> dict[str, Any]:
    return {
        "ideal": part.stiffness is None and part.contact is None,
        "stiffness": float(part.stiffness or 0.0), "damping": float(part.damping),
        "limits": (-0.5 * part.backlash, 0.5 * part.backlash), "contact": part.contact, "friction": part.friction,
        "share": 1.0,
    }  # fmt: skip


@arguments()
@dataclass(frozen=True, eq=False)
class GearPair:
    """Two gears: x = r_k phi_k + r_l phi_l along the line of action, rotations relative to the housing.

    Without stiffness and contact law x = 0: exact ratio -r_l/r_k of the speeds. With a stiffness the force at the teeth
    is k x + c x', with a contact law that of two flanks a backlash apart. ``force`` acts on both pitch circles.

    Parameters
    ----------
    k, l : the two gears
    axis : (3,) of both, or of k, global axes, reference configuration
    radius_k, radius_l : m, of the pitch circles
    axis_l : (3,) of l where it differs (bevel gears)
    housing : body that bears both; by default the ground
    internal : whether l is a ring gear: x = r_k phi_k - r_l phi_l
    stiffness, damping : N/m and N s/m, of the mesh
    backlash : m, along the pitch circle
    contact : law of the flanks, N over m
    friction : law of the teeth; the slip is ``friction_arm`` times the relative rotation of the gears
    friction_arm : m, mean distance of the contact from the pitch point
    name : shown in messages and results

    Raises
    ------
    InputError
        For radii that are not positive, a negative backlash or one without a law, one body given twice.
    """

    k: Attachment
    l: Attachment
    axis: Any
    radius_k: float
    radius_l: float
    _: KW_ONLY
    axis_l: Any = None
    housing: Attachment | None = None
    internal: bool = False
    stiffness: float | None = None
    damping: float = 0.0
    backlash: float = 0.0
    contact: NormalLaw | None = None
    friction: FrictionLaw | None = None
    friction_arm: float = 0.0
    name: str = "gears"

    def __post_init__(self) -> None:
        what = f"gears '{self.name}'"
        positive(self.radius_k, f"{what}: radius_k (m)")
        positive(self.radius_l, f"{what}: radius_l (m)")
        _check_mesh(self, what)
        if self.friction is not None:
            positive(self.friction_arm, f"{what}: friction_arm (m), with friction,")

    def build(self, model: Model) -> DriveHandle:
        """Called by `Model.add`."""
        what = f"gears '{self.name}'"
        axis_k = unit_vector(self.axis, f"{what}: axis")
        axis_l = axis_k if self.axis_l is None else unit_vector(self.axis_l, f"{what}: axis_l")
        sign, housing = (-1.0 if self.internal else 1.0), self.housing or model.ground
        turns = (self.k, self.radius_k * axis_k), (self.l, sign * self.radius_l * axis_l)
        slips = (self.k, self.friction_arm * axis_k), (self.l, -sign * self.friction_arm * axis_l)
        slip = _levers(model, what, housing, *slips) if self.friction else []
        return _register(
            model, self, "gear pair", x=_levers(model, what, housing, *turns), slip=slip, **_mesh(self)
        )


@arguments()
@dataclass(frozen=True, eq=False)
class Rack:
    """A pinion k and a rack l that slides along a direction fixed in space: x = r phi_k - s_l; else as `GearPair`.

    Parameters
    ----------
    k, l : pinion, which the ground bears, and rack
    axis : (3,) of the pinion, global axes
    direction : (3,) in which a positive rotation of the pinion drives the rack, normal to the axis
    radius : m, of the pinion's pitch circle
    stiffness, damping, backlash, contact, name : as of `GearPair`
    """

    k: Attachment
    l: Attachment
    axis: Any
    direction: Any
    radius: float
    _: KW_ONLY
    stiffness: float | None = None
    damping: float = 0.0
    backlash: float = 0.0
    contact: NormalLaw | None = None
    name: str = "rack"
    friction = None

    def __post_init__(self) -> None:
        what = f"rack '{self.name}'"
        positive(self.radius, f"{what}: radius (m)")
        _check_mesh(self, what)

    def build(self, model: Model) -> DriveHandle:
        """Called by `Model.add`."""
        what = f"rack '{self.name}'"
        axis, along = (
            unit_vector(self.axis, f"{what}: axis"),
            unit_vector(self.direction, f"{what}: direction"),
        )
        if abs(float(axis @ along)) > 1e-9:
            raise InputError(f"{what}: its direction is not normal to the pinion's axis")
        levers = _levers(model, what, None, (self.k, self.radius * axis))
        rack = model.registry.node_of(self.l, what)
        return _register(model, self, "rack", x=[*levers, Lever(rack, slide=-along)], **_mesh(self))


@arguments()
@dataclass(frozen=True, eq=False)
class PlanetaryGear:
    """Sun, ring and carrier about one axis: x = r_s (phi_s - phi_c) + r_r (phi_r - phi_c) (Willis' equation).

    Planets have no inertia. ``force`` is the sum of the tangential forces of all planets at the sun's pitch circle.

    Parameters
    ----------
    sun, ring, carrier : bodies that rotate about the axis; one of them may be the ground or a housing
    axis : (3,) global axes, reference configuration
    radius_sun, radius_ring : m, of the pitch circles, in the ratio of the numbers of teeth; the ring's is larger
    stiffness, damping, backlash, contact, name : as of `GearPair`
    """

    sun: Attachment
    ring: Attachment
    carrier: Attachment
    axis: Any
    radius_sun: float
    radius_ring: float
    _: KW_ONLY
    stiffness: float | None = None
    damping: float = 0.0
    backlash: float = 0.0
    contact: NormalLaw | None = None
    name: str = "planetary gear"
    friction = None

    def __post_init__(self) -> None:
        what = f"planetary gear '{self.name}'"
        positive(self.radius_sun, f"{what}: radius_sun (m)")
        if positive(self.radius_ring, f"{what}: radius_ring (m)") <= self.radius_sun:
            raise InputError(f"{what}: radius_ring has to be larger than radius_sun")
        _check_mesh(self, what)

    def build(self, model: Model) -> DriveHandle:
        """Called by `Model.add`."""
        what = f"planetary gear '{self.name}'"
        axis = unit_vector(self.axis, f"{what}: axis")
        turns = (self.sun, self.radius_sun * axis), (self.ring, self.radius_ring * axis)
        return _register(
            model, self, "planetary gear", x=_levers(model, what, self.carrier, *turns), **_mesh(self)
        )


@arguments()
@dataclass(frozen=True, eq=False)
class Clutch:
    """A clutch between two bodies, or a brake of l where k is the ground: friction at a radius, normal force an input.

    The slip is radius (phi_l - phi_k); the torque on l is -radius surfaces N(t) mu, on k its opposite.

    Parameters
    ----------
    k, l : the two bodies
    axis : (3,) global axes, reference configuration
    normal_force : N, number or function of time; negative ones count as 0. The mean of its values at both ends of a
        step acts in it
    radius : m, mean radius of the friction surface
    friction : any friction law
    surfaces : number of friction surfaces
    name : shown in messages and results

    Raises
    ------
    InputError
        For a missing normal force, a radius that is not positive, no friction law.
    """

    k: Attachment
    l: Attachment
    axis: Any
    normal_force: Any
    radius: float
    friction: FrictionLaw
    _: KW_ONLY
    surfaces: int = 1
    name: str = "clutch"

    def __post_init__(self) -> None:
        what = f"clutch '{self.name}'"
        if self.normal_force is None:
            raise InputError(f"{what}: give its normal_force, N, a number or a function of time")
        positive(self.radius, f"{what}: radius (m)")
        positive(self.surfaces, f"{what}: surfaces")
        check_laws(Linear(1.0), self.friction, what)

    def build(self, model: Model) -> DriveHandle:
        """Called by `Model.add`."""
        what = f"clutch '{self.name}'"
        axis = unit_vector(self.axis, f"{what}: axis")
        load = float(self.surfaces) * as_time_function(self.normal_force, (), f"{what}: normal_force")
        angle = _levers(model, what, self.k, (self.l, axis))
        slip = _levers(model, what, self.k, (self.l, self.radius * axis))
        return _register(
            model, self, "clutch", x=angle, slip=slip, friction=self.friction, load=load, rotary=True
        )


@arguments()
@dataclass(frozen=True, eq=False)
class TorsionalPlay:
    """Rotational play, or end stops, between two bodies: x = radius (phi_l - phi_k), free between two limits.

    Parameters
    ----------
    k, l : the two bodies
    axis : (3,) global axes, reference configuration
    play : rad, free angle, half to each side of the start; or (lower, upper), the limits of phi_l - phi_k
    contact : law of the stops, N over m at the radius
    radius : m, where they touch; with 1 m the law is N m over rad
    stiffness, damping : N/m and N s/m at the radius, of a spring and damper that act in the play too
    name : shown in messages and results

    Raises
    ------
    InputError
        For a negative play, limits that do not ascend, no contact law.
    """

    k: Attachment
    l: Attachment
    axis: Any
    play: Any
    contact: NormalLaw
    _: KW_ONLY
    radius: float = 1.0
    stiffness: float = 0.0
    damping: float = 0.0
    name: str = "play"

    def __post_init__(self) -> None:
        what = f"play '{self.name}'"
        limits = self.play if isinstance(self.play, Sequence) else None
        if limits is None:
            half = 0.5 * not_negative(self.play, f"{what}: play (rad)")
            limits = (-half, half)
        if len(limits) != 2 or not finite(limits[0], f"{what}: play") <= finite(limits[1], f"{what}: play"):
            raise InputError(
                f"{what}: play is {self.play!r}: give an angle, or (lower, upper) that ascend, rad"
            )
        object.__setattr__(self, "play", (float(limits[0]), float(limits[1])))
        positive(self.radius, f"{what}: radius (m)")
        not_negative(self.stiffness, f"{what}: stiffness (N/m)")
        not_negative(self.damping, f"{what}: damping (N s/m)")
        check_laws(self.contact, Frictionless(), what)

    def build(self, model: Model) -> DriveHandle:
        """Called by `Model.add`."""
        what = f"play '{self.name}'"
        axis = unit_vector(self.axis, f"{what}: axis")
        levers = _levers(model, what, self.k, (self.l, self.radius * axis))
        lower, upper = (self.radius * limit for limit in self.play)
        return _register(
            model, self, "torsional play", x=levers, limits=(lower, upper), contact=self.contact,
            stiffness=float(self.stiffness), damping=float(self.damping),
        )  # fmt: skip


@arguments()
@dataclass(frozen=True, eq=False)
class Belt:
    """A belt between two pulleys, with creep: x = r_k phi_k - r_l phi_l, rotations relative to the housing.

    The difference of the two spans' tensions is ``force`` = 2 EA/L e, e' = x' - 2 abs(v)/L e: at the speed v of the
    belt the pulleys' surfaces differ by v force/EA (elastic creep). Slip of the whole belt is not included: runs that
    pass the largest difference of the tensions that friction holds, `slips_at`, warn of it.

    Parameters
    ----------
    k, l : the two pulleys
    axis : (3,) of both, global axes, reference configuration
    radius_k, radius_l : m
    stiffness : N, EA of the belt
    span : m, L, free length of one span
    housing : body that bears both; by default the ground
    crossed : whether the pulleys rotate in opposite senses
    creep : False for a belt that does not creep (a toothed belt)
    damping : N s/m, of the two spans together, of a belt that does not creep
    slips_at : N, as `Belt.grip(tension, friction, wrap)` gives it
    name : shown in messages and results
    """

    k: Attachment
    l: Attachment
    axis: Any
    radius_k: float
    radius_l: float
    stiffness: float
    span: float
    _: KW_ONLY
    housing: Attachment | None = None
    crossed: bool = False
    creep: bool = True
    damping: float = 0.0
    slips_at: float = np.inf
    name: str = "belt"

    def __post_init__(self) -> None:
        for name in ("radius_k", "radius_l", "stiffness", "span"):
            positive(getattr(self, name), f"belt '{self.name}': {name}")
        not_negative(self.damping, f"belt '{self.name}': damping (N s/m)")
        if not self.slips_at > 0.0:
            raise InputError(f"belt '{self.name}': slips_at is {self.slips_at}: give a force above zero, N")
        if self.creep and self.damping > 0.0:
            raise InputError(
                f"belt '{self.name}': damping is of a belt that does not creep: creep damps it already"
            )

    @staticmethod
    def grip(tension: float, friction: float, wrap: float) -> float:
        """Largest difference of the spans' tensions, N (Euler, Eytelwein): 2 T_0 tanh(mu beta/2).

        Parameters
        ----------
        tension : T_0, N, of both spans at rest
        friction : mu
        wrap : beta, rad, the smaller of the two angles of wrap
        """
        return 2.0 * tension * math.tanh(0.5 * friction * wrap)

    def build(self, model: Model) -> DriveHandle:
        """Called by `Model.add`."""
        what = f"belt '{self.name}'"
        axis = unit_vector(self.axis, f"{what}: axis")
        sign, housing = (1.0 if self.crossed else -1.0), self.housing or model.ground
        turn_k, turn_l = self.radius_k * axis, sign * self.radius_l * axis
        return _register(
            model, self, "belt", x=_levers(model, what, housing, (self.k, turn_k), (self.l, turn_l)),
            slip=_levers(model, what, housing, (self.k, turn_k)), stiffness=2.0 * self.stiffness / self.span,
            damping=float(self.damping), slips_at=float(self.slips_at), creep=2.0 / self.span if self.creep else 0.0,
        )  # fmt: skip
