"""Lumped mass and inertia of the nodes of a model; kg, m, node axes, moments and tensors about the node's position."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fem_mbd.base.arrays import Array, Indices

_MASS, _FIRST, _TENSOR = 0, slice(1, 4), slice(4, 13)  # columns


class Inertia:
    """Mass and inertia of one node.

    Parameters
    ----------
    amounts : (13,) mass, first moment and tensor, a view
    """

    __slots__ = ("_amounts",)

    def __init__(self, amounts: Array):
        self._amounts = amounts

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return float(self._amounts[_MASS])

    @property
    def first_moment(self) -> Array:
        """(3,) first moment of mass, kg m."""
        return self._amounts[_FIRST]

    @property
    def tensor(self) -> Array:
        """(3, 3) inertia tensor, kg m^2, about the node's position."""
        return self._amounts[_TENSOR].reshape(3, 3)

    @property
    def centre(self) -> Array:
        """(3,) mass centre, m; zero without mass."""
        return self.first_moment / self.mass if self.mass > 0 else np.zeros(3)

    @property
    def about_centre(self) -> Array:
        """(3, 3) inertia tensor about the mass centre, kg m^2."""
        return self.tensor - self.mass * _steiner(self.centre)


class Inertias:
    """Mass and inertia of all nodes, by the nodes' indices."""

    def __init__(self) -> None:
        self._amounts = np.zeros((0, 13))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, node: int) -> Inertia:
        if not 0 <= node < self._count:
            raise IndexError(f"there is no node {node}")
        return Inertia(self._amounts[node])

    def __setitem__(self, node: int, inertia: Inertia) -> None:
        target = self[node]
        target.first_moment[:], target.tensor[:] = inertia.first_moment, inertia.tensor
        self._amounts[node, _MASS] = inertia.mass

    def __iter__(self) -> Iterator[Inertia]:
        return (self[node] for node in range(self._count))

    def extend(self, nodes: int) -> None:
        """Append so many nodes without mass."""
        self._count += nodes
        if self._count > len(self._amounts):
            larger = np.zeros((max(self._count, 2 * len(self._amounts)), 13))
            larger[: len(self._amounts)] = self._amounts
            self._amounts = larger

    def add(self, nodes: Indices, mass: Array, about_centre: Array, centre: Array) -> None:
        """Lump masses (k,) at nodes (k,), one after the other.

        about_centre : (k, 3, 3) about the mass centre; centre (3,) of all of them
        """
        amounts = np.empty((len(nodes), 13))
        amounts[:, _MASS], amounts[:, _FIRST] = mass, mass[:, None] * centre
        tensors = about_centre + mass[:, None, None] * _steiner(centre)
        amounts[:, _TENSOR] = tensors.reshape(-1, 9)
        np.add.at(self._amounts, nodes, amounts)

    @property
    def masses(self) -> Array:
        """(n,) masses."""
        return self._amounts[: self._count, _MASS].copy()

    @property
    def centres(self) -> Array:
        """(n, 3) mass centres."""
        mass, first = self.masses[:, None], self._amounts[: self._count, _FIRST]
        return np.divide(first, mass, out=np.zeros_like(first), where=mass > 0)

    @property
    def about_centres(self) -> Array:
        """(n, 3, 3) inertia tensors about the mass centres."""
        tensors = self._amounts[: self._count, _TENSOR].reshape(-1, 3, 3).copy()
        for node in np.flatnonzero(self.centres.any(axis=1)):
            tensors[node] = self[node].about_centre
        return tensors


def _steiner(centre: Array) -> Array:
    """(3, 3) inertia tensor of a unit mass at a position (3,)."""
    return np.asarray(centre @ centre * np.eye(3) - np.outer(centre, centre))
