"""Bushings between two bodies, with stiffness and damping in all six directions, and linear bearings of shafts.

Equations: `bushing_kernels`; docs/how-to/drivelines.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix, diags

from fem_mbd.analysis.modal.modes import modes
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.base.validation import array, whole_number
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.internal_states import InternalStates
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind, pair_data
from fem_mbd.core.model.ranges import Range
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import check_rotation, triad_with_third
from fem_mbd.core.scheme.constraints.forms import Form, axis, list_vectors, point, store_form
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.elements.springs import bushing_kernels as kernels
from fem_mbd.elements.springs.maxwell import MaxwellChain
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure

AMOUNTS = columns("elastic", "dissipation_scheme", "dissipation_viscous", "work_loads")
_123 = ("1", "2", "3")
BUSHING = Output(
    "bushing",
    "bushing",
    (
        Quantity(
            "displacement", "m", "of L from K since the start", tuple(f"displacement {c}" for c in _123), "K"
        ),
        Quantity(
            "rotation", "rad", "rotation vector of L against K", tuple(f"rotation {c}" for c in _123), "K"
        ),
        Quantity("force", "N", "on L", tuple(f"force {c}" for c in _123), "K"),
        Quantity("moment", "N m", "on L, conjugate to the rotation", tuple(f"moment {c}" for c in _123), "K"),
    ),
)
SYMMETRY = 1e-12  # of the largest entry: smaller antisymmetric parts are round-off
HIDDEN = 10  # lowest modes in which growth is looked for


class CirculatoryWarning(FemMbdWarning):
    """A stiffness that is not symmetric feeds energy which the model does not dissipate."""


@dataclass(frozen=True, eq=False)
class BushingSpec:
    """Data of one bushing or linear bearing, for `BushingKind`.

    triad : (3, 3) its axes in columns, global, reference configuration; table : (rows, 73) speed, K, C
    """

    name: str
    k: Point
    l: Point
    triad: Array
    table: Array
    preload: Array
    curves: Mapping[int, Array]
    chains: Mapping[int, MaxwellChain]
    rotations: bool
    model: Model


class BushingKind(PartKind):
    """All bushings and linear bearings. History: strains, rates, speed (13) of each, strains of Maxwell elements."""

    label: ClassVar[str] = "bushing"
    recorded: tuple[Output, ...] = (BUSHING,)
    ranges: tuple[Range, ...] = (
        Range(
            "rotation of a bushing", "rad", 1.0, "its moment is not quite conjugate to the rotation vector",
            "use a RotationalSpringDamper about the axis of large rotation",
            "conjugate to theta + theta^7/840: 1 % of the moment",
        ),
    )  # fmt: skip

    def __init__(self, specs: Sequence[BushingSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=kernels.BUSHING)
        curves, tables = (
            [np.zeros((1, 2))],
            [np.zeros((1, kernels.TABLE_ROW))],
        )  # arrays of kernels are not empty
        branches: list[tuple[int, float, float]] = []
        for record, spec in zip(self.records, self.specs, strict=True):
            self._fill(record, spec, workspace)
            for direction, points in spec.curves.items():
                record["curve"][direction], record["points"][direction] = sum(map(len, curves)), len(points)
                curves.append(points)
            record["table"], record["rows"] = (
                sum(map(len, tables)),
                len(spec.table) if len(spec.table) > 1 else 0,
            )
            record["follows"] = len(spec.table) > 1
            tables.append(spec.table)
            record["branch"] = len(branches)
            for direction, chain in spec.chains.items():
                branches += [(direction, k, tau) for k, tau in zip(chain.stiffness, chain.times, strict=True)]
            record["branches"] = len(branches) - record["branch"]
        list_vectors(self.records)
        self.relaxes = bool(branches)
        branches = branches or [(0, 0.0, 1.0)]
        self.branches: Any = np.zeros(len(branches), dtype=kernels.BRANCH)
        for branch_record, branch in zip(self.branches, branches, strict=True):
            branch_record["direction"], branch_record["stiffness"], branch_record["time"] = branch
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.zeros(count, dtype=np.int64)
        self.history: Array = np.zeros(13 * count + len(branches))
        self._past, stored = self.history[: 13 * count].reshape(count, 13), self.history[13 * count :]
        self.all = kernels.Bushings(
            self.records, np.concatenate(curves), self.branches, np.concatenate(tables), stored
        )
        self._sums, self._outputs, self.measures = np.zeros(4), np.zeros((count, 12)), np.zeros((1, count))

    @staticmethod
    def _fill(record: Any, spec: BushingSpec, workspace: Workspace) -> None:
        work_arms = [workspace.offset_from_centre(p.node.index, p.offset) for p in (spec.k, spec.l)]
        record["nodes"] = spec.k.node.index, spec.l.node.index
        record["count"] = kernels.FORMS if spec.rotations else 3
        for n, form in enumerate(_forms(spec, *work_arms)):
            store_form(record, n, form)
        stiffness = spec.table[0, 1:37].reshape(6, 6)
        record["symmetric"], record["skew"] = 0.5 * (stiffness + stiffness.T), 0.5 * (stiffness - stiffness.T)
        record["damping"], record["preload"] = spec.table[0, 37:].reshape(6, 6), spec.preload
        for side, (sign, p) in enumerate(((-1.0, spec.k), (1.0, spec.l))):
            record["turns"][side] = sign * p.node.rotation.T @ spec.triad[:, 2]

    def history_parts(self) -> Indices:
        """(rows,) part of each number of ``history``."""
        bushings = np.repeat(np.arange(len(self.specs)), 13)
        branches = np.repeat(np.arange(len(self.specs)), self.records["branches"])
        return np.concatenate([bushings, branches if len(branches) else [0]])

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        moved = (workspace.q_f, workspace.p, workspace.dq, workspace.dp)
        turned = (workspace.motion, workspace.rotations, workspace.maps, workspace.lin)
        tangent = Call(kernels.tangent, self.all, workspace.step, *turned, self.slots, workspace.data)
        return {
            "begin_step": [
                Call(kernels.begin_step, self.all, self._past, workspace.x_i, workspace.step, workspace.q_i)
            ],
            "residual": [
                Call(kernels.residual, self.all, workspace.step, workspace.motion, workspace.forces)
            ],
            "extrapolate": [Call(kernels.extrapolate, self.all, workspace.step, *moved)],
            "tangent": [tangent],
            "ledger": [
                Call(kernels.energies, self.all, workspace.step, self._sums),
                Call(add_amounts, self._sums, AMOUNTS, workspace.amounts),
            ],
            "accept": [Call(kernels.store_history, self.all, workspace.step, self._past)],
            "evaluate_measures": [Call(kernels.rotations_of, self.records, self.measures)],
            "evaluate_outputs": [Call(kernels.outputs, self.all, self._past, self._outputs)],
        }

    def extrapolated(self) -> list[Any]:
        return [self.records["lin_g"], self.records["lin_d"]]

    def take_speed(self, rate: float) -> bool:
        """Take coefficients of tables at a speed of the rotor, rad/s; whether there are tables."""
        tabled = self.records["rows"] > 0
        self.records["follows"][tabled], self.records["speed"][tabled] = 0, rate
        return bool(tabled.any())

    def _times(self) -> Array:
        """(branches,) s, relaxation times."""
        return np.concatenate([chain.times for spec in self.specs for chain in spec.chains.values()])

    def relax(self, allowed: bool) -> None:
        if self.relaxes:
            self.branches["time"] = self._times() if allowed else np.inf

    def far_damping(self, workspace: Workspace, only: Flags | None = None) -> None:
        if self.relaxes and np.isfinite(self.branches["time"]).all():
            names = ", ".join(f"'{spec.name}'" for spec in self.specs if spec.chains)
            warnings.warn(
                f"bushing {names}: this linear model sees its Maxwell chain relaxed, without stiffness and damping; "
                "for motions near one frequency give its storage modulus as stiffness and loss/omega as damping",
                FemMbdWarning,
                stacklevel=2,
            )

    def internal_states(self, workspace: Workspace, free: Indices) -> InternalStates | None:
        """Strains e of the Maxwell elements: e' = eps' - e/tau, force k e against eps."""
        if not self.relaxes:
            return None
        slopes = np.zeros((len(self.specs), 6, 12))
        kernels.strain_slopes(self.records, workspace.q_i, slopes)
        part = np.repeat(np.arange(len(self.specs)), self.records["branches"])
        slope = slopes[part, self.branches["direction"]]
        columns = free[self.nodes].reshape(-1, 12)[part]
        count, n = len(part), int(free.max()) + 1
        is_free, rows = columns >= 0, np.repeat(np.arange(count), 12).reshape(count, 12)
        rates = csr_matrix((slope[is_free], (rows[is_free], columns[is_free])), shape=(count, n))
        names = tuple(f"{self.specs[k].name}, strain of Maxwell element {m}" for m, k in enumerate(part))
        return InternalStates(
            csr_matrix(diags(-1.0 / self._times())), csr_matrix((count, n)), rates,
            csr_matrix(rates.T @ diags(self.branches["stiffness"])), np.zeros(count), np.zeros(n),
            self.nodes[part], names, 13 * len(self.specs) + np.arange(count),
        )  # fmt: skip

    def initial_energy(self, workspace: Workspace) -> None:
        # the first step begins at the strains and the speed of the initial state
        kernels.begin_step(self.all, self._past, workspace.x_i, workspace.dt or 1.0, workspace.q_i)
        self._past[:, :6], self._past[:, 12] = self.records["eps_i"], self.records["speed"]
        energy = np.zeros(1)
        kernels.initial_energy(self.all, energy)
        workspace.ledger["elastic"] += float(energy[0])

    def warn_before_run(self) -> None:
        # stiffness that is not symmetric may make motions grow
        size = np.abs(self.records["symmetric"]).max(axis=(1, 2)) + np.abs(self.records["skew"]).max(
            axis=(1, 2)
        )
        circulatory = [
            spec for spec, skew, s in zip(self.specs, self.records["skew"], size, strict=True)
            if np.abs(skew).max() > SYMMETRY * s
        ]  # fmt: skip
        if not circulatory:
            return
        names = ", ".join(f"'{spec.name}'" for spec in circulatory)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FemMbdWarning)
                natural_modes = modes(circulatory[0].model, HIDDEN)
        except (InputError, SolverFailure) as error:
            warnings.warn(
                f"bushing {names}: its stiffness is not symmetric; whether motions at rest grow is not known: {error}",
                CirculatoryWarning,
                stacklevel=2,
            )
            return
        growth = float(natural_modes.eigenvalues.real.max())
        if growth > 1e-9 * float(np.abs(natural_modes.eigenvalues).max()):
            warnings.warn(
                f"bushing {names}: its stiffness is not symmetric and feeds more energy than the model dissipates: "
                f"at rest motions about the equilibrium grow with {growth:.4g} 1/s. Give damping, or mean an "
                "instability",
                CirculatoryWarning,
                stacklevel=2,
            )

    def output_arrays(self) -> dict[str, Array]:
        """Per part (n, 12): displacement, rotation, force and moment on L, axes of K's triad."""
        return {BUSHING.name: self._outputs}

    def describe(self) -> list[dict[str, Any]]:
        return [pair_data(s) | {"axes": s.triad.tolist()} for s in self.specs]


