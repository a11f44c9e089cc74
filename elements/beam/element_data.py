"""Sections of a beam's elements: stiffness and viscosity at Gauss points, lumped nodal masses, outlines for drawing.

For a beam with a constant section these data are computed once and shared by all elements.

Kelvin-Voigt damping has one time for all strains, or one for each of the six.

    stress = C strain + D strain rate        D = eta C,  or  D = S C S with S = diag(sqrt(eta_1), …, sqrt(eta_6))

order as in `section`: stretch, shear 2, shear 3, twist, bend 2, bend 3. S C S is symmetric and never negative, whatever
the coupling in C, and equals eta C for six equal times, diag(eta) C for uncoupled sections.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.elements.beam.kind import BEAM_KINDS, BeamSpec
from fem_mbd.elements.quadrature import LOBATTO_WEIGHTS, gauss_rule
from fem_mbd.elements.section.outline import outline_of
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import ElementSections, element_sections
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class Viscosity:
    """Damping times: `common`, eta of all strains, s; or `each`, (6,) one for each strain, s, or None."""

    common: float
    each: Array | None = None

    def matrix(self, stiffness: Array) -> Array:
        """(n, 6, 6) D of the stiffness (n, 6, 6)."""
        if self.each is None:
            return self.common * stiffness
        root = np.sqrt(self.each)
        return np.asarray(root[:, None] * stiffness * root)


def as_viscosity(damping: Any, what: str) -> Viscosity:
    """Viscosity from one number (s) or six; InputError for negative ones."""
    times = array(damping, (6,) if np.ndim(damping) else (), what)
    if np.any(times < 0.0):
        raise InputError(f"{what} is {np.asarray(damping).tolist()}: it must not be negative")
    if times.ndim == 0:
        return Viscosity(float(times))
    if np.all(times == times[0]):
        return Viscosity(float(times[0]))
    return Viscosity(0.0, times)


@dataclass(frozen=True, eq=False)
class _Data:
    """Data of one element in node axes: (ng, 6, 6) stiffness and viscosity, outlines as in `BeamSpec`."""

    sections: ElementSections
    stiffness: Array
    viscosity: Array
    outlines: Array


class BeamElements:
    """The elements of one beam.

    Parameters
    ----------
    section, at : section of the beam, and function that returns the section at a fraction of its length
    order : nodes per element
    damping : of the beam
    turn : (3, 3) node axes to section axes
    beam : its name in messages
    """

    def __init__(
        self,
        section: Any,
        at: Callable[[float], Section],
        order: int,
        damping: Viscosity,
        turn: Array,
        beam: str,
    ):
        self._section, self._at, self._order = section, at, order
        self._damping, self._turn, self._beam = damping, turn, beam
        self._constant: _Data | None = None
        self._lengths: dict[float, tuple[Array, Array]] = {}

    def add(
        self, model: Model, name: str, nodes: Sequence[Node], bounds: Array, length: float
    ) -> list[BeamSpec]:
        """Register the elements between fractions ``bounds`` (count + 1,) of a line, m, and lump their masses."""
        ends = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
        lengths = length * np.diff(bounds)
        data = [self._data(end) for end in ends]
        self._lump(model, nodes, lengths, data)
        specs = []
        for e, (element, end) in enumerate(zip(data, ends, strict=True)):
            first = (self._order - 1) * e
            slope, weight = self._scaled(float(lengths[e]))
            spec = BeamSpec(
                name=name, element=e, members=tuple(nodes[first : first + self._order]),
                shape=gauss_rule(self._order)[2], slope=slope, weight=weight, stiffness=element.stiffness,
                viscosity=element.viscosity, turn=self._turn, span=end, outlines=element.outlines,
            )  # fmt: skip
            model.registry.add(BEAM_KINDS[self._order], spec)
            specs.append(spec)
        return specs

    def _data(self, ends: tuple[float, float]) -> _Data:
        if self._constant is not None:
            return self._constant
        sections = element_sections(self._section, self._at, self._order, ends, f"beam '{self._beam}'")
        turn = np.zeros((6, 6))
        turn[:3, :3] = turn[3:, 3:] = self._turn
        damping = sections.viscosity + self._damping.matrix(sections.stiffness)
        stiffness, viscosity = (turn.T @ matrix @ turn for matrix in (sections.stiffness, damping))
        data = _Data(sections, stiffness, viscosity, self._outlines(ends))
        if isinstance(self._section, Section):
            self._constant = data
        return data

    def _scaled(self, length: float) -> tuple[Array, Array]:
        """Derivatives of the shape functions by arc length, and weights, for an element of this length, m."""
        if length not in self._lengths:
            _, weights, _, slope = gauss_rule(self._order)
            self._lengths[length] = 2 / length * slope, 0.5 * length * weights
        return self._lengths[length]

    def _lump(self, model: Model, nodes: Sequence[Node], lengths: Array, data: Sequence[_Data]) -> None:
        """Add lumped masses of the elements to their nodes, element by element."""
        if self._constant is not None:
            self._lump_same(model, nodes, lengths)
            return
        for e, (length, element) in enumerate(zip(lengths, data, strict=True)):
            members = nodes[(self._order - 1) * e : (self._order - 1) * e + self._order]
            for node, shares in zip(members, length * element.sections.shares, strict=True):
                for share, section in zip(shares, element.sections.sections, strict=True):
                    if share != 0.0:
                        centre, tensor = self._mass_of(section)
                        model.registry.add_mass(node, share * section.mass_per_length, share * tensor, centre)

    def _lump_same(self, model: Model, nodes: Sequence[Node], lengths: Array) -> None:
        """Same as `_lump` for a constant section, vectorised."""
        index = np.array([node.index for node in nodes])
        members = np.arange(self._order) + (self._order - 1) * np.arange(len(lengths))[:, None]
        shares = (lengths[:, None] * (0.5 * LOBATTO_WEIGHTS[self._order])).ravel()
        centre, tensor = self._mass_of(self._section)
        masses = shares * self._section.mass_per_length
        model.registry.add_masses(index[members.ravel()], masses, shares[:, None, None] * tensor, centre)

    def _mass_of(self, section: Section) -> tuple[Array, Array]:
        """Mass centre (3,) and inertia per length (3, 3), node axes."""
        centre = self._turn.T @ np.array([0.0, *section.mass_centre])
        return centre, self._turn.T @ np.asarray(section.inertia) @ self._turn

    def _outlines(self, ends: tuple[float, float]) -> Array:
        """(2, k, 2) outlines of the section at both ends of an element; (1, k, 2) if equal or not of one size."""
        first, last = (outline_of(self._at(s)) for s in ends)
        same = first.shape != last.shape or np.array_equal(first, last)
        return np.array([first] if same else [first, last])
