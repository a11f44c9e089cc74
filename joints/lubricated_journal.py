"""Lubricated journal bearing: an oil film, and asperities that touch where it is thin.

Film: `oil_film`. Asperities, after A. Harnoy, Bearing Design in Machinery (Marcel Dekker 2003), chapters 17 and 18, and
Harnoy and Friedland (1994): from the eccentricity ratio eps_tr on the asperities touch and carry the elastic load
`ElasticAsperities` along the line of centres, which causes dry friction. Together with the journal's two translations,
second order each, this is their fourth-order model.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from math import pi
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, not_negative, positive
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.model.output import XYZ, Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.errors import InputError
from fem_mbd.friction import ElasticAsperities, Frictionless, LawRangeWarning
from fem_mbd.friction.records import FrictionLaw
from fem_mbd.joints import oil_film
from fem_mbd.joints.contact.clearance import SpatialClearance
from fem_mbd.joints.contact.contact_kind import ClearanceHandle, check_laws
from fem_mbd.joints.ideal import Planar
from fem_mbd.joints.oil_film import half_film
from fem_mbd.joints.pair import required_direction

FILM = Output(
    "film",
    "film",
    (
        Quantity(
            "eccentricity",
            "m",
            "journal's centre from that of the bearing, across the axis",
            tuple(f"eccentricity {c}" for c in XYZ),
            "global",
        ),
        Quantity("eccentricity_ratio", "1", "its magnitude over the clearance of the radii"),
        Quantity(
            "film_force",
            "N",
            "pressure of the film on the journal",
            tuple(f"film_force {c}" for c in XYZ),
            "global",
            "mean",
        ),
        Quantity(
            "film_torque", "N m", "of the film's shear on the journal about the bearing's axis", within="mean"
        ),
    ),
)
AMOUNTS = columns("dissipation_viscous")
MAX_CLEARANCE_RATIO = 0.1  # clearance over radius, far above that of real bearings
MAX_LENGTH_RATIO = 1.0  # length over diameter up to which the short-bearing theory is accepted


@dataclass(frozen=True, eq=False)
class FilmSpec:
    """Data of one film, for `LubricatedJournalKind`.

    k, l : centres of bearing and journal; axis : (3,) of the bearing, global axes, reference configuration; radius,
    length, clearance : m; viscosity : Pa s; thinnest : m
    """

    name: str
    k: Point
    l: Point
    axis: Array
    radius: float
    length: float
    clearance: float
    viscosity: float
    thinnest: float


class LubricatedJournalKind(PartKind):
    """All films. ``history`` (n, 7): eccentricity, force and torque of the last step, for output only."""

    label: ClassVar[str] = "film"
    turns_with_mean: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (FILM,)

    def __init__(self, specs: Sequence[FilmSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=oil_film.FILM)
        self.history: Array = np.zeros((count, 7))
        for record, spec, start in zip(self.records, self.specs, self.history, strict=True):
            workspace.put_points(record, spec.k, spec.l)
            record["axis"] = spec.k.node.rotation.T @ spec.axis
            record["clearance"] = spec.clearance
            record["squeeze"] = spec.viscosity * spec.radius * (spec.length / spec.clearance) ** 3
            record["shear"] = 2.0 * pi * spec.viscosity * spec.radius**3 * spec.length / spec.clearance
            record["largest"] = 1.0 - spec.thinnest / spec.clearance
            x = spec.l.position - spec.k.position
            start[:3] = x - spec.axis * (spec.axis @ x)
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.zeros(count, dtype=np.int64)
        self._sums, self._outputs = np.zeros(1), np.zeros((count, 8))

    def eccentricities(self, q: Array) -> Array:
        ends = [q[self.nodes[:, side]] for side in (0, 1)]
        centres = [
            end[:, 0] + np.einsum("na,nai->ni", self.records["arm"][:, k], end[:, 1:])
            for k, end in enumerate(ends)
        ]
        axis = np.einsum("na,nai->ni", self.records["axis"], ends[0][:, 1:])
        apart = centres[1] - centres[0]
        return np.linalg.norm(apart - axis * np.einsum("ni,ni->n", axis, apart)[:, None], axis=1)

    def one_sided_damping(self, q: Array) -> Array:
        ratios = np.minimum(self.eccentricities(q) / self.records["clearance"], self.records["largest"])
        sides = np.array([[half_film(complex(sign * r), 0j)[0].real for sign in (-1.0, 1.0)] for r in ratios])
        return sides.reshape(-1, 2) / sides.reshape(-1, 2).mean(axis=1, keepdims=True)

    def neglect_friction(self) -> None:
        # a film has no force without motion
        self.records["squeeze"] = self.records["shear"] = 0.0

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        films = (self.records, workspace.step, workspace.x, workspace.r_i, workspace.q_i)
        results = (workspace.r_f, workspace.q_f, workspace.force_m, workspace.rows)
        return {
            "residual": [Call(oil_film.residual, *films, *results)],
            "tangent": [
                Call(oil_film.tangent, *films, workspace.w_m, workspace.lin_m, self.slots, workspace.data)
            ],
            "ledger": [
                Call(oil_film.energies, self.records, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, workspace.amounts),
            ],
            "accept": [Call(oil_film.store_history, self.records, self.history)],
            "evaluate_outputs": [Call(oil_film.outputs, self.records, self.history, self._outputs)],
        }

    def output_arrays(self) -> dict[str, Array]:
        """Per film (n, 8): eccentricity and its ratio at the accepted state, force and torque of the step before it."""
        return {FILM.name: self._outputs}

    def describe(self) -> list[dict[str, Any]]:
        names = "axis", "radius", "length", "clearance", "viscosity", "thinnest"
        return [pair_data(s, *names) for s in self.specs]


@dataclass(frozen=True, eq=False, repr=False)
class LubricatedJournalHandle(Handle):
    """A lubricated journal bearing in a model; ``result.of(handle)`` gives the outputs of its film.

    Attributes
    ----------
    name : shown in messages and results
    k, l : centres of bearing and journal
    spec : data of the film
    asperities : the contact where the film is thin, None without one
    """

    name: str
    k: Point
    l: Point
    spec: FilmSpec
    asperities: ClearanceHandle | None = None


@arguments()
@dataclass(frozen=True, eq=False)
class LubricatedJournal:
    """A journal on body L in a bearing on body K, with a film of oil between them.

    The film is that of a short bearing with half film (pressure on one half), with rotation of both bodies and squeeze;
    its couple is that of the shear of a full film. Its force is normal to the bearing's axis, without stiffness at
    rest.

    Parameters
    ----------
    k, l : Node or Point, the centres of bearing and journal
    radius : m, of the journal
    length : m, of the bearing along its axis; for a short one, up to about half of the diameter
    clearance : m, difference of the radii
    viscosity : Pa s, dynamic
    axis : (3,) axis of the bearing, global axes, reference configuration
    stiffness : N/m, kappa_0 of the asperities' load kappa_0 (eps - eps_tr) e; 0: film only
    transition : eps_tr, eccentricity ratio at which asperities touch, below 1
    friction : friction law of the asperities, none by default
    thinnest : m, film thickness below which the film's forces do not grow; default a thousandth of the clearance
    aligned : whether a planar joint keeps the two axes parallel and the centres in one plane; False where other joints
        or bearings do so
    name : shown in messages and results

    Raises
    ------
    InputError
        For numbers out of range, a journal that starts outside of the bearing, friction without asperities; the message
        names the bearing. A bearing longer than its diameter gives a `LawRangeWarning`.
    """

    k: Attachment
    l: Attachment
    radius: float
    length: float
    clearance: float
    viscosity: float
    _: KW_ONLY
    axis: Any = None
    stiffness: float = 0.0
    transition: float = 0.95
    friction: FrictionLaw = field(default_factory=Frictionless)
    thinnest: float | None = None
    aligned: bool = True
    name: str = "lubricated journal"

    def __post_init__(self) -> None:
        what = self._label(self.name)
        required_direction(self.axis, "axis", what)
        for name in ("radius", "length", "clearance", "viscosity"):
            positive(getattr(self, name), f"{what}: {name}")
        if self.clearance > MAX_CLEARANCE_RATIO * self.radius:
            raise InputError(
                f"{what}: clearance is {self.clearance:g} m, more than {MAX_CLEARANCE_RATIO:g} of the radius: give the "
                "difference of the radii in m"
            )
        if self.thinnest is not None and positive(self.thinnest, f"{what}: thinnest") >= self.clearance:
            raise InputError(f"{what}: thinnest is {self.thinnest:g} m: it must be below the clearance")
        not_negative(self.stiffness, f"{what}: stiffness")
        if not 0.0 < finite(self.transition, f"{what}: transition") < 1.0:
            raise InputError(f"{what}: transition is {self.transition:g}: it must lie between 0 and 1")
        if self.stiffness == 0.0 and not isinstance(self.friction, Frictionless):
            raise InputError(f"{what}: friction needs asperities that touch: give their stiffness in N/m")
        check_laws(self._asperities(), self.friction, what)

    def build(self, model: Model) -> LubricatedJournalHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        what = self._label(name)
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(f"{what} joins node '{k.node.name}' to itself: give two bodies")
        for point in (k, l):
            model.registry.require_rotation(point, what)
        axis = required_direction(self.axis, "axis", what)
        x = l.position - k.position
        distance = float(np.linalg.norm(x - axis * (axis @ x)))
        if distance >= self.clearance:
            raise InputError(
                f"{what}: the centres start {distance:.4g} m apart, outside the clearance of {self.clearance:.4g} m: "
                "move them together"
            )
        if self.length > 2.0 * MAX_LENGTH_RATIO * self.radius:
            warnings.warn(
                f"{what}: the bearing is {self.length / (2.0 * self.radius):.2g} diameters long: as a short bearing "
                "its film is too stiff; up to half of the diameter the error is some per cent",
                LawRangeWarning,
                stacklevel=3,
            )
        if self.aligned:
            model.add(Planar(self.k, self.l, direction=axis, name=f"{name}.plane"))
        thinnest = 1e-3 * self.clearance if self.thinnest is None else self.thinnest
        spec = FilmSpec(name, k, l, axis, self.radius, self.length, self.clearance, self.viscosity, thinnest)
        model.registry.add(LubricatedJournalKind, spec)
        return LubricatedJournalHandle(name, k, l, spec, self._add_asperities(model, name))

    def _add_asperities(self, model: Model, name: str) -> ClearanceHandle | None:
        """Contact of the asperities: the journal in a bore with the clearance at which asperities begin to touch."""
        if self.stiffness == 0.0:
            return None
        bore = self.radius + self.transition * self.clearance
        contact = SpatialClearance(
            self.k,
            self.l,
            bore,
            self.radius,
            self._asperities(),
            self.friction,
            name=f"{name}.asperities",
            axis=self.axis,
        )
        return model.add(contact)

    def _asperities(self) -> ElasticAsperities:
        # any positive stiffness allows checking the law
        return ElasticAsperities(self.stiffness or 1.0, self.clearance, self.transition)

    def _label(self, name: str) -> str:
        return f"lubricated journal '{name}'"