def _forms(spec: BushingSpec, arm_k: Array, arm_l: Array) -> list[Form]:
    """The forms of `bushing_kernels`: three displacements; three of the axial vector and the cosine."""
    in_k = spec.k.node.rotation.T @ spec.triad
    gap, start = point(1, arm_l) - point(0, arm_k), spec.triad.T @ (spec.l.position - spec.k.position)
    forms = [gap.dot(axis(0, in_k[:, a]), -float(start[a])) for a in range(3)]
    if not spec.rotations:
        return forms
    in_l = spec.l.node.rotation.T @ spec.triad
    e_k, e_l = ([axis(side, triad[:, a]) for a in range(3)] for side, triad in ((0, in_k), (1, in_l)))

    def combined(terms: Sequence[tuple[float, int, int]], constant: float = 0.0) -> Form:
        h = sum(factor * e_k[b].dot(e_l[c]).h for factor, b, c in terms)
        return Form(np.asarray(h), np.zeros((8, 3)), constant)

    forms += [combined([(0.5, (a + 2) % 3, (a + 1) % 3), (-0.5, (a + 1) % 3, (a + 2) % 3)]) for a in range(3)]
    return [*forms, combined([(0.5, a, a) for a in range(3)], -0.5)]


@dataclass(frozen=True, eq=False, repr=False)
class BushingHandle(Handle):
    """A bushing or linear bearing in a model; ``result.of(handle)`` gives its outputs.

    Attributes
    ----------
    name : shown in messages and results
    k, l : its two points
    spec : its data
    """

    name: str
    k: Point
    l: Point
    spec: BushingSpec


