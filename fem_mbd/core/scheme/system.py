"""Class `System`: a model as flat arrays, with mass properties, equation numbers, sparsity and scatter indices.

`scale_of` scales the linear equations of models whose masses are far from 1 kg: no unit decides what a zero pivot is.
Block LU, PETSc's LU, MUMPS and SuperLU compare pivots with numbers, some of them absolute. With D = 1/sqrt(mass) for
positions, 1/sqrt(moment of inertia) for rotations and sqrt(mass) for multipliers, diagonal entries of masses and of
constraints' mobilities in D A D are of order one. Scales are powers of two, so that nothing is rounded: updates of
models that need no scaling would be the same to the last bit, and are made without.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.model.function_values import jumps_of
from fem_mbd.core.model.model import Model, warn_of_unconnected_nodes
from fem_mbd.core.model.node import Point
from fem_mbd.core.model.output import describe_outputs
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.ranges import Measured
from fem_mbd.core.model.time_functions.base import TimeFunction
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import cross
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints, support
from fem_mbd.core.scheme.constraints.loops import LoopRanges
from fem_mbd.core.scheme.ledger import LEDGER, ROUND_OFF
from fem_mbd.core.scheme.matrix_structure import Coupled, structure_of
from fem_mbd.core.scheme.nodes.angular_momentum import MomentumRanges
from fem_mbd.core.scheme.nodes.node_kernels import NodeRanges
from fem_mbd.core.scheme.outputs import declared_outputs, describe_parts
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.errors import InputError

# masses (kg) and moments of inertia (kg m^2) for which pivots are far above 2.2e-14 and far below 1e300, as they are
UNSCALED = (1e-8, 1e12)


def power_of_two(numbers: Array) -> Array:
    """The next smaller powers of two of positive numbers."""
    return np.exp2(np.floor(np.log2(numbers)))


def scale_of(
    mass: Array, moment: Array, equation: Indices, constraint_mass: Array, constraints: Indices
) -> Array | None:
    """D (size,) of a model, None where its equations need no scaling.

    Parameters
    ----------
    mass, moment : (n,) kg and kg m^2 of the nodes, zero for nodes without
    equation : (n, 12) numbers of the nodes' equations, -1 for none
    constraint_mass : (m,) kg, the smaller one of those that each constraint joins
    constraints : (m, 2) numbers of the constraints' equations
    """
    moving = (equation >= 0).any(axis=1)
    positive = np.concatenate([values[moving & (values > 0.0)] for values in (mass, moment)])
    if not len(positive) or (positive.min() >= UNSCALED[0] and positive.max() <= UNSCALED[1]):
        return None
    scale = np.ones(int(max(equation.max(initial=-1), constraints.max(initial=-1))) + 1)
    for first, amount in ((0, mass), (3, moment), (6, mass), (9, moment)):
        usual = np.exp(np.log(amount[amount > 0.0]).mean()) if (amount > 0.0).any() else 1.0
        node_scale = power_of_two(np.where(amount > 0.0, amount, usual) ** -0.5)
        for k in range(first, first + 3):
            free = equation[:, k] >= 0
            scale[equation[free, k]] = node_scale[free]
    scale[constraints] = power_of_two(np.sqrt(constraint_mass))[:, None]
    return scale


COINCIDENT = 1e-6  # of the model's length: nodes that are closer count as at one place
CENTRED = 1e-12  # of the model's length: a point that is as near to the mass centre is there
POINT_SIZE = 1e-3  # m, least length of a model of point masses at one place: it has no scale of its own
_LEDGER_ROW = np.dtype([(name, "f8") for name in LEDGER])


class System:
    """A model prepared for the scheme, created once per run.

    Attributes
    ----------
    equation : (n, 12) equation number of each node unknown, -1 where it is fixed
    constraint_equation : (m, 2) those of the constraints and their multipliers (mean and jump)
    size : number of equations
    pattern : of the matrix, by blocks
    indptr, indices : the same as CSR, sorted
    supports : nodes, besides the ground, that are fixed or have a prescribed motion, in the order of the output
        "support"
    unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
    length : extent of the model, m
    coordinates : farthest place from the origin, at least its length, m: positions have the round-off of such numbers
    are_lengths : (m,) whether a constraint's value is a length; others are pure numbers, sines of angles
    elimination_work : multiplications of a factorisation in this numbering
    threads : number of threads for the loops over nodes and elements
    filled : whether the pattern includes the fill of a factorisation in place, unless that is large
    """

    def __init__(self, model: Model, threads: int = 1, filled: bool = False):
        if len(model.nodes) == 1:
            raise InputError(f"model '{model.name}' is empty: add bodies, beams, joints")
        if model.incomplete_part:
            raise InputError(
                f"model '{model.name}' contains a part of {model.incomplete_part}, which raised an error: build the "
                "model again"
            )
        self.model, self.threads, self.filled = model, threads, filled
        self.workspace = _workspace(model)
        extent, farthest = _extent(model)
        self.length = _length(model, self.workspace, extent)
        self.coordinates = max(self.length, farthest)
        self.fixed, supports = _fixed_components(model, self.workspace, self.length)
        specs = model.specs | (
            {ConstraintKind: [*model.specs.get(ConstraintKind, []), *supports]} if supports else {}
        )
        self.kinds: list[PartKind] = [kind(of_kind, self.workspace) for kind, of_kind in specs.items()]
        self._number()
        self.supports = [n.index for n in model.nodes[1:] if self.fixed[n.index].all()]
        self._check_supported()
        warn_of_unconnected_nodes(model, [kind.nodes for kind in self.kinds], self.supports)
        self.workspace.multipliers = np.zeros((self.constraints, 2))
        self.workspace.constraints = np.zeros((self.constraints, 2))
        self.workspace.lam = np.zeros(self.constraints)
        self.workspace.accepted = self.workspace.accepted._replace(
            multipliers=np.zeros((self.constraints, 2))
        )
        self.workspace.ledger = np.zeros(1, dtype=_LEDGER_ROW)
        self.workspace.amounts = self.workspace.ledger.view(np.float64)
        self.workspace.data = np.zeros(len(self.indices) + 1)
        self.redundant = 0  # constraints that depend on others, counted at the start of a run

    @property
    def joints(self) -> ConstraintKind | None:
        """The model's ideal joints, None when it has none."""
        return next((k for k in self.kinds if isinstance(k, ConstraintKind)), None)

    @cached_property
    def constrained(self) -> list[PartKind]:
        """The kinds with bilateral constraints."""
        return [kind for kind in self.kinds if kind.multipliers.any() and not kind.unilateral]

    def small_length(self, fraction: float) -> float:
        """A fraction of the model's length (m), where the round-off of its coordinates is not larger."""
        return max(fraction * self.length, ROUND_OFF * self.coordinates)

    def allowed_errors(self, fraction: float) -> Array:
        """(m,) the same of every constraint: a small length, or the fraction itself for pure numbers."""
        return np.where(self.are_lengths, self.small_length(fraction), fraction)

    @property
    def inertia_read(self) -> float:
        """Mass times length (kg m), which scales multipliers times dt^2, where forces depend on them; else zero."""
        if all(kind.read_rows is None for kind in self.kinds):
            return 0.0
        return float(self.workspace.mass.sum()) * self.coordinates

    @property
    def measured(self) -> list[Measured]:
        """All that has ranges: nodes, loops of joints, groups of free bodies, and the element classes."""
        names = [node.name for node in self.model.nodes]
        q = ambient_vectors(self.reference_state()) if self.constrained else np.zeros((0, 4, 3))
        loops = LoopRanges(self.constrained, self.fixed, q, self.length)
        free = MomentumRanges(self.kinds, self.fixed, self.model.point_masses, names)
        return [NodeRanges(names), loops, free, *self.kinds]

    @property
    def spacing(self) -> float:
        """The smallest distance (m) of two nodes of a flexible line; the length where there are none."""
        positions, distances = np.array([node.position for node in self.model.nodes]), [self.length]
        for kind in self.kinds:
            if not (kind.drawn == "line" and kind.resists_rotation):
                continue
            first, second = kind.nodes[:, :-1].ravel(), kind.nodes[:, 1:].ravel()
            both = (first > 0) & (second > 0)
            apart = np.linalg.norm(positions[first[both]] - positions[second[both]], axis=1)
            distances.append(float(apart[apart > COINCIDENT * self.length].min(initial=self.length)))
        return min(distances)

    @property
    def turns_with_nodes(self) -> bool:
        """Whether the stiffness turns with the nodes: of models with beams, whose other parts do not keep directions.

        Contacts, and constraints other than ideal joints, have directions of their own.
        """
        kept = (
            k.has_contacts or (k.multipliers.any() and not isinstance(k, ConstraintKind)) for k in self.kinds
        )
        return any(kind.turns_with_nodes for kind in self.kinds) and not any(kept)

    def scale(self) -> Array | None:
        """(size,) scale of the equations for linear solvers, None where they need none (`scale_of`)."""
        workspace = self.workspace
        lightest = np.full(self.constraints, np.inf)
        for kind in self.kinds:
            masses = np.where(
                (kind.nodes >= 0) & (workspace.mass[kind.nodes] > 0.0), workspace.mass[kind.nodes], np.inf
            )
            rows = kind.first_row.repeat(kind.multipliers) + _counted(kind.multipliers)
            lightest[rows] = masses.min(axis=1, initial=np.inf).repeat(kind.multipliers)
        lightest[~np.isfinite(lightest)] = 1.0
        moment = np.einsum("nii->n", workspace.inertia) / 3.0
        return scale_of(workspace.mass, moment, self.equation, lightest, self.constraint_equation)

    def _number(self) -> None:
        self._first_rows()
        coupled = [Coupled.of(kind) for kind in self.kinds]
        structure = structure_of(self.fixed, coupled, halved=self.threads > 1, filled=self.filled)
        self.equation, self.constraint_equation = structure.equation, structure.constraint_equation
        self.elimination_work = structure.elimination_work
        self.unit, self.size = structure.unit, len(structure.unit)
        self.pattern, self.node_slots = structure.pattern, structure.node_slots
        self.indptr, self.indices = self.pattern.indptr, self.pattern.indices
        for kind, slots in zip(self.kinds, structure.slots, strict=True):
            kind.slots = slots.copy()  # modal analysis writes to them
        self.workspace.column = self.pattern.column

    def _first_rows(self) -> None:
        row = 0
        for kind in self.kinds:
            counts = kind.multipliers
            kind.first_row = row + np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
            row += int(counts.sum())
        self.constraints = row
        lengths = [kind.are_lengths() for kind in self.kinds]
        self.are_lengths = np.concatenate([np.zeros(0, dtype=bool), *lengths])
        for kind in self.kinds:
            kind.find_rows(self.kinds)

    def _check_supported(self) -> None:
        """A node that is free to move needs mass; without any, its equations are singular."""
        fixed, no_rotation = self.fixed[:, :3], self.fixed[:, 3:].all(axis=1)
        for k in np.flatnonzero((self.workspace.mass == 0.0) & ~fixed.all(axis=1)):
            raise InputError(
                f"node '{self.model.nodes[k].name}' can move but has no mass: attach a beam, a body or a point mass, "
                "or fix it"
            )
        self._check_rotary_inertia(no_rotation)

    def _check_rotary_inertia(self, no_rotation: Flags) -> None:
        """The same for rotation about axes that are not fixed, except nodes whose rotation is fixed, (n,)."""
        free = ~no_rotation
        for kind in self.kinds:
            if kind.resists_rotation:
                free[kind.nodes[kind.nodes >= 0]] = False
        for k in np.flatnonzero(free):
            about = np.flatnonzero(~self.fixed[k, 3:])
            moments = np.linalg.eigvalsh(self.workspace.inertia[k][np.ix_(about, about)])
            if moments[0] <= 1e-14 * max(moments[-1], 1e-300):
                raise InputError(
                    f"node '{self.model.nodes[k].name}' is free to rotate but has no rotary inertia about some axis: "
                    "give the body an inertia, or use PointMass, which does not rotate"
                )

    def reference_state(self) -> State:
        """The reference configuration with the user's velocities (not yet made consistent)."""
        model, workspace = self.model, self.workspace
        r = np.array([node.rotation for node in model.nodes])
        arm = np.einsum("nij,nj->ni", r, workspace.centre)
        u = np.array([node.position for node in model.nodes]) + arm
        v, omega = np.zeros_like(u), np.zeros_like(u)
        for k, (velocity, spin) in model.velocities.items():
            v[k] = velocity + cross(spin, arm[k])
            omega[k] = r[k].T @ spin
        history = [k.history.copy() for k in self.kinds if k.history is not None]
        slope, lam = np.zeros((workspace.n, 6)), np.zeros((self.constraints, 2))
        return State(0.0, u, r, v, omega, slope, lam, history)

    def functions(self) -> list[TimeFunction]:
        """The functions of time of all prescribed motions, loads and drivers."""
        prescribed = [f for p in self.model.prescribed for f in (p.displacement, p.angle) if f is not None]
        return [*prescribed, *(f for kind in self.kinds for f in kind.time_functions())]

    def prepare_functions(self, begin: float, end: float) -> None:
        """Let the functions of time look for their jumps in a run from begin to end (s).

        Raises
        ------
        InputError
            For a prescribed motion that jumps, and a speed that cannot be integrated.
        """
        for function in self.functions():
            function.prepare(begin, end)
        for what, function, allowed in self._motions():
            if late := sorted(set(jumps_of(function, what, True)).difference(allowed)):
                raise InputError(
                    f"{what} jumps at t = {late[0]:.9g} s, where the work of a prescribed motion is infinite: use a "
                    "continuous transition, e.g. SmoothStep or a linear Table; or give the time of the jump, "
                    f"time_functions.FromCallable(function, kinks=({late[0]:.9g},)), and allow_jumps=True"
                )

    def _motions(self) -> Iterator[tuple[str, TimeFunction, tuple[float, ...]]]:
        """What is prescribed, by which function, and at which times (s) it may jump."""
        for motion in self.model.prescribed:
            for name, function in (("displacement", motion.displacement), ("angle", motion.angle)):
                if function is not None:
                    yield f"the prescribed {name} of node '{motion.node.name}'", function, motion.jumps
        for spec in self.joints.specs if self.joints is not None else ():
            for drive in spec.drives:
                yield f"the motion of {spec.joint} joint '{spec.name}'", drive.function, drive.jumps

    def breakpoints(self) -> tuple[float, ...]:
        """Times (s) at which functions of time have kinks: steps should end there."""
        return tuple(sorted({t for f in self.functions() for t in f.breakpoints()}))

    def jumps(self) -> tuple[float, ...]:
        """Times (s) at which prescribed motions jump."""
        times = {t for p in self.model.prescribed for t in p.jumps}
        return tuple(sorted(times.union(*(kind.jumps() for kind in self.kinds))))

    def describe(self) -> dict[str, Any]:
        """Description of the model as plain data for the result file."""
        extras = {"shapes": self.model.shapes, "load_stations": self.model.load_stations}
        return {
            "name": self.model.name,
            "gravity": self.model.gravity.tolist(),
            "nodes": self._describe_nodes(),
            "bodies": {name: node.index for name, node in self.model.bodies.items()},
            "equations": self.size,
            "constraints": self.constraints,
            "mass": float(self.workspace.mass.sum()),
            "supports": [self.model.nodes[k].name for k in self.supports],
            "outputs": describe_outputs(declared_outputs(self.kinds)),
            "parts": describe_parts(self.kinds),
        } | {name: data for name, data in extras.items() if data}

    def _describe_nodes(self) -> list[dict[str, Any]]:
        """Nodes with mass, mass centre (node axes) and inertia about it, from which momentum is computed."""
        workspace, nodes = self.workspace, self.model.nodes
        rotated = (np.array([node.rotation for node in nodes]) != np.eye(3)).any(axis=(1, 2)).tolist()
        masses, centres, inertias = (
            values.tolist() for values in (workspace.mass, workspace.centre, workspace.inertia)
        )
        described = []
        for node, is_rotated, mass, centre, inertia in zip(
            nodes, rotated, masses, centres, inertias, strict=True
        ):
            data: dict[str, Any] = {"name": node.name, "position": node.position.tolist()}
            if is_rotated:
                data["rotation"] = node.rotation.tolist()
            if mass > 0.0:
                data |= {"mass": mass, "centre": centre, "inertia": inertia}
            described.append(data)
        return described


