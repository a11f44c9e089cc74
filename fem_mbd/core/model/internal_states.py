"""Class `InternalStates`: states of parts that obey rates of their own, beside the nodes, in linear models.

With x the free unknowns of the nodes (n,), w the states (k,) and V the speed of the wind,

    w' = A w + B x + C x' + a V'        M x'' + … + F w + f V' = 0
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import block_diag, bmat, csc_matrix, csr_matrix, diags, hstack, identity, vstack
from scipy.sparse.linalg import splu

from fem_mbd.base.arrays import Array, Indices


@dataclass(frozen=True, eq=False)
class InternalStates:
    """Matrices about a steady state; see the module's docstring.

    Attributes
    ----------
    own : (k, k) A
    by_position, by_velocity : (k, n) B, C
    force : (n, k) F
    by_wind, wind_force : (k,) a and (n,) f, per m/s of the wind along the axis of the rotor
    nodes : (k, 2) the two nodes of the part of each state, the first of which has the axes; of a blade that at its tip
    names : (k,) of the states
    places : (k,) of strains that relax: their places in the histories of a `State`, one after the other; otherwise -1
    """

    own: csr_matrix
    by_position: csr_matrix
    by_velocity: csr_matrix
    force: csr_matrix
    by_wind: Array
    wind_force: Array
    nodes: Indices
    names: tuple[str, ...]
    places: Indices

    def __len__(self) -> int:
        return len(self.by_wind)

    @property
    def relaxing(self) -> bool:
        """Whether all states are strains that relax."""
        return bool((self.places >= 0).all())

    def of_blades(self, blades: Any) -> list[Indices]:
        """Indices of the states of each blade, given by its nodes (blades, n), in the same order for all."""
        return [np.flatnonzero(np.isin(self.nodes, nodes).any(axis=1)) for nodes in blades]

    def extended(self, matrices: Sequence[csr_matrix], bases: Sequence[csr_matrix]) -> tuple[csr_matrix, ...]:
        """Stiffness, rates and mass (r + k, r + k) with the states behind the unknowns, from (r, r) without them.

        A fourth matrix is the mass by which vectors are measured: what relaxes without moving anything has a size too.

        Parameters
        ----------
        matrices : stiffness, rates, mass
        bases : (n, r) onto which the equations are projected, and of the unknowns
        """
        stiffness, rates, mass = matrices
        by_position, by_velocity = (
            csr_matrix(matrix @ bases[1]) for matrix in (self.by_position, self.by_velocity)
        )
        force = csr_matrix(bases[0].T @ self.force)
        # rows of the states as forces
        size = np.sqrt(
            np.divide(
                _squares(force.T),
                _squares(by_velocity),
                where=_squares(by_velocity) > 0.0,
                out=np.ones(len(self)),
            )
        )
        scale = diags(np.where(size > 0.0, size, 1.0))
        return (
            csr_matrix(bmat([[stiffness, force], [-scale @ by_position, -scale @ self.own]])),
            csr_matrix(bmat([[rates, None], [-scale @ by_velocity, scale]])),
            csr_matrix(block_diag([mass, csr_matrix(self.own.shape)])),
            csr_matrix(block_diag([mass, scale @ diags(self.own.diagonal() ** -2.0)])),
        )

    def move(self, histories: Iterable[Any], change: Array) -> None:
        """Add a change (k,) of the states to histories of a `State`, as far as they are in there."""
        before = 0
        for history in histories:
            flat = (history.view(np.float64) if history.dtype.names else history).reshape(-1)
            inside = (self.places >= before) & (self.places < before + flat.size)
            flat[self.places[inside] - before] += change[inside]
            before += flat.size

    def follow(self, value: complex, x: Any) -> Any:
        """(k,) the states in a motion x (n,) times exp(value t)."""
        matrix = csc_matrix(value * identity(len(self)) - self.own)
        return splu(matrix).solve(
            np.asarray(self.by_position @ x + value * (self.by_velocity @ x), dtype=complex)
        )


def _squares(rows: Any) -> Array:
    """(k,) sums of squares of the rows."""
    return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()


def joined(states: Sequence[InternalStates]) -> InternalStates:
    """The states of several element classes as one."""
    if len(states) == 1:
        return states[0]
    rates = csr_matrix(block_diag([part.own for part in states]))
    by_position, by_velocity = (
        csr_matrix(vstack([getattr(part, name) for part in states]))
        for name in ("by_position", "by_velocity")
    )
    by_wind, nodes, places = (
        np.concatenate([getattr(part, name) for part in states]) for name in ("by_wind", "nodes", "places")
    )
    return InternalStates(
        rates, by_position, by_velocity, csr_matrix(hstack([part.force for part in states])), by_wind,
        np.sum([part.wind_force for part in states], axis=0), nodes, sum((part.names for part in states), ()), places,
    )  # fmt: skip
