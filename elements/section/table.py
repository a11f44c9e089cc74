"""Sections at stations along a beam, and their exact integration over beam elements.

Between two stations the stiffness and the mass matrix (6, 6) are linear in s, the fraction of the beam's length, as in
the blade files of BeamDyn and HAWC2. An element integrates such a table exactly: with l_g the polynomials
through its Gauss points and N_k the shape functions of its nodes,

    C_g = (1/w_g) int l_g C ds           M_k = int N_k M ds

For a table that is linear inside the element these are the table's value at the Gauss point and the weight of the
Gauss-Lobatto rule (4 nodes); with stations inside the element the integrals, such as the total mass, remain exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.elements.quadrature import LOBATTO_NODES, LOBATTO_WEIGHTS, gauss_rule, lagrange_values
from fem_mbd.elements.section.section import Section
from fem_mbd.errors import InputError

ROUND_OFF = 1e-9  # fraction of an inertia: smaller negative moments are round-off
_PIECE = np.polynomial.legendre.leggauss(3)  # exact for cubic shape functions times a linear table


@dataclass(frozen=True, eq=False)
class SectionTable:
    """Sections at stations along a beam; stiffness and mass are linear between them.

    Parameters
    ----------
    s : (n,) fractions of the beam's length, ascending from 0 to 1
    sections : n of `Section`, two at least

    Raises
    ------
    InputError
        For fractions out of order, and unless there is one `Section` for each.
    """

    s: Any
    sections: Sequence[Section]

    def __post_init__(self) -> None:
        s = array(self.s, np.shape(self.s), "SectionTable s")
        if s.ndim != 1 or len(s) < 2 or len(s) != len(self.sections):
            raise InputError(
                f"SectionTable has fractions of shape {s.shape} and {len(self.sections)} sections: "
                "give one section for each fraction, two at least"
            )
        wrong = [k + 1 for k, section in enumerate(self.sections) if not isinstance(section, Section)]
        if wrong:
            raise InputError(
                f"SectionTable: station {wrong[0]} is {self.sections[wrong[0] - 1]!r}: give a Section"
            )
        if s[0] != 0.0 or s[-1] != 1.0 or np.any(np.diff(s) <= 0.0):
            raise InputError(f"SectionTable s must ascend from 0 to 1, it is {s.tolist()}")
        object.__setattr__(self, "s", s)
        object.__setattr__(self, "sections", tuple(self.sections))

    @cached_property
    def stiffness(self) -> Array:
        """(n, 6, 6) of the stations."""
        return np.array([section.stiffness for section in self.sections])

    @cached_property
    def mass(self) -> Array:
        """(n, 6, 6) mass matrices of the stations, see `Section.mass_matrix`."""
        return np.array([section.mass_matrix for section in self.sections])

    def mass_at(self, s: Array) -> Array:
        """(k, 6, 6) mass matrices, linear between the stations.

        Parameters
        ----------
        s : (k,) fractions of the length
        """
        return self._linear(self.mass, s)

    def stiffness_at(self, s: Array) -> Array:
        """(k, 6, 6) stiffnesses, linear between the stations.

        Parameters
        ----------
        s : (k,) fractions of the length
        """
        return self._linear(self.stiffness, s)

    def _linear(self, stations: Array, s: Array) -> Array:
        after = np.clip(np.searchsorted(self.s, s), 1, len(self.s) - 1)
        part = ((s - self.s[after - 1]) / (self.s[after] - self.s[after - 1]))[:, None, None]
        return np.asarray((1 - part) * stations[after - 1] + part * stations[after])

    def __call__(self, s: float) -> Section:
        """The section at the fraction `s`."""
        k = int(np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2))
        part = float((s - self.s[k]) / (self.s[k + 1] - self.s[k]))
        if part in (0.0, 1.0):
            return self.sections[k + int(part)]
        pair = self.sections[k], self.sections[k + 1]
        stiffness = (1 - part) * self.stiffness[k] + part * self.stiffness[k + 1]
        mass = (1 - part) * self.mass[k] + part * self.mass[k + 1]
        if pair[0].damping is None and pair[1].damping is None:
            return Section.from_mass_matrix(stiffness, mass)
        return Section.from_mass_matrix(
            stiffness, mass, (1 - part) * pair[0].viscosity + part * pair[1].viscosity
        )

    def inside(self, start: float, end: float) -> Array:
        """Stations strictly between two positions.

        Parameters
        ----------
        start, end : fractions of the length
        """
        tolerance = 1e-9 * (end - start)
        return np.asarray(self.s[(self.s > start + tolerance) & (self.s < end - tolerance)])


@dataclass(frozen=True, eq=False)
class ElementSections:
    """Section data of one element.

    stiffness, viscosity : (ng, 6, 6) at its Gauss points; the viscosity is that of the sections alone
    sections, shares : (k,) sections and (nodes, k) fractions of the element's length of each section at each node, of
        sum 1
    """

    stiffness: Array
    viscosity: Array
    sections: list[Section]
    shares: Array


def element_sections(
    section: Any, at: Callable[[float], Section], order: int, ends: tuple[float, float], beam: str
) -> ElementSections:
    """The sections of the element between two fractions of the length; `at` gives the section at a fraction.

    Raises
    ------
    InputError
        Naming the beam, for a table that varies too much for one element.
    """
    start, length = ends[0], ends[1] - ends[0]
    gauss = gauss_rule(order)[0]
    if not isinstance(section, SectionTable):
        # a section that varies smoothly: Gauss points for the stiffness, nodes for the mass
        sections = [at(float(start + length * 0.5 * (1 + x))) for x in LOBATTO_NODES[order]]
        inner = [at(float(start + length * 0.5 * (1 + x))) for x in gauss]
        stiffness, viscosity = np.array([c.stiffness for c in inner]), np.array([c.viscosity for c in inner])
        return ElementSections(stiffness, viscosity, sections, np.diag(LOBATTO_WEIGHTS[order] / 2))
    fractions, on_gauss, shares = _projections(section, order, *ends)
    sections = [at(float(s)) for s in fractions]
    stiffness = np.einsum("gk,kij->gij", on_gauss, [np.asarray(c.stiffness) for c in sections])
    viscosity = np.einsum("gk,kij->gij", on_gauss, [c.viscosity for c in sections])
    masses = shares @ [c.mass_per_length for c in sections]
    if masses.min() <= 0.0 or not all(_definite(c) for c in stiffness):
        raise InputError(
            f"{beam}: its sections vary too much between s = {ends[0]:.4g} and {ends[1]:.4g} for one element: "
            "use more elements there, or place element ends at the stations"
        )
    return ElementSections(stiffness, viscosity, sections, shares)


def fits_one_element(table: SectionTable, order: int, start: float, end: float) -> bool:
    """Whether one element of ``order`` nodes represents the table between two fractions of the length well.

    Also each node's share of the inertia has to be that of a body, which `element_sections` does not ask for: where a
    tip tapers fast, one long element gives its last node a slightly negative moment of inertia.
    """
    fractions, on_gauss, shares = _projections(table, order, start, end)
    stiffness, masses = table.stiffness_at(fractions), table.mass_at(fractions)
    return _possible(np.einsum("gk,kij->gij", on_gauss, stiffness), np.einsum("nk,kij->nij", shares, masses))


def _projections(table: SectionTable, order: int, start: float, end: float) -> tuple[Array, Array, Array]:
    """Fractions (k,) of evaluation, and their weights for Gauss points (ng, k) and nodes (n, k)."""
    fractions, weights = _points(table, start, end)
    x = 2 * (fractions - start) / (end - start) - 1
    points, gauss_weights = gauss_rule(order)[:2]
    on_gauss = lagrange_values(points, x) * weights / (0.5 * gauss_weights[:, None])
    return fractions, on_gauss, lagrange_values(LOBATTO_NODES[order], x) * weights


def _possible(stiffness: Array, masses: Array) -> bool:
    """Whether stiffnesses (ng, 6, 6) are positive definite and mass matrices (n, 6, 6) those of bodies."""
    return all(_is_body(m) for m in masses) and all(_definite(c) for c in stiffness)


def _is_body(mass: Array) -> bool:
    """Whether the mass is positive, and the inertia about the mass centre not negative."""
    if mass[0, 0] <= 0.0:
        return False
    coupling = mass[3:, :3]
    inertia = mass[3:, 3:] - coupling @ coupling.T / mass[0, 0]
    return bool(np.linalg.eigvalsh(inertia)[0] >= -ROUND_OFF * np.abs(mass[3:, 3:]).max())


def _points(table: SectionTable, start: float, end: float) -> tuple[Array, Array]:
    """Fractions (k,) and weights (k,), of sum 1, that integrate the table over the element from start to end."""
    edges = np.concatenate([[start], table.inside(start, end), [end]])
    points, weights = _PIECE
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    fractions = middle[:, None] + half[:, None] * points
    return fractions.ravel(), (half[:, None] * weights).ravel() / (end - start)


def _definite(stiffness: Array) -> bool:
    diagonal = np.diag(stiffness)
    if np.any(diagonal <= 0.0):
        return False
    return bool(np.linalg.eigvalsh(stiffness / np.sqrt(np.outer(diagonal, diagonal)))[0] > 0.0)
