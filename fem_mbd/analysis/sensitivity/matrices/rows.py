"""Rows and columns of the matrices of a step, and the entities that they belong to (`columns`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.matrices.columns import Direction, Entities, directions
from fem_mbd.analysis.sensitivity.matrices.matrix_kernels import MOTION
from fem_mbd.analysis.sensitivity.phases import CONTACT
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.outputs import NODE_OUTPUTS, SUPPORT
from fem_mbd.core.scheme.system import System

NODES = {output.name for output in NODE_OUTPUTS}
ROTATION = slice(3, 6)


class Numbers:
    """The numbers of a state that derivatives are taken by: displacement, turn, velocity and angular velocity of each
    node, then the reactions of constraints, which only outputs read, then the numbers of histories.

    Parameters
    ----------
    system : of the model

    Attributes
    ----------
    size : how many they are
    entity : (size,) the entity that each belongs to
    of_nodes, of_reactions : slices
    of_histories : (place in the system's kinds, slice) of each kind with a history
    """

    def __init__(self, system: System):
        self.system, self.entities = system, Entities(system)
        n, m = self.entities.nodes, self.entities.constraints
        entity = [np.repeat(np.arange(n), MOTION), n + np.arange(m)]
        self.of_nodes, self.of_reactions = slice(0, MOTION * n), slice(MOTION * n, MOTION * n + m)
        self.size, self.of_histories = MOTION * n + m, []
        for k, kind in enumerate(system.kinds):
            if kind.history is not None:
                parts = kind.history_parts()
                each = kind.history.nbytes // 8 // max(len(parts), 1)
                entity.append(self.entities.first_part[k] + np.repeat(parts, each))
                own = slice(self.size, self.size + len(entity[-1]))
                self.of_histories.append((k, own))
                self.size = own.stop
        self.entity: Indices = np.concatenate(entity)
        velocities = np.arange(MOTION * n).reshape(n, MOTION)
        self.velocities: Indices = np.concatenate([velocities[:, 6:9].ravel(), velocities[:, 9:].ravel()])

    def from_changes(self, change: Array, state: Array) -> Array:
        """(size,) a small change of a state, as `StateVector` has it, in these numbers."""
        n, m = self.entities.nodes, self.entities.constraints
        u, r = change[: 3 * n].reshape(n, 3), change[3 * n : 12 * n].reshape(n, 3, 3)
        v, omega = change[12 * n : 15 * n].reshape(n, 3), change[15 * n : 18 * n].reshape(n, 3)
        spun = np.einsum("nji,njk->nik", state[3 * n : 12 * n].reshape(n, 3, 3), r)
        turn = 0.5 * np.stack(
            [spun[:, 2, 1] - spun[:, 1, 2], spun[:, 0, 2] - spun[:, 2, 0], spun[:, 1, 0] - spun[:, 0, 1]],
            axis=1,
        )
        motion = np.concatenate([u, turn, v, omega], axis=1).ravel()
        return np.concatenate([motion, change[24 * n + 2 * m :]])

    def by_state(self) -> list[Direction]:
        """Directions of the numbers of the state but velocities."""
        entities, own = self.entities, np.arange(MOTION * self.entities.nodes).reshape(-1, MOTION)
        found = directions([(own[k, :6].tolist(), entities.far(k)) for k in range(1, entities.nodes)])
        for _, place in self.of_histories:
            of_parts: dict[int, list[int]] = {}
            for column in range(place.start, place.stop):
                of_parts.setdefault(int(self.entity[column]), []).append(column)
            width = max(map(len, of_parts.values()), default=0)
            found += directions(
                [(some + [-1] * (width - len(some)), entities.far(part)) for part, some in of_parts.items()]
            )
        return found

    def by_velocities(self) -> list[Direction]:
        """Directions of velocities, which no part reads: they enter the equations of their own node."""
        own = np.arange(MOTION * self.entities.nodes).reshape(-1, MOTION)
        return directions([(own[k, 6:].tolist(), frozenset({k})) for k in range(1, self.entities.nodes)])

    def by_reactions(self) -> list[Direction]:
        """Directions of the reactions of constraints."""
        n, first = self.entities.nodes, self.of_reactions.start
        return directions(
            [([first + l], self.entities.near(n + l)) for l in range(self.entities.constraints)]
        )

    def by_unknowns(self, watched: set[str], exact: bool) -> list[Direction]:
        """Directions of the unknowns of a step.

        Parameters
        ----------
        watched : names of outputs that are differentiated
        exact : whether the derivatives of the equations by them are known; else they are wanted too
        """
        entities, system = self.entities, self.system
        kinds = [
            k
            for k, kind in enumerate(system.kinds)
            if kind.history is not None or watched & _outputs_of(kind)
        ]
        ends = [*entities.first_part, entities.count]
        parts = {one for k in kinds for one in range(ends[k], ends[k + 1])}
        far = not exact or SUPPORT.name in watched

        def reached(entity: int) -> frozenset[int]:
            if far:
                return entities.far(entity)
            return frozenset({entity}) | (entities.near(entity) & parts)

        n = entities.nodes
        found = directions([(system.equation[k].tolist(), reached(k)) for k in range(1, n)])
        if far or watched or any(kind.read_rows is not None for kind in system.kinds):
            pairs = system.constraint_equation
            found += directions([(pairs[l].tolist(), reached(n + l)) for l in range(len(pairs))])
        return found

    @property
    def of_equations(self) -> Indices:
        """(equations,) entity of each equation, and of each unknown."""
        found, n = np.zeros(self.system.size, dtype=np.int64), self.entities.nodes
        free = self.system.equation >= 0
        found[self.system.equation[free]] = np.broadcast_to(np.arange(n)[:, None], free.shape)[free]
        pairs = self.system.constraint_equation
        found[pairs] = n + np.arange(len(pairs))[:, None]
        return found

    def of_output(self, name: str, arrays: list[Any]) -> Indices:
        """(numbers,) entity of each number of an output, given its arrays."""
        widths = [one.nbytes // 8 // max(len(one), 1) for one in arrays]
        if name in NODES:
            rows = [np.arange(self.entities.nodes)]
        elif name == SUPPORT.name:
            rows = [np.array(self.system.supports, dtype=np.int64)]
        else:
            rows = []
            for first, kind in zip(self.entities.first_part, self.system.kinds, strict=True):
                for output in kind.recorded:
                    if output.name == name:
                        counts = np.asarray(kind.row_counts(output), dtype=np.int64)
                        rows.append(first + np.repeat(np.arange(len(counts)), counts))
            if name == CONTACT:
                rows = [np.concatenate(rows)]
        return np.concatenate([np.repeat(own, width) for own, width in zip(rows, widths, strict=True)])


def _outputs_of(kind: PartKind) -> set[str]:
    return {output.name for output in kind.recorded} | ({CONTACT} if kind.has_contacts else set())