def _counted(counts: Indices) -> Indices:
    """0, 1 … of each part with so many."""
    total = np.arange(counts.sum())
    return np.asarray(total - np.repeat(np.cumsum(counts) - counts, counts))


def _extent(model: Model, springs: bool = False) -> tuple[float, float]:
    """Extent of the nodes and of the ground's points of joints and contacts, and the farthest from the origin, m.

    The extent is the largest distance from the place that is farthest from the centre: the same in any axes.

    The ground's own node, at the origin, is no place of the model, which may be far away. Neither are, unless
    ``springs`` asks for them, the ground's points of springs, whose length often has no meaning.
    """
    places = [node.position for node in model.nodes[1:]]
    places += [point.position for point, _ in model.fixed_points if point.node is not model.ground]
    for spec in (spec for specs in model.specs.values() for spec in specs):
        for point in (getattr(spec, side, None) for side in ("k", "l")):
            counts = springs or getattr(spec, "has_place", True)
            if counts and isinstance(point, Point) and point.node is model.ground:
                places.append(point.position)
    points = np.array(places)
    from_centre = np.linalg.norm(points - points.mean(axis=0), axis=1)
    farthest = points[int(from_centre.argmax())]
    return float(np.linalg.norm(points - farthest, axis=1).max()), float(np.linalg.norm(points, axis=1).max())