def _six(value: Any, what: str) -> Array:
    """A matrix (6, 6) from one, or from its diagonal (6,)."""
    return np.diag(array(value, (6,), what)) if np.shape(value) == (6,) else array(value, (6, 6), what)


@arguments()
@dataclass(frozen=True, eq=False)
class Bushing:
    """An elastic bushing between two bodies: stiffness and damping for all six relative motions, in axes of its own.

    With eps = (x, phi), displacement of L's point and rotation vector of L against K since the start, in the bushing's
    axes, which are fixed to K, the force and moment on L are -(K eps + C eps' + preload + curves + chains).

    Parameters
    ----------
    k, l : Node or Point; the force on K acts at L's point
    stiffness : (6,) or (6, 6) K, N/m, N/rad, N m/m, N m/rad; it may be unsymmetric: the work of the antisymmetric part
        is counted as that of a load
    damping : (6,) or (6, 6) C, per rate of eps
    axes : (3, 3), the bushing's axes in columns, global, reference configuration; by default the global ones
    preload : (6,) N and N m, of K eps + …, at eps = 0
    curves : by direction 0 to 5 a table (displacements, forces): m and N, or rad and N m, straight between the points
        and beyond them, ascending displacements; added to the stiffness
    chains : by direction a `MaxwellChain`
    name : shown in messages and results

    Raises
    ------
    InputError
        For matrices of another shape, curves that do not ascend, directions other than 0 to 5, damping that is not
        positive semidefinite, rotations of a point mass. The message names the bushing.
    """

    k: Attachment
    l: Attachment
    stiffness: Any
    damping: Any = (0.0,) * 6
    _: KW_ONLY
    axes: Any = None
    preload: Any = (0.0,) * 6
    curves: Mapping[int, Any] = field(default_factory=dict)
    chains: Mapping[int, MaxwellChain] = field(default_factory=dict)
    name: str = "bushing"

    def __post_init__(self) -> None:
        what = f"bushing '{self.name}'"
        object.__setattr__(self, "stiffness", _six(self.stiffness, f"{what}: stiffness"))
        object.__setattr__(self, "damping", _six(self.damping, f"{what}: damping"))
        object.__setattr__(self, "preload", array(self.preload, (6,), f"{what}: preload"))
        object.__setattr__(self, "curves", {d: _curve(c, d, what) for d, c in self.curves.items()})
        for direction, chain in self.chains.items():
            whole_number(direction, f"{what}: direction of a chain", 0, 5)
            if not isinstance(chain, MaxwellChain):
                raise InputError(f"{what}: chains[{direction}] is {chain!r}: give a MaxwellChain")
        if self.axes is not None:
            object.__setattr__(self, "axes", check_rotation(self.axes, f"{what}: axes"))
        _check_damping(self.damping, what)

    def build(self, model: Model) -> BushingHandle:
        """Called by `Model.add`."""
        stiffness = self.stiffness + np.diag(
            [c.static if (c := self.chains.get(d)) else 0.0 for d in range(6)]
        )
        table = np.concatenate([[0.0], stiffness.ravel(), self.damping.ravel()])[None]
        used = [stiffness[3:], stiffness[:, 3:], self.damping[3:], self.damping[:, 3:], self.preload[3:]]
        rotations = any(np.any(part) for part in used) or any(d > 2 for d in (*self.curves, *self.chains))
        triad = np.eye(3) if self.axes is None else self.axes
        return _add(model, self, "bushing", triad, table, rotations, self.preload, self.curves, self.chains)


