"""Damping of ElastoDyn's towers and blades: a ratio for each shape of bending.

ElastoDyn turns the ratio zeta_j (percent in the file) of shape j into C_ij = eta_j K_ij, eta_j = zeta_j/(pi f_j), f_j
the frequency of the beam alone in the shape of the file's polynomial (ElastoDyn's source, Coeff). There a beam moves in
these shapes only; here it has modes of its own, from which the polynomials differ by up to a tenth of the energy. So
eta_j belongs to mode j of the beam, clamped, with what it carries as a mass at its end: modes by Ritz's method in
x^2 … x^9. The least eta of a direction of bending is its Kelvin-Voigt time, which damps all that ElastoDyn does not
have, too; the rest is damping by shapes (`fem_mbd.elements.beam.damping.shape_damping`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
from scipy.integrate import trapezoid

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.elements.beam.damping.shape_damping import STRAIN, BendingShapes
from fem_mbd.machines.readers.openfast.deck import Deck

POWERS = np.arange(2, 7)  # of x in ElastoDyn's polynomials of mode shapes
FINE = 2001  # points at which they are integrated
RITZ = np.arange(2, 10)  # of x in the modes
SAME = 1e-9  # of the largest time: what times differ by that are one


@dataclass(frozen=True, eq=False)
class Stations:
    """Mass (n,), kg/m, at fractions s (n,) of the length, m; kg at the end."""

    s: Array
    mass: Array
    length: float
    carried: float = 0.0


def damping_of(
    deck: Deck,
    about: Literal["bend2", "bend3"],
    ratios: Mapping[str, str],
    stations: Stations,
    stiffness: Array,
) -> BendingShapes:
    """The shapes of a direction of bending with their times eta, s.

    Parameters
    ----------
    deck : the tower's or the blade's file
    about : the section axis
    ratios : keywords of the ratios and of the shapes that they belong to
    stations : of the beam
    stiffness : (n,) N m^2, in this direction

    Raises
    ------
    InputError
        Naming file and keyword: a ratio below zero, words that are missing.
    """
    rows = np.array([[deck.number(f"{shape}({p})") for p in POWERS] for shape in ratios.values()])
    zeta = [0.01 * deck.number(r, r.replace("(", "").replace(")", ""), least=0.0) for r in ratios]
    kinetic, elastic = (np.diag(m) for m in _energies(rows, POWERS, stations, stiffness))
    if not (np.all(kinetic > 0.0) and np.all(elastic > 0.0) and np.all(np.isfinite([*kinetic, *elastic]))):
        deck.fail(
            f"mass, stiffness and the shapes {', '.join(ratios.values())} give no frequency: they have to be finite, "
            "mass and stiffness above zero"
        )
    # zeta/(pi f) with omega = 2 pi f
    eta = 2.0 * np.array(zeta) / np.sqrt(elastic / kinetic)
    return BendingShapes(about, _modes(deck, stations, stiffness, len(rows)), eta)


def _modes(deck: Deck, stations: Stations, stiffness: Array, number: int) -> Array:
    """(k, p) coefficients of the lowest modes by Ritz's method."""
    mass, elastic = _energies(np.eye(len(RITZ)), RITZ, stations, stiffness)
    try:
        # squares of 1/omega: a mass at the end that is far above the beam's leaves the stiffness definite
        _, modes = scipy.linalg.eigh(mass + stations.carried * np.ones_like(mass), elastic)
    except (scipy.linalg.LinAlgError, ValueError):
        deck.fail("the beam has no modes: mass and stiffness have to be finite and above zero")
    return np.asarray(modes.T[::-1][:number])


def _energies(rows: Array, powers: Indices, stations: Stations, stiffness: Array) -> tuple[Array, Array]:
    """(k, k) of mass, kg, and of stiffness, N/m, of polynomials with coefficients ``rows`` (k, p)."""
    x = np.linspace(0.0, 1.0, FINE)
    moved = rows @ (x[:, None] ** powers).T
    bent = rows @ (powers * (powers - 1) * x[:, None] ** (powers - 2)).T
    mass, bending = (np.interp(x, stations.s, given) for given in (stations.mass, stiffness))
    kinetic = trapezoid(mass * moved[:, None] * moved, x) * stations.length
    return kinetic, trapezoid(bending * bent[:, None] * bent, x) / stations.length**3


def times(damped: Sequence[BendingShapes]) -> Array:
    """(6,) Kelvin-Voigt times, s: the least of each direction."""
    found = np.zeros(6)
    for shapes_of in damped:
        found[STRAIN[shapes_of.about]] = shapes_of.times.min()
    return found


def shapes(damped: Sequence[BendingShapes]) -> tuple[BendingShapes, ...]:
    """The shapes whose times are not all that of `times`."""
    found = [replace(d, base=float(d.times.min())) for d in damped]
    return tuple(d for d in found if np.any(np.abs(d.times - d.base) > SAME * d.times.max()))
