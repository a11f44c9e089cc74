"""Springs with viscous dampers between two points or about the common axis of two bodies, and speed controllers.

Springs are linear, with a cubic term where it is given; equations: `kernels`.

A `SpeedController` is the torque of a motor that follows a given speed, by proportional and integral control:

    T = proportional (Omega(t) - phi') + integral (integral of Omega from 0 to t - phi)

about the common axis of two bodies, + on L and - on K, with phi the rotation angle of L relative to K. It is a torsion
spring and damper whose neutral angle follows the desired angle: the parts are a `RotationalSpringDamper` and a
`JointTorque` of the terms that depend on time only. The energy balance holds with them: the work of the torque is
counted as work of loads, the proportional part as viscous dissipation, the integral part as elastic energy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, not_negative, positive
from fem_mbd.core.compiled.calls import Call
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.ranges import Range
from fem_mbd.core.model.time_functions import as_time_function
from fem_mbd.core.model.time_functions.integral import integral_of
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import triad_with_third, unit_vector
from fem_mbd.core.scheme.constraints.forms import Form, axis, list_vectors, store_form
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.elements.loads.loads import JointTorque
from fem_mbd.elements.springs import kernels, parallel
from fem_mbd.elements.springs.kernels import ANGLE, LENGTH
from fem_mbd.elements.springs.parallel import (
    FreePlay,
    FrictionDamper,
    OrificeDamper,
    Parallel,
    check_parallel,
)
from fem_mbd.elements.springs.tangent import tangent
from fem_mbd.errors import InputError
from fem_mbd.friction import Frictionless, Linear
from fem_mbd.friction.tangential import state_count, stored_energy, take_mean_deflection

COINCIDENT = 1e-12  # of their largest coordinate: points that are nearer to each other are at one place


@dataclass(frozen=True, eq=False)
class SpringSpec:
    """Data of one spring; its strain measure is in `kernels`."""

    name: str
    kind: int  # LENGTH, ANGLE or SQUARE
    k: Point
    l: Point
    stiffness: float
    damping: float
    rest: float
    cubic: float
    start: float  # strain in the reference configuration
    axes: Array  # (2, 3) of an angle: its axis in the axes of K and of L
    forms: tuple[Form, ...] = ()  # of an angle: multiples of its cosine and sine
    pulls: bool = False  # no force while its strain is below ``rest``
    element: int = 0  # its number in a cable
    beside: Mapping[type, Any] = field(default_factory=dict)  # what acts in parallel, by its type

    @property
    def has_place(self) -> bool:
        """Whether its points belong to the extent of the model: soft springs are often longer than all of it."""
        return False


@dataclass(frozen=True, eq=False, repr=False)
class SpringHandle(Handle):
    """A spring in a model.

    Attributes
    ----------
    name : shown in messages and results
    k, l : its two points
    spec : its data
    """

    name: str
    k: Point
    l: Point
    spec: SpringSpec


@arguments()
@dataclass(frozen=True, eq=False)
class SpringDamper:
    """A spring, linear or with a cubic term, and a viscous damper between two points.

    Tension along the line from k to l is ``stiffness e + cubic e^3 + damping |x|'``, ``e = |x| - length``; the
    potential is ``stiffness e^2/2 + cubic e^4/4``.

    Parameters
    ----------
    k, l : Node or Point
    stiffness : N/m
    damping : N s/m
    length : m, without force (0 allowed); by default the distance of the points in the reference configuration
    cubic : N/m^3, of a spring that becomes stiffer as it is stretched or pressed
    parallel : what acts beside it along the line: `FreePlay`, `OrificeDamper`, `FrictionDamper`, each once at most
    name : shown in messages and results

    Raises
    ------
    InputError
        For numbers that are negative or not finite, points that coincide at the start (the line has no direction
        there), two points of one node; the message names the spring.
    """

    k: Attachment
    l: Attachment
    stiffness: float
    damping: float = 0.0
    _: KW_ONLY
    length: float | None = None
    cubic: float = 0.0
    parallel: Sequence[Parallel] = ()
    name: str = "spring"

    def __post_init__(self) -> None:
        _check(self, f"spring '{self.name}'")
        not_negative(self.cubic, f"spring '{self.name}': cubic")
        if self.length is not None:
            not_negative(self.length, f"spring '{self.name}': length")

    def build(self, model: Model) -> SpringHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        k, l = _two_bodies(self.k, self.l, f"spring '{name}'")
        for point in (k, l):
            model.registry.require_arm(point, f"spring '{name}'")
        start = float(np.linalg.norm(l.position - k.position))
        if start <= COINCIDENT * float(np.abs([k.position, l.position]).max()):
            raise InputError(
                f"spring '{name}': its points coincide in the reference configuration, so its line has no direction: "
                "move one of them"
            )
        rest = start if self.length is None else float(self.length)
        stiffness, damping = float(self.stiffness), float(self.damping)
        cubic = float(self.cubic)
        beside = check_parallel(self.parallel, f"spring '{name}'")
        return _register(model, SpringSpec(
            name, LENGTH, k, l, stiffness, damping, rest, cubic, start, np.zeros((2, 3)), beside=beside
        ))  # fmt: skip


@arguments()
@dataclass(frozen=True, eq=False)
class RotationalSpringDamper:
    """A torsion spring and damper about the common axis of two bodies that a revolute or cylindrical joint connects.

    phi, the rotation angle of L about the axis relative to K, is zero in the reference configuration and counts whole
    revolutions. The torque on K is stiffness e + cubic e^3 + damping phi', e = phi - angle, on L its opposite; the
    potential is stiffness e^2/2 + cubic e^4/4. In one step phi can change by less than a whole revolution. Without a
    joint that keeps the axes parallel, phi is the twist of L with respect to K about the axis (undefined where the two
    axes are opposite).

    Parameters
    ----------
    k, l : Node or Point (its node is used)
    axis : (3,) global axes, reference configuration
    stiffness : N m/rad
    damping : N m s/rad
    angle : rad, without torque
    cubic : N m/rad^3, of a spring that becomes stiffer as it is twisted
    parallel : as of `SpringDamper`, about the axis
    name : shown in messages and results

    Raises
    ------
    InputError
        For numbers that are negative (angle excepted) or not finite, an axis without direction, one node given twice.
    """

    k: Attachment
    l: Attachment
    axis: Any
    stiffness: float
    damping: float = 0.0
    _: KW_ONLY
    angle: float = 0.0
    cubic: float = 0.0
    parallel: Sequence[Parallel] = ()
    name: str = "torsion spring"

    def __post_init__(self) -> None:
        what = f"torsion spring '{self.name}'"
        _check(self, what)
        finite(self.angle, f"{what}: angle")
        not_negative(self.cubic, f"{what}: cubic")
        object.__setattr__(self, "axis", unit_vector(self.axis, f"{what}: axis"))

    def build(self, model: Model) -> SpringHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        k, l = _two_bodies(self.k, self.l, f"torsion spring '{name}'")
        for point in (k, l):
            model.registry.require_rotation(point, f"torsion spring '{name}'")
        triad = triad_with_third(self.axis)
        in_k, in_l = k.node.rotation.T @ triad, l.node.rotation.T @ triad
        axes = np.stack([in_k[:, 2], in_l[:, 2]])
        spec = SpringSpec(
            name, ANGLE, k, l, float(self.stiffness), float(self.damping), float(self.angle),
            float(self.cubic), 0.0, axes, _cosine_and_sine(in_k, in_l),
            beside=check_parallel(self.parallel, f"torsion spring '{name}'"),
        )  # fmt: skip
        return _register(model, spec)


def _register(model: Model, spec: SpringSpec) -> SpringHandle:
    kind = ParallelKind if spec.beside else SpringKind
    model.registry.add(StopKind if FreePlay in spec.beside else kind, spec)
    return SpringHandle(spec.name, spec.k, spec.l, spec)


AMOUNTS = columns("elastic", "dissipation_scheme", "dissipation_viscous")
BESIDE_AMOUNTS = columns(
    "contact", "bristle", "dissipation_contact", "dissipation_friction", "dissipation_viscous"
)
SPRING = Output(
    "spring",
    "spring",
    (
        Quantity("value", "m or rad", "length, or angle of a torsion spring"),
        Quantity("rate", "m/s or rad/s", "its rate at t_f, zero before the first step"),
        Quantity("force", "N or N m", "tension, or torque of a torsion spring on K"),
    ),
)
QUANTITIES = {
    LENGTH: {
        "value": {"name": "length", "unit": "m"},
        "rate": {"unit": "m/s"},
        "force": {"unit": "N"},
    },
    ANGLE: {
        "value": {"name": "angle", "unit": "rad"},
        "rate": {"unit": "rad/s"},
        "force": {"name": "torque", "unit": "N m"},
    },
}


LARGEST_TURN = 0.5
LARGEST_ANGLE = 2.6  # rad between the axes of a torsion spring: its moment is 3.7 times the torque there
RANGES = (
    Range(
        "motion of a spring's ends in a step over its lengths", "1", LARGEST_TURN,
        "its direction turns by more than a step follows, or its length passes near zero, where it has none",
        "use shorter steps; a spring whose ends meet needs another form, e.g. springs along three directions",
        "rho of the discrete gradient of a length, which is truncated after rho^2/3: 1.4 % is missing at 0.5",
    ),
    Range(
        "angle between the axes of a torsion spring", "rad", LARGEST_ANGLE,
        "its twist is undefined where the axes are opposite, and its moments grow without bound towards there",
        "keep the axes parallel by a joint", "the moment is the torque over the cosine of half the angle",
    ),
)  # fmt: skip


class SpringKind(PartKind):
    """All springs of a model. History of a spring: its strain (which counts whole revolutions) and rate at t_i."""

    label: ClassVar[str] = "spring"
    counts_turns: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (SPRING,)
    ranges: tuple[Range, ...] = RANGES

    def __init__(self, specs: Sequence[SpringSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=kernels.SPRING)
        for record, spec in zip(self.records, self.specs, strict=True):
            workspace.put_points(record, spec.k, spec.l)
            record["kind"], record["axis"] = spec.kind, spec.axes
            for n, form in enumerate(spec.forms):
                store_form(record, n, form)
            for key in ("stiffness", "damping", "rest", "cubic", "pulls"):
                record[key] = getattr(spec, key)
        list_vectors(self.records)
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.zeros(count, dtype=np.int64)
        self.history: Array = np.array([(spec.start, 0.0) for spec in self.specs])
        self._sums, self._outputs = np.zeros(3), np.zeros((count, 3))
        self.measures = np.zeros((len(self.ranges), count))

    def phases(self, workspace: Workspace) -> dict[str, list[Call]]:
        moved = (workspace.q_f, workspace.p, workspace.dq, workspace.dp)
        turned = (workspace.motion, workspace.rotations, workspace.maps, workspace.lin)
        return {
            "begin_step": [Call(kernels.begin_step, self.records, self.history, workspace.q_i)],
            "residual": [
                Call(kernels.residual, self.records, workspace.step, workspace.motion, workspace.forces)
            ],
            "extrapolate": [Call(kernels.extrapolate, self.records, workspace.step, *moved)],
            "tangent": [Call(tangent, self.records, workspace.step, *turned, self.slots, workspace.data)],
            "ledger": [
                Call(kernels.energies, self.records, workspace.step, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, workspace.amounts),
            ],
            "accept": [Call(kernels.store_history, self.records, workspace.step, self.history)],
            "evaluate_outputs": [Call(kernels.outputs, self.records, self.history, self._outputs)],
            "evaluate_measures": [
                Call(kernels.measure, self.records, workspace.q_i, workspace.q_f, self.measures)
            ],
        }

    def extrapolated(self) -> list[Any]:
        return [self.records["lin_g"], self.records["lin_d"]]

    def initial_energy(self, workspace: Workspace) -> None:
        # lengths and angles are those of the initial state of a run; the history only counts whole revolutions
        kernels.begin_step(self.records, self.history, workspace.q_i)
        r: Any = self.records
        self.history[:, 0] = r["f_i"]
        square = np.where(r["pulls"] & (r["f_i"] < r["rest"]), 0.0, r["f_i"] - r["rest"]) ** 2
        workspace.ledger["elastic"] += 0.5 * float((r["stiffness"] + 0.5 * r["cubic"] * square) @ square)

    def output_arrays(self) -> dict[str, Array]:
        """Per spring (n, 3): length or angle at the accepted state, its rate, tension or torque on K.

        The rate is that at the end of the last step, so it is zero before the first one.
        """
        return {SPRING.name: self._outputs}

    def describe(self) -> list[dict[str, Any]]:
        return [
            pair_data(s, "stiffness", "damping", "rest", *(["cubic"] if s.cubic else []))
            | {"type": "torsion" if s.kind == ANGLE else "line", "quantities": QUANTITIES[s.kind]}
            for s in self.specs
        ]


class ParallelKind(SpringKind):
    """Springs with dampers of other laws beside them. History: as of springs, then `parallel.PAST`."""

    label: ClassVar[str] = "spring and more"
    counts_turns: ClassVar[bool] = False

    def __init__(self, specs: Sequence[SpringSpec], workspace: Workspace):
        super().__init__(specs, workspace)
        count, records = len(self.specs), np.zeros(len(self.specs), dtype=parallel.BESIDE)
        play, friction = (
            [spec.beside.get(kind) for spec in self.specs] for kind in (FreePlay, FrictionDamper)
        )
        normal_laws = np.stack([(stops.contact if stops else Linear(1.0)).record() for stops in play])
        friction_laws = np.stack(
            [(damper.friction if damper else Frictionless()).record() for damper in friction]
        )
        for record, spec, free_play in zip(records, self.specs, play, strict=True):
            if free_play is not None:
                record["flanks"] = 1
                record["lower"], record["upper"] = (spec.start + limit for limit in free_play.play)
            if (damper := spec.beside.get(OrificeDamper)) is not None:
                for name in ("coefficient", "relief", "slope"):
                    record[name] = getattr(damper, name)
        records["normal_force"] = [damper.normal_force if damper else 0.0 for damper in friction]
        states = max(1, *(int(state_count(law)) for law in friction_laws))
        self.history = np.hstack([self.history, np.zeros((count, parallel.PAST - 2 + 3 * states))])
        z_f = np.zeros((count, states, 3))
        self.beside = parallel.Beside(records, normal_laws, friction_laws, self.history, z_f)
        self._more, self._contact_records = np.zeros(5), np.zeros(count, dtype=CONTACT_RECORD)

    def take_middle_of_step(self) -> None:
        take_mean_deflection(self.beside.friction_laws)

    def neglect_friction(self) -> None:
        self.beside.records["normal_force"] = 0.0

    def friction_records(self) -> Sequence[Any]:
        return list(self.beside.friction_laws[self.beside.records["normal_force"] > 0.0])

    def phases(self, workspace: Workspace) -> dict[str, list[Call]]:
        calls, records = super().phases(workspace), (self.records, self.beside)
        calls["residual"].insert(0, Call(parallel.evaluate, *records, workspace.step, workspace.motion))
        calls["tangent"].insert(0, Call(parallel.slopes, *records, workspace.step))
        calls["ledger"] += [
            Call(parallel.energies, *records, self._more),
            Call(add_amounts, self._more, BESIDE_AMOUNTS, workspace.amounts),
        ]
        calls["accept"].append(Call(parallel.store_history, *records))
        calls["evaluate_outputs"].append(Call(parallel.add_outputs, self.history, self._outputs))
        calls["record_contacts"] = [
            Call(parallel.fill_records, *records, workspace.step, self._contact_records)
        ]
        return calls

    def initial_energy(self, workspace: Workspace) -> None:
        super().initial_energy(workspace)
        records, normal_laws, friction_laws, past, z = self.beside
        records["impact_speed"], records["deepest"] = past[:, 2:4], past[:, 4:6]
        for n, (record, spring) in enumerate(zip(records, self.records, strict=True)):
            if record["flanks"]:
                workspace.ledger["contact"] += float(
                    parallel.stops_energy(normal_laws[n], record, spring["f_i"])
                )
            if record["normal_force"] > 0.0:
                z_i = past[n, parallel.PAST :].reshape(z[n].shape)
                energy = stored_energy(friction_laws[n], z_i, float(record["normal_force"]))
                workspace.ledger["bristle"] += float(energy.real)

    def contact_records(self) -> Any:
        return self._contact_records


class StopKind(ParallelKind):
    """Those with free play: their stops are seen by the rules of step control."""

    label: ClassVar[str] = "spring with play"
    has_contacts: ClassVar[bool] = True


def _cosine_and_sine(in_k: Array, in_l: Array) -> tuple[Form, Form]:
    """Twice the cosine and sine of the angle from K to L; the columns of in_k, in_l (3, 3): the triad in body axes."""
    k1, k2, l1, l2 = axis(0, in_k[:, 0]), axis(0, in_k[:, 1]), axis(1, in_l[:, 0]), axis(1, in_l[:, 1])
    zero = np.zeros((8, 3))
    return Form(k1.dot(l1).h + k2.dot(l2).h, zero), Form(k2.dot(l1).h - k1.dot(l2).h, zero)


def _check(spring: SpringDamper | RotationalSpringDamper, what: str) -> None:
    not_negative(spring.stiffness, f"{what}: stiffness")
    not_negative(spring.damping, f"{what}: damping")


def _two_bodies(k: Attachment, l: Attachment, what: str) -> tuple[Point, Point]:
    first, second = as_point(k), as_point(l)
    if first.node is second.node:
        raise InputError(f"{what} joins node '{first.node.name}' to itself: give two bodies")
    return first, second


@arguments()
@dataclass(frozen=True, eq=False)
class SpeedController:
    """A motor torque that drives L relative to K at a given speed, about the axis of a revolute or cylindrical joint.

    Parameters
    ----------
    k, l : the two bodies, nodes or points
    axis : (3,) of the joint, global axes, reference configuration
    speed : desired speed of L relative to K, rad/s: number, function of time or TimeFunction
    proportional : N m s/rad, above zero
    integral : N m/rad, not negative. The torque has no limit
    name : shown in messages and results

    Raises
    ------
    InputError
        For gains out of range, an axis without direction, a speed that is no scalar.
    """

    k: Attachment
    l: Attachment
    axis: Any
    speed: Any
    proportional: float
    integral: float = 0.0
    _: KW_ONLY
    name: str = "speed controller"

    def __post_init__(self) -> None:
        what = f"speed controller '{self.name}'"
        positive(self.proportional, f"{what}: proportional")
        not_negative(self.integral, f"{what}: integral (N m/rad)")
        as_time_function(self.speed, (), f"{what}: speed")

    def build(self, model: Model) -> SpringHandle:
        """Called by `Model.add`."""
        speed = as_time_function(self.speed, (), f"speed controller '{self.name}': speed")
        spring = RotationalSpringDamper(
            self.k, self.l, self.axis, self.integral, self.proportional, name=self.name
        )
        torque = self.proportional * speed
        if self.integral > 0.0:
            torque = torque + self.integral * integral_of(speed, f"speed controller '{self.name}': speed")
        handle = spring.build(model)
        JointTorque(self.k, self.l, self.axis, torque, name=f"{handle.name}.torque").build(model)
        return handle
