"""Inflow of rotorcraft: models of the velocities that a rotor induces in its disk, in any state of flight.

The induced velocity against the normal n of the disk (the axis of rotation) is a sum of modes,

    w(r, psi, t) = sum_j a_j(t) phi_j(r/R) cos(m_j psi) or sin(m_j psi)

with psi from the downstream side of the disk, in the direction of rotation, and a_j in m/s. With F the force of a
station along n, the amplitudes obey

    R M a' + V L^-1 a = c        c_j = kappa_j/(rho pi R^2) sum F phi_j(r/R) cos(m_j psi) or sin(m_j psi)

V = diag(V_T, V, V, ...) with V_T^2 = mu^2 + lambda^2, V = (mu^2 + lambda (lambda + w_0))/V_T, mu and lambda the flow in
the disk and through it (m/s), w_0 the mean of w. L depends on the skew of the wake by X = tan(chi/2) = mu/(V_T +
|lambda|), tan(chi) = mu/|lambda|. Momentum theory (M = 0):

- `UniformInflow`: phi = 1, L = 1/2: w = T/(2 rho pi R^2 V_T) (Glauert 1926)
- `DreesInflow`: w = w_0 (1 + k_x r/R cos psi + k_y r/R sin psi), k_x = 4/3 (X - 1.8 mu V_T/(Omega R)^2), k_y = -2
  mu/(Omega R) (Drees 1949; Leishman 2006, Principles of Helicopter Aerodynamics, section 3.5.2)

Dynamic inflow:

- `PittPeters`: phi = 1, r/R, r/R, of m = 0, 1, 1; M = diag(128/(75 pi), 16/(45 pi), 16/(45 pi)) and, in the order
  1, cos, sin,

      L = [[1/2, -15 pi/64 X, 0], [15 pi/64 X, 2 (1 - X^2), 0], [0, 0, 2 (1 + X^2)]]

  (D. M. Pitt, D. A. Peters, Vertica 5, 1981, p. 21; 2 (1 -+ X^2) are 4 cos(chi)/(1 + cos(chi)) and 4/(1 + cos(chi));
  V and V_T: G. H. Gaonkar, D. A. Peters, Journal of the AHS 33, 1988, p. 211)
- `PetersHe`: harmonics m = 0 ... N with functions phi_n^m of n = m + 1, m + 3, ... of degree at most N (D. A. Peters,
  D. D. Boyd, C. J. He, Journal of the AHS 34, 1989, p. 5, eqs. 17 to 30)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import whole_number
from fem_mbd.errors import InputError

LARGEST_HARMONIC = 12
MODE = np.dtype(
    [
        ("harmonic", "i8"),
        ("sine", "i8"),  # 1 for the sine of a harmonic, which follows its cosine
        ("powers", "f8", (LARGEST_HARMONIC + 1,)),  # of r/R
        ("mass", "f8"),  # 0: by momentum theory
        ("share", "f8"),  # kappa
        ("mean", "f8"),  # what the amplitude counts in w_0
    ],
    align=True,
)
GAIN = 4  # G, p, s, q of L_jk = G (X^p + s X^q)
MOMENTUM_THEORY, DREES, DYNAMIC = 0, 1, 2


class Inflow:
    """Base class of the models: their modes and gains."""

    relation = DYNAMIC

    def modes(self) -> Any:
        """(m,) records `MODE`."""
        raise NotImplementedError

    def gains(self) -> Array:
        """(m, m, 4) G, p, s and q of L = G (X^p + s X^q)."""
        raise NotImplementedError

    def gain_matrix(self, skew: float) -> Array:
        """(m, m) L of the amplitudes by the loads.

        Parameters
        ----------
        skew : rad, chi, between the wake and the rotor's axis: 0 in hover, pi/2 edgewise

        Raises
        ------
        InputError
            For an angle outside 0 to pi/2.
        """
        if not 0.0 <= skew <= 0.5 * np.pi + 1e-12:
            raise InputError(f"inflow: the wake's skew is {skew:g} rad: give 0 (hover) to pi/2 (edgewise)")
        x, g = np.tan(0.5 * skew), self.gains()
        return np.asarray(g[..., 0] * (x ** g[..., 1] + g[..., 2] * x ** g[..., 3]))

    def apparent_masses(self) -> Array:
        """(m,) diagonal of M, zero for momentum theory."""
        return np.asarray(self.modes()["mass"])


def _linear_modes(masses: tuple[float, float]) -> Any:
    """Modes 1, r/R cos psi, r/R sin psi."""
    modes: Any = np.zeros(3, dtype=MODE)
    modes["harmonic"], modes["sine"] = [0, 1, 1], [0, 0, 1]
    modes["powers"][[0, 1, 2], [0, 1, 1]] = 1.0
    modes["mass"], modes["share"], modes["mean"] = [masses[0], masses[1], masses[1]], 1.0, [1.0, 0.0, 0.0]
    return modes


@dataclass(frozen=True)
class UniformInflow(Inflow):
    """The same velocity everywhere, of momentum theory at every instant (Glauert)."""

    relation = MOMENTUM_THEORY

    def modes(self) -> Any:
        return _linear_modes((0.0, 0.0))[:1]

    def gains(self) -> Array:
        return np.array([[[0.5, 0.0, 0.0, 0.0]]])


@dataclass(frozen=True)
class DreesInflow(Inflow):
    """The mean of momentum theory with a gradient over the disk (Drees)."""

    relation = DREES

    def modes(self) -> Any:
        return _linear_modes((0.0, 0.0))

    def gains(self) -> Array:
        gains = np.zeros((3, 3, GAIN))
        gains[0, 0, 0] = 0.5
        return gains


@dataclass(frozen=True)
class PittPeters(Inflow):
    """Dynamic inflow with three states: mean and gradients fore and aft, and to the sides (Pitt & Peters)."""

    def modes(self) -> Any:
        return _linear_modes((128.0 / (75.0 * np.pi), 16.0 / (45.0 * np.pi)))

    def gains(self) -> Array:
        gains = np.zeros((3, 3, GAIN))
        gains[0, 0, 0] = 0.5
        gains[1, 1], gains[2, 2] = (2.0, 0.0, -1.0, 2.0), (2.0, 0.0, 1.0, 2.0)
        gains[1, 0], gains[0, 1] = (15.0 * np.pi / 64.0, 1.0, 0.0, 0.0), (-15.0 * np.pi / 64.0, 1.0, 0.0, 0.0)
        return gains


@dataclass(frozen=True)
class PetersHe(Inflow):
    """Finite-state inflow (Peters & He).

    Parameters
    ----------
    harmonics : N, the largest harmonic and the largest power of r/R: 4 gives fifteen states

    Raises
    ------
    InputError
        For a number that is not 0 to 12.
    """

    harmonics: int = 4

    def __post_init__(self) -> None:
        if whole_number(self.harmonics, "PetersHe: harmonics", 0) > LARGEST_HARMONIC:
            raise InputError(f"PetersHe: harmonics is {self.harmonics}: give at most {LARGEST_HARMONIC}")

    def _numbers(self) -> list[tuple[int, int, int]]:
        """m, n and whether it is a sine, of each state."""
        numbers = []
        for m in range(self.harmonics + 1):
            for n in range(m + 1, self.harmonics + 2, 2):
                numbers += [(m, n, 0)] if m == 0 else [(m, n, 0), (m, n, 1)]
        return numbers

    def modes(self) -> Any:
        numbers = self._numbers()
        modes: Any = np.zeros(len(numbers), dtype=MODE)
        for mode, (m, n, sine) in zip(modes, numbers, strict=True):
            mode["harmonic"], mode["sine"] = m, sine
            mode["powers"][:n] = _radial(m, n)
            mode["mass"] = 2.0 / np.pi * _norm(m, n)
            mode["share"] = 0.25 if m == 0 else 0.5
            mode["mean"] = np.sqrt(3.0) if (m, n) == (0, 1) else 0.0
        return modes

    def gains(self) -> Array:
        numbers = self._numbers()
        gains = np.zeros((len(numbers), len(numbers), GAIN))
        for i, (r, j, of_sine) in enumerate(numbers):
            for k, (m, n, by_sine) in enumerate(numbers):
                if of_sine != by_sine:
                    continue
                sign = (-1.0) ** min(r, m) * (-1.0 if of_sine else 1.0)
                gains[i, k] = _coupling(r, j, m, n), abs(m - r), 0.0 if r == 0 else sign, m + r
        return gains


def _factorial(n: int) -> float:
    """n!!, which is 1 for -1 and 0."""
    return float(np.prod(np.arange(n, 0, -2, dtype=float)))


def _norm(m: int, n: int) -> float:
    """H_n^m."""
    above = _factorial(n + m - 1) * _factorial(n - m - 1)
    return above / (_factorial(n + m) * _factorial(n - m))


def _radial(m: int, n: int) -> Array:
    """(n,) coefficients of phi_n^m by powers of r/R."""
    coefficients = np.zeros(n)
    for q in range(m, n, 2):
        below = _factorial(q - m) * _factorial(q + m) * _factorial(n - q - 1)
        coefficients[q] = (-1.0) ** ((q - m) // 2) * _factorial(n + q) / below
    return coefficients * np.sqrt((2 * n + 1) * _norm(m, n))


def _coupling(r: int, j: int, m: int, n: int) -> float:
    """Gamma_jn^rm."""
    size = np.sqrt(_norm(m, n) * _norm(r, j))
    both = np.sqrt((2.0 * n + 1.0) * (2.0 * j + 1.0))
    if (r + m) % 2 == 0:
        sign = (-1.0) ** ((n + j - 2 * r) // 2)
        return float(sign * 2.0 * both / (size * (j + n) * (j + n + 2) * ((j - n) ** 2 - 1)))
    return float(np.pi / (2.0 * size) * np.sign(r - m) / both) if abs(j - n) == 1 else 0.0
