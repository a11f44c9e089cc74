"""From a model to flat arrays: mass properties, numbering, sparsity and scatter maps, all made once per run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.arrays import Indices
from fem_mbd.errors import InputError
from fem_mbd.model.model import Model
from fem_mbd.model.node import Node
from fem_mbd.model.output import describe_outputs
from fem_mbd.model.part_kind import PartKind
from fem_mbd.model.time_function_base import TimeFunction
from fem_mbd.model.workspace import Workspace
from fem_mbd.scheme.constraint_kind import ConstraintKind
from fem_mbd.scheme.ledger_names import LEDGER
from fem_mbd.scheme.loose_ends import warn_of_loose_ends
from fem_mbd.scheme.numbering import number_equations
from fem_mbd.scheme.outputs import declared_outputs, describe_parts
from fem_mbd.scheme.state import State

# unknown of a node (a, b, c, e) -> component of motion: translations 0-2, rotations 3-5
COMPONENT = np.array([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5])


class System:
    """A model made ready for the scheme.

    Attributes
    ----------
    equation : (n, 12) equation number of each node unknown, -1 where it is held
    constraint_equation : (m, 2) those of the constraints and their multipliers (mean and jump)
    size : number of equations
    indptr, indices : the matrix pattern (CSR, sorted, explicit diagonal)
    supports : nodes, besides the ground, that are held or moved as given; their order is that of the output "support"
    unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
    length : a characteristic length of the model, m
    elimination_work : multiplications of a factorisation in this numbering
    """

    def __init__(self, model: Model):
        if len(model.nodes) == 1:
            raise InputError(f"model '{model.name}' is empty: add bodies, beams, joints")
        if model.half_built:
            raise InputError(
                f"model '{model.name}' holds a part of {model.half_built}, which was refused: build the model anew"
            )
        self.model = model
        self.work = _workspace(model)
        self.kinds: list[PartKind] = [kind(specs, self.work) for kind, specs in model.specs.items()]
        self._number()
        self.supports = [n.index for n in model.nodes[1:] if self.held[n.index].all()]
        self._check_supported()
        warn_of_loose_ends(model, [kind.nodes for kind in self.kinds], self.supports)
        self._pattern()
        self.work.multipliers = np.zeros((self.constraints, 2))
        self.work.constraints = np.zeros((self.constraints, 2))
        self.work.lam = np.zeros(self.constraints)
        self.work.ledger = np.zeros(1, dtype=[(name, "f8") for name in LEDGER])
        self.work.amounts = self.work.ledger.view(np.float64)
        self.work.data = np.zeros(len(self.indices) + 1)
        places = np.array([node.position for node in model.nodes])
        self.redundant = 0  # constraints that depend on others, counted at the start of a run
        self.length = max(float(np.ptp(places, axis=0).max()), 1e-3)

    @property
    def joints(self) -> ConstraintKind | None:
        """The model's ideal joints, None when it has none."""
        return next((k for k in self.kinds if isinstance(k, ConstraintKind)), None)

    @property
    def constrained(self) -> list[PartKind]:
        """The kinds that have constraints."""
        return [kind for kind in self.kinds if kind.multipliers.any()]

    @property
    def inertia_read(self) -> float:
        """Mass times length (kg m), which scales multipliers times dt^2, where forces depend on them; else zero."""
        if all(kind.read_rows is None for kind in self.kinds):
            return 0.0
        return float(self.work.mass.sum()) * max(self.length, 1.0)  # round-off of places is that of a metre

    def _number(self) -> None:
        n = self.work.n
        held = np.zeros((n, 6), dtype=bool)
        for node, components in self.model.fixed.items():
            held[node, list(components)] = True
        self.held = held
        free = ~held[:, COMPONENT]
        self._first_rows()
        pairs = self.constraint_nodes()
        self.equation, self.constraint_equation, self.elimination_work = number_equations(
            free, [k.nodes for k in self.kinds], pairs
        )
        self.free = int(free.sum())
        self.size = self.free + 2 * self.constraints
        unit = np.full(self.size, 2, dtype=np.int64)
        unit[self.equation[free]] = np.tile(np.where(COMPONENT < 3, 0, 1), (n, 1))[free]
        self.unit = unit

    def _first_rows(self) -> None:
        row = 0
        for kind in self.kinds:
            counts = kind.multipliers
            kind.first_row = row + np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
            row += int(counts.sum())
        self.constraints = row
        for kind in self.kinds:
            kind.find_rows(self.kinds)

    def constraint_nodes(self) -> Indices:
        """(m, 2) nodes that each constraint joins."""
        pairs = [
            np.repeat(kind.nodes, kind.multipliers, axis=0) for kind in self.kinds if kind.multipliers.any()
        ]
        return np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)

    def _check_supported(self) -> None:
        """A node that is free to move needs mass; without any, its equations are singular."""
        for node in self.model.nodes:
            k = node.index
            if self.work.mass[k] == 0.0 and not self.held[k, :3].all():
                raise InputError(
                    f"node '{node.name}' can move but has no mass: attach a beam, a body or a point mass, or fix it"
                )
            partly = self.held[k, :3].any() and not self.held[k, 3:].all()
            if partly and np.abs(self.work.centre[k]).max() > 1e-12:
                raise InputError(
                    f"node '{node.name}': its place is fixed but its mass centre is elsewhere and free to turn; "
                    "use a spherical joint to ground instead"
                )
        self._check_rotary_inertia()

    def _check_rotary_inertia(self) -> None:
        stiff = {int(n) for kind in self.kinds if kind.resists_turning for n in np.unique(kind.nodes)}
        for node in self.model.nodes:
            k = node.index
            if k in stiff or self.held[k, 3:].all():
                continue
            moments = np.linalg.eigvalsh(self.work.inertia[k])
            if moments[0] <= 1e-14 * max(moments[-1], 1e-300):
                raise InputError(
                    f"node '{node.name}' is free to turn but has no rotary inertia about some axis: "
                    "give the body an inertia, or use PointMass, which does not turn"
                )

    def _local_equations(self, kind: PartKind) -> Indices:
        """(n_parts, L) equation of each local unknown, -1 where held or absent."""
        parts, width = kind.nodes.shape
        eqs = np.where(kind.nodes[:, :, None] >= 0, self.equation[kind.nodes], -1).reshape(parts, 12 * width)
        most = int(kind.multipliers.max(initial=0))
        extra = np.full((parts, 2 * most), -1, dtype=np.int64)
        for j in range(most):
            has = kind.multipliers > j
            extra[has, 2 * j : 2 * j + 2] = self.constraint_equation[kind.first_row[has] + j]
        return np.concatenate([eqs, extra, self._read_equations(kind)], axis=1)

    def _read_equations(self, kind: PartKind) -> Indices:
        """(n_parts, 2 r) equations of the multipliers that a kind reads from others, -1 where there is none."""
        rows = np.zeros((len(kind.nodes), 0), dtype=np.int64) if kind.read_rows is None else kind.read_rows
        if not rows.size:
            return rows
        found = np.where(rows[:, :, None] >= 0, self.constraint_equation[rows], -1)
        return found.reshape(len(rows), -1)

    def _pattern(self) -> None:
        local = [self._local_equations(kind) for kind in self.kinds] + [self.equation]
        keys = [np.arange(self.size, dtype=np.int64) * (self.size + 1)]
        for eqs in local:
            for at in range(0, len(eqs), 4096):
                keys.append(np.unique(_pair_keys(eqs[at : at + 4096], self.size)))
        key = np.unique(np.concatenate(keys))
        key = key[key >= 0]
        self.indices = (key % self.size).astype(np.int32)
        counts = np.bincount(key // self.size, minlength=self.size)
        self.indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        slots = [_slots(eqs, key, self.size) for eqs in local]
        for kind, slot in zip(self.kinds, slots[:-1], strict=True):
            kind.slots = slot
        self.node_slots = slots[-1]
        self.multiplier_diagonal = np.searchsorted(key, self.constraint_equation.ravel() * (self.size + 1))

    def reference_state(self) -> State:
        """The reference configuration with the velocities that the user gave (not yet made consistent)."""
        model, work = self.model, self.work
        r = np.array([node.rotation for node in model.nodes])
        arm = np.einsum("nij,nj->ni", r, work.centre)
        u = np.array([node.position for node in model.nodes]) + arm
        v, omega = np.zeros_like(u), np.zeros_like(u)
        for k, (velocity, spin) in model.velocities.items():
            v[k] = velocity + np.cross(spin, arm[k])
            omega[k] = r[k].T @ spin
        history = [k.history.copy() for k in self.kinds if k.history is not None]
        slope, lam = np.zeros((work.n, 6)), np.zeros((self.constraints, 2))
        return State(0.0, u, r, v, omega, slope, lam, history)

    def functions(self) -> list[TimeFunction]:
        """The functions of time of all motions that are given, loads and drivers."""
        given = [f for p in self.model.prescribed for f in (p.displacement, p.angle) if f is not None]
        return [*given, *(f for kind in self.kinds for f in kind.given_functions())]

    def breakpoints(self) -> tuple[float, ...]:
        """Instants (s) at which given functions of time have kinks: steps should end there."""
        return tuple(sorted({t for f in self.functions() for t in f.breakpoints()}))

    def jumps(self) -> tuple[float, ...]:
        """Instants (s) at which given motions jump."""
        times = {t for p in self.model.prescribed for t in p.jumps}
        return tuple(sorted(times.union(*(kind.jumps() for kind in self.kinds))))

    def describe(self) -> dict[str, Any]:
        """Plain data for the result file: what the model consists of."""
        extras = {"shapes": self.model.shapes, "load_stations": self.model.load_stations}
        return {
            "name": self.model.name,
            "gravity": self.model.gravity.tolist(),
            "nodes": [self._describe_node(node) for node in self.model.nodes],
            "bodies": {name: node.index for name, node in self.model.bodies.items()},
            "equations": self.size,
            "constraints": self.constraints,
            "mass": float(self.work.mass.sum()),
            "supports": [self.model.nodes[k].name for k in self.supports],
            "outputs": describe_outputs(declared_outputs(self.kinds)),
            "parts": describe_parts(self.kinds),
        } | {name: data for name, data in extras.items() if data}

    def _describe_node(self, node: Node) -> dict[str, Any]:
        """With its mass, mass centre (node axes) and inertia about it, from which momentum is found."""
        k, work = node.index, self.work
        data: dict[str, Any] = {"name": node.name, "position": node.position.tolist()}
        if np.any(node.rotation != np.eye(3)):
            data["rotation"] = node.rotation.tolist()
        if work.mass[k] > 0.0:
            data |= {"mass": float(work.mass[k]), "centre": work.centre[k].tolist()}
            data |= {"inertia": work.inertia[k].tolist()}
        return data


def _workspace(model: Model) -> Workspace:
    mass = np.array([i.mass for i in model.inertia])
    inertia = np.array([i.about_centre for i in model.inertia])
    centre = np.array([i.centre for i in model.inertia])
    return Workspace(mass, inertia, centre, model.gravity)


def _pair_keys(eqs: Indices, size: int) -> Indices:
    """row * size + column for all pairs of local unknowns, negative where one is held; (parts, L, L)."""
    row, col = eqs[:, :, None], eqs[:, None, :]
    return np.where((row >= 0) & (col >= 0), row * size + col, -1)


def _slots(eqs: Indices, key: Indices, size: int) -> NDArray[np.int32]:
    """Position of each local pair in the matrix values; held pairs point at the dump entry behind them."""
    pairs = _pair_keys(eqs, size)
    return np.where(pairs >= 0, np.searchsorted(key, pairs), len(key)).astype(np.int32)