@arguments()
@dataclass(frozen=True, eq=False)
class LinearBearing:
    """A bearing or seal of a shaft: full stiffness and damping across the axis, constant or over the shaft's speed.

    With (x, y) the displacement of the shaft's centre from the bearing's since the start, along axes 1 and 2 of the
    bearing (which are fixed to K), the force on the shaft is -(K (x, y) + C (x', y')).

    Parameters
    ----------
    k, l : Node or Point: bearing, and centre of the shaft, which rotates
    axis : (3,) of the bearing, global axes, reference configuration
    stiffness : (2, 2) ((k_xx, k_xy), (k_yx, k_yy)), N/m, or (n, 2, 2) at the speeds
    damping : (2, 2) or (n, 2, 2), N s/m
    speeds : (n,) rad/s of the shaft about the axis, ascending: coefficients are linear between them and constant beyond
    first : (3,) direction of axis 1; by default global x, or y where the axis is within 25 degrees of x
    name : shown in messages and results

    Raises
    ------
    InputError
        For matrices of another shape, speeds that do not ascend, a point mass as bearing. The message names it.
    """

    k: Attachment
    l: Attachment
    axis: Any
    stiffness: Any
    damping: Any = ((0.0, 0.0), (0.0, 0.0))
    _: KW_ONLY
    speeds: Any = None
    first: Any = None
    name: str = "bearing"

    def __post_init__(self) -> None:
        what = f"bearing '{self.name}'"
        object.__setattr__(self, "axis", triad_with_third(self.axis, f"{what}: axis", self.first))
        if self.speeds is not None:
            speeds = array(self.speeds, np.shape(self.speeds), f"{what}: speeds")
            if speeds.ndim != 1 or len(speeds) < 2 or np.any(np.diff(speeds) <= 0.0):
                raise InputError(f"{what}: speeds have to ascend, two at least, rad/s")
            object.__setattr__(self, "speeds", speeds)
        for name in ("stiffness", "damping"):
            object.__setattr__(self, name, self._over_speed(name, what))

    def _over_speed(self, name: str, what: str) -> Array:
        """(rows, 2, 2) of a matrix or a table of matrices."""
        value = getattr(self, name)
        if np.shape(value) == (2, 2):
            matrix = array(value, (2, 2), f"{what}: {name}")
            return np.repeat(matrix[None], 1 if self.speeds is None else len(self.speeds), axis=0)
        if self.speeds is None:
            raise InputError(
                f"{what}: {name} has shape {np.shape(value)}: give (2, 2), or speeds for (n, 2, 2)"
            )
        return array(value, (len(self.speeds), 2, 2), f"{what}: {name}")

    def build(self, model: Model) -> BushingHandle:
        """Called by `Model.add`."""
        rows = len(self.stiffness)
        table = np.zeros((rows, kernels.TABLE_ROW))
        table[:, 0] = 0.0 if self.speeds is None else self.speeds
        for first, values in ((1, self.stiffness), (37, self.damping)):
            table[:, first : first + 36].reshape(rows, 6, 6)[:, :2, :2] = values
        return _add(model, self, "bearing", self.axis, table, False, np.zeros(6), {}, {})


