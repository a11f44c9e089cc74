"""Sections at stations along a beam, and their exact integration over beam elements.

Between two stations the stiffness C and the mass matrix M (6, 6) are linear in s, the fraction of the beam's length, as
in the blade files of BeamDyn and HAWC2. Within an element the stress resultants vary little, the strains as the
compliance does: an element integrates compliance and mass. With l_g the polynomials through its Gauss points and N_k
the shape functions of its nodes,

    S_g = (1/w_g) int l_g S ds,  S = C^-1           M_k = int N_k M ds

so that the deflection under end forces and moments is that of the table, whatever the mesh. Where the table varies so
much in an element that an S_g is not positive definite, l_g are functions linear between the Gauss points (a hinge in
an element): their sum, the element's compliance, is the same. Without stations inside, as in the last piece of a tip,
whose compliance is at its free end, C at the Gauss points is the table's.
Viscosity is treated as stiffness is, by the power S D S of stress rates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.elements.quadrature import LOBATTO_NODES, LOBATTO_WEIGHTS, gauss_rule, lagrange_values
from fem_mbd.elements.section.section import Section
from fem_mbd.errors import InputError

ROUND_OFF = 1e-9  # fraction of an inertia: smaller negative moments are round-off
_PIECE = np.polynomial.legendre.leggauss(3)  # exact for cubic shape functions times a linear table
_SMOOTH = np.polynomial.legendre.leggauss(6)  # for the inverse of a linear table, see `_compliance_points`
EVEN = 1e-3  # growth of a stiffness below which points are spaced evenly


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

    @cached_property
    def viscosity(self) -> Array:
        """(n, 6, 6) of the stations, without the damping of the beam."""
        return np.array([section.viscosity for section in self.sections])

    @cached_property
    def elements(self) -> dict[tuple[int, float, float], ElementSections]:
        """Sections of elements by order and ends: the blades of a rotor share their table."""
        return {}

    @cached_property
    def _between(self) -> dict[float, Section]:
        return {}

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

    def viscosity_at(self, s: Array) -> Array:
        """(k, 6, 6) viscosities, linear between the stations.

        Parameters
        ----------
        s : (k,) fractions of the length
        """
        return self._linear(self.viscosity, s)

    def _linear(self, stations: Array, s: Array) -> Array:
        after = np.clip(np.searchsorted(self.s, s), 1, len(self.s) - 1)
        part = ((s - self.s[after - 1]) / (self.s[after] - self.s[after - 1]))[:, None, None]
        return np.asarray((1 - part) * stations[after - 1] + part * stations[after])

    def __call__(self, s: float) -> Section:
        """The section at the fraction `s`."""
        if s not in self._between:
            self._between[s] = self._at(s)
        return self._between[s]

    def _at(self, s: float) -> Section:
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
    if (order, *ends) in section.elements:
        return section.elements[(order, *ends)]
    fractions, _, shares = _projections(section, order, *ends)
    sections = [at(float(s)) for s in fractions]
    stiffness, viscosity = _in_series(section, order, *ends)
    if (shares @ [c.mass_per_length for c in sections]).min() <= 0.0:
        raise InputError(
            f"{beam}: its sections vary too much between s = {ends[0]:.4g} and {ends[1]:.4g} for one element: "
            "use more elements there, or place element ends at the stations"
        )
    section.elements[(order, *ends)] = projected = ElementSections(stiffness, viscosity, sections, shares)
    return projected


def _in_series(table: SectionTable, order: int, start: float, end: float) -> tuple[Array, Array]:
    """Stiffness and viscosity (ng, 6, 6) of Gauss points, by the compliance and the loss of an element's sections."""
    points, gauss_weights = gauss_rule(order)[:2]
    fractions, weights = _compliance_points(table, start, end)
    x = 2 * (fractions - start) / (end - start) - 1
    compliance, loss = _means(
        table, fractions, lagrange_values(points, x) * weights / (0.5 * gauss_weights[:, None])
    )
    if not all(_definite(c) for c in compliance):
        if not len(table.inside(start, end)):
            at = start + (end - start) * 0.5 * (1.0 + points)
            return table.stiffness_at(at), table.viscosity_at(at)
        compliance, loss = _means(table, *_hats(table, points, gauss_weights, start, end))
    stiffness = np.linalg.inv(compliance)
    stiffness = 0.5 * (stiffness + np.swapaxes(stiffness, 1, 2))
    return stiffness, stiffness @ loss @ stiffness


def _means(table: SectionTable, fractions: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted means (ng, 6, 6) of the compliance S and of the loss S D S at fractions (k,); weights (ng, k)."""
    s = np.linalg.inv(table.stiffness_at(fractions))
    loss = s @ table.viscosity_at(fractions) @ s
    return np.einsum("gk,kij->gij", weights, s), np.einsum("gk,kij->gij", weights, loss)


def _hats(
    table: SectionTable, points: Array, gauss_weights: Array, start: float, end: float
) -> tuple[Array, Array]:
    """Fractions (k,) in an element, and weights (ng, k) of functions linear between the Gauss points, constant beyond.

    None is negative. The compliance is the table's, and its first moment between the first and the last Gauss point.
    """
    at = start + (end - start) * 0.5 * (1.0 + points)
    pieces = [_compliance_points(table, float(a), float(b)) for a, b in pairwise([start, *at, end])]
    shares = np.diff([start, *at, end]) / (end - start)
    fractions = np.concatenate([part for part, _ in pieces])
    weights = np.concatenate([share * part for share, (_, part) in zip(shares, pieces, strict=True)])
    hats = np.array([np.interp(fractions, at, row) for row in np.eye(len(at))])
    return fractions, hats * weights / (0.5 * gauss_weights[:, None])


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


def _compliance_points(table: SectionTable, start: float, end: float) -> tuple[Array, Array]:
    """Fractions (k,) and weights (k,), of sum 1, that integrate the inverse of the table from start to end.

    In a piece where a stiffness grows r-fold they are at (r^u - 1)/(r - 1) of its length, u from 0 to 1: in u 1/C is
    constant for this stiffness, the one that varies most.
    """
    edges = np.concatenate([[start], table.inside(start, end), [end]])
    diagonals = np.diagonal(table.stiffness_at(edges), axis1=1, axis2=2)
    growth = np.log(diagonals[1:] / diagonals[:-1])
    rate = np.take_along_axis(growth, np.abs(growth).argmax(axis=1)[:, None], axis=1)
    points, weights = _SMOOTH
    u, w = 0.5 * (1.0 + points), 0.5 * weights
    even = np.abs(rate) < EVEN
    safe = np.where(even, 1.0, rate)
    part = np.where(even, u, np.expm1(safe * u) / np.expm1(safe))
    share = np.where(even, w, w * safe * np.exp(safe * u) / np.expm1(safe))
    length = np.diff(edges)[:, None]
    return (edges[:-1, None] + length * part).ravel(), (length * share).ravel() / (end - start)


def _definite(stiffness: Array) -> bool:
    diagonal = np.diag(stiffness)
    if np.any(diagonal <= 0.0):
        return False
    return bool(np.linalg.eigvalsh(stiffness / np.sqrt(np.outer(diagonal, diagonal)))[0] > 0.0)