def _length(model: Model, workspace: Workspace, extent: float) -> float:
    """The ``extent`` of the model, m, at least the largest radius of gyration of its nodes.

    Point masses at one place have no length: then it is the distance of the springs that hold them, and 1 mm at least.
    """
    moment, heavy = np.einsum("nii->n", workspace.inertia), workspace.mass > 0.0
    # tapering tips of blades can have slightly negative moments
    radius = float(np.sqrt(0.5 * np.maximum(moment[heavy], 0.0) / workspace.mass[heavy]).max(initial=0.0))
    if radius > 0.0 or np.ptp([node.position for node in model.nodes[1:]], axis=0).any():
        return max(extent, radius)
    return max(extent, _extent(model, springs=True)[0], POINT_SIZE)


def _fixed_components(model: Model, workspace: Workspace, length: float) -> tuple[Flags, list[Constraints]]:
    """Fixed unknowns (n, 6), and supports of fixed points that are not the mass centre of a node that rotates."""
    fixed = np.zeros((workspace.n, 6), dtype=bool)
    for node, components in model.fixed.items():
        fixed[node, [c for c in components if c >= 3]] = True
    supports: list[Constraints] = []
    for point, directions in model.fixed_points:
        k = point.node.index
        arm = np.abs(workspace.offset_from_centre(k, point.offset)).max()
        if fixed[k, 3:].all() or arm <= CENTRED * length:
            fixed[k, :3] |= directions
            continue
        name, number = f"support of {point.node.name}", sum(s.l.node is point.node for s in supports) + 1
        supports.append(support(name if number == 1 else f"{name}-{number}", model.ground, point, directions))
    return fixed, supports


def _workspace(model: Model) -> Workspace:
    masses = model.inertia
    return Workspace(masses.masses, masses.about_centres, masses.centres, model.gravity)