def _add(
    model: Model, part: Any, kind: str, triad: Array, table: Array, rotations: bool, preload: Array,
    curves: Mapping[int, Array], chains: Mapping[int, MaxwellChain],
) -> BushingHandle:  # fmt: skip
    name = model.registry.unique_name(part.name)
    what = f"{kind} '{name}'"
    k, l = as_point(part.k), as_point(part.l)
    if k.node is l.node:
        raise InputError(f"{what} joins node '{k.node.name}' to itself: give two bodies")
    model.registry.require_rotation(k, what)
    if rotations:
        model.registry.require_rotation(l, what)
    model.registry.require_arm(l, what)
    spec = BushingSpec(name, k, l, triad, table, preload, curves, chains, rotations, model)
    model.registry.add(BushingKind, spec)
    return BushingHandle(name, k, l, spec)


def _curve(curve: Any, direction: Any, what: str) -> Array:
    """(n, 2) displacement and force."""
    whole_number(direction, f"{what}: direction of a curve", 0, 5)
    try:
        points = np.column_stack([np.asarray(part, dtype=float) for part in curve])
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{what}: curves[{direction}] has to be (displacements, forces) ({error})"
        ) from error
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.all(np.isfinite(points)):
        raise InputError(f"{what}: curves[{direction}] has to be two lists of at least two numbers each")
    if np.any(np.diff(points[:, 0]) <= 0.0):
        raise InputError(f"{what}: the displacements of curves[{direction}] have to ascend")
    return points


def _check_damping(damping: Array, what: str) -> None:
    lowest = float(np.linalg.eigvalsh(0.5 * (damping + damping.T))[0])
    if lowest < -SYMMETRY * max(float(np.abs(damping).max()), 1e-300):
        raise InputError(
            f"{what}: damping has the negative eigenvalue {lowest:.3g}: it would generate energy"
        )
