"""Adhesion of spheres between the DMT and JKR limits: Maugis' law with Dugdale's cohesive zone.

Around a contact of radius a the surfaces attract each other with the constant stress s_0 where their gap is below h =
w/s_0, that is up to the radius c. In units of force pi w R, of lengths (pi w R**2/K)**(1/3) in the plane and of (pi**2
w**2 R/K**2)**(1/3) along the normal (Maugis, J. Colloid and Interface Science 150 (1992) 243; Johnson and Greenwood,
same journal 192 (1997) 326), with the transition parameter

    lambda = 2 s_0 (R/(pi w K**2))**(1/3),      K = 4 E*/3,      k = 4 lambda/3,

and with the angle t, cos t = a/c, and s**2 = c**2 - a**2 instead of m = c/a,

    lambda [(s a + (s**2 - a**2) t)/2 + k (s t - c + a)] = 1          work of adhesion at the edge of the zone
    F = a**3 - lambda (s a + c**2 t)                                  force
    d = a**2 - k s                                                    approach, -q

The first is quadratic in c at a given t. The branch begins at t = 0 and ends at the gap of separation: for lambda above
0.938 where d is smallest, below it without contact. Without contact a cohesive zone of radius c acts across a gap that
is open everywhere,

    F = -pi/2 lambda c**2,      q = h - c**2/2 + b c,      b = 2 k/pi,      c >= b.

The energy of the branch, zero for separate bodies, follows from dV = F dd at constant w and dV = -c**2 dw at constant d
(derived here; a test compares it with the integral of the force):

    V = 2 a**5/5 + lambda [c**2 t ((s**2 - 3 a**2)/4 + k s) + a s**3/4 - 7 a**3 s/12 + k a s**2
                           + 2 k (a**3 - c**3)/3] - c**2
    V = pi/2 lambda c**3 (b/3 - c/4)                                  without contact

Approaching bodies snap into contact at q = h, where attraction begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.validation import positive
from fem_mbd.core.compiled import kernel
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.normal.adhesion import Modulus, Radius, Work
from fem_mbd.friction.records import SNAPS_IN, ContactKernels, normal_record

MAX_ITERATIONS = 200
SMALL_ANGLE = 1e-3  # times 1/(1 + lambda): a small angle t, where bodies are strongly compressed
RIGHT_ANGLE = 0.5 * pi
QUADRATURE_RATIO = 0.1  # relative difference of two angles below which a mean force is integrated numerically
TINY = 1e-12
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True)
class Maugis(Law):
    """Elastic contact with adhesion inside the contact area and in a ring around it."""

    modulus: Modulus
    radius: Radius
    work: Work
    stress: Annotated[
        float,
        Parameter(
            "cohesive stress, constant while the gap is below work/stress", "Pa", above=0.0, symbol="s_0"
        ),
    ]

    source: ClassVar = "Maugis, J. Colloid and Interface Science 150 (1992) 243"
    examples: ClassVar = {"": {"modulus": 1e9, "radius": 0.02, "work": 0.1, "stress": 2e6}}

    @classmethod
    def of_transition(cls, modulus: float, radius: float, work: float, transition: float) -> Self:
        """The law of a given transition parameter.

        Parameters
        ----------
        modulus, radius, work : as above
        transition : lambda; 1.157 times Tabor's number when s_0 is the largest stress of Lennard-Jones' potential

        Returns
        -------
        Maugis
        """
        label = f"{cls.__name__} transition"
        law = cls(modulus, radius, work, 1.0)
        return cls(modulus, radius, work, positive(transition, label) / law.transition)

    @property
    def transition(self) -> float:
        """Maugis' lambda: near DMT's limit below 0.1, near JKR's above 5."""
        k = 4.0 / 3.0 * self.modulus
        return 2.0 * self.stress * (self.radius / (pi * self.work * k * k)) ** (1.0 / 3.0)

    @property
    def touch(self) -> float:
        """Gap in m at which approaching bodies snap into contact: w/s_0."""
        return self.work / self.stress

    @property
    def hold(self) -> float:
        """Gap in m at which the contact separates."""
        lam = self.transition
        if self._last_angle < RIGHT_ANGLE:
            return -self._length * float(branch_point(lam, self._last_angle)[0])
        b = 8.0 * lam / (3.0 * pi)
        return self.touch + 0.5 * b * b * self._length

    @property
    def pull_off(self) -> float:
        """Force in N of a dead weight that separates the bodies."""
        lam, last = self.transition, self._last_angle
        sizes = np.linspace(np.log(SMALL_ANGLE / (1.0 + lam)), np.log(last), 401)
        n = int(np.argmin([branch_point(lam, np.exp(x))[2] for x in sizes]))
        low, high = float(sizes[max(n - 1, 0)]), float(sizes[min(n + 1, 400)])
        for _ in range(60):
            third = (high - low) / 3.0
            if branch_point(lam, np.exp(low + third))[2] < branch_point(lam, np.exp(high - third))[2]:
                high -= third
            else:
                low += third
        return -pi * self.work * self.radius * float(branch_point(lam, np.exp(high))[2])

    @property
    def _length(self) -> float:
        """Unit of approach in m."""
        k = 4.0 / 3.0 * self.modulus
        return float(((pi * self.work / k) ** 2 * self.radius) ** (1.0 / 3.0))

    @cached_property
    def _last_angle(self) -> float:
        """Angle t at the end of the branch in contact: where the approach is smallest, or pi/2."""
        lam = self.transition
        if branch_point(lam, RIGHT_ANGLE)[1] <= 0.0:
            return RIGHT_ANGLE
        low, high = SMALL_ANGLE / (1.0 + lam), RIGHT_ANGLE
        while True:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                return low
            if branch_point(lam, middle)[1] < 0.0:
                low = middle
            else:
                high = middle

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``: units of force and length, lambda, both gaps, last t."""
        force, both = pi * self.work * self.radius, {"touch": self.touch, "reach": self.hold}
        branch = (self.transition, self._last_angle)
        return normal_record(MAUGIS, force, self._length, *branch, adhesion=SNAPS_IN, **both)


@kernel
def _ring_term(t: complex, sine: complex, cosine: complex) -> complex:
    """sin t cos t - t cos 2 t, to round-off also where t is small."""
    if t.real > 0.25:
        return sine * cosine - t * (cosine - sine) * (cosine + sine)
    x = 2.0 * t
    total, term = 0.0 * x, 0.5 * x * x * x
    for n in range(1, 9):
        # sin x - x cos x is the sum of (-1)**(n + 1) 2 n x**(2 n + 1)/(2 n + 1)!
        term = term / ((2.0 * n) * (2.0 * n + 1.0))
        total = total + 2.0 * n * term
        term = -term * x * x
    return total


@kernel
def _state(lam: float, t: complex) -> tuple[complex, complex, complex, complex, complex, complex]:
    """Approach at the angle ``t``, in contact, its derivative by sin t, force, radius c, cos t and sin t."""
    k, sine, cosine = 4.0 * lam / 3.0, np.sin(t), np.cos(t)
    ring, edge = _ring_term(t, sine, cosine), t * sine - sine * sine / (1.0 + cosine)
    c = 2.0 / (lam * (k * edge + np.sqrt(k * k * edge * edge + 2.0 * ring / lam)))
    a, s = c * cosine, c * sine
    fall = -c * t * (2.0 * s + k) / (ring * c + k * edge)  # of c with sin t
    slope = 2.0 * (a * cosine * fall - c * s) - k * (sine * fall + c)
    return a * a - k * s, slope, a * a * a - lam * (s * a + c * c * t), c, cosine, sine


@kernel
def branch_point(lam: float, t: complex) -> tuple[complex, complex, complex, complex]:
    """Approach, its derivative by sin t, force and energy at the angle ``t``, in contact."""
    approach, slope, force, c, cosine, sine = _state(lam, t)
    k, a, s = 4.0 * lam / 3.0, c * cosine, c * sine
    cubes = -s * s / (c + a) * (a * a + a * c + c * c)  # a**3 - c**3
    zone = (
        c * c * t * (0.25 * (s * s - 3.0 * a * a) + k * s) + 0.25 * a * s * s * s - 7.0 / 12.0 * a * a * a * s
    )
    return approach, slope, force, 0.4 * a**5 + lam * (zone + k * a * s * s + 2.0 / 3.0 * k * cubes) - c * c


@kernel
def _angle(lam: float, last: float, d: complex) -> complex:
    """Angle t of the approach ``d``, in contact."""
    high, low, point = last, 0.5 * last, _state(lam, 0.5 * last)
    while point[0] < d.real:
        high, low = low, 0.5 * low
        point = _state(lam, low)
    t = low
    for _ in range(MAX_ITERATIONS):
        if point[0] < d.real:
            high = t
        else:
            low = t
        slope = t * point[4] * point[1]
        trial = t * np.exp((d.real - point[0]) / slope) if slope < 0.0 else low
        if not low < trial < high:
            trial = np.sqrt(low * high)
        if np.abs(trial - t) <= 1e-15 * t:
            break
        t = trial
        point = _state(lam, t)
    if d.imag == 0.0:
        return t + 0.0 * d
    # the root is exact to round-off; add its complex-step derivative
    point = _state(lam, t)
    return t + (d - d.real) / (point[4] * point[1])


@kernel
def _cohesive_radius(lam: float, q: complex) -> complex:
    """Radius c of the cohesive zone at the gap ``q`` without contact."""
    b = 8.0 * lam / (3.0 * np.pi)
    square = b * b + 2.0 * (2.0 / (np.pi * lam) - q)
    # negative by round-off at the end of the branch
    return b + np.sqrt(square) if square.real > 0.0 else b + 0.0 * square


@kernel
def _branch_energy(lam: float, last: float, q: complex) -> complex:
    """V at the gap ``q``."""
    if last < RIGHT_ANGLE or -q.real > _state(lam, RIGHT_ANGLE)[0]:
        return branch_point(lam, _angle(lam, last, -q))[3]
    c = _cohesive_radius(lam, q)
    return 0.5 * np.pi * lam * c * c * c * (8.0 * lam / (9.0 * np.pi) - 0.25 * c)


@kernel
def _mean_in_contact(lam: float, q_1: complex, t_1: complex, q_2: complex, t_2: complex) -> complex:
    """Mean force between two gaps in contact, with the angles t at both."""
    half, middle = 0.5 * (t_2 - t_1), 0.5 * (t_1 + t_2)
    if np.abs(half.real) > 0.5 * QUADRATURE_RATIO * middle.real:
        return (branch_point(lam, t_1)[3] - branch_point(lam, t_2)[3]) / (q_2 - q_1)
    work, change = 0.0 * half, 0.0 * half
    for n in range(NODES.shape[0]):
        t = middle + NODES[n] * half
        point = _state(lam, t)
        weight = WEIGHTS[n] * point[4] * point[1]
        work, change = work + weight * point[2], change + weight
    if change.real >= -TINY:
        return _state(lam, middle)[2]
    return work / change


@kernel
def _mean_without_contact(lam: float, q_1: complex, q_2: complex) -> complex:
    """Mean force between two gaps at which the bodies adhere without contact."""
    b, x, y = 8.0 * lam / (3.0 * np.pi), _cohesive_radius(lam, q_1), _cohesive_radius(lam, q_2)
    change = b - 0.5 * (x + y)
    if change.real >= -1e-12 * b:
        return -0.5 * np.pi * lam * x * x
    squares = x * x + x * y + y * y
    return -0.5 * np.pi * lam * (b * squares / 3.0 - 0.25 * (x + y) * (x * x + y * y)) / change


@kernel
def maugis_potential(p: np.ndarray, q: complex) -> complex:
    """V (J) of adhering bodies at gap ``q`` (m)."""
    force, length, lam, last = p[0], p[1], p[2], p[3]
    return force * length * _branch_energy(lam, last, q / length)


@kernel
def maugis_mean_force(p: np.ndarray, q_i: complex, q_f: complex) -> complex:
    """Constant force (N, negative: attraction) with f (q_i - q_f) = V(q_f) - V(q_i) while the bodies adhere."""
    force, length, lam, last = p[0], p[1], p[2], p[3]
    q_1, q_2 = q_i / length, q_f / length
    opening = -_state(lam, RIGHT_ANGLE)[0]
    touch_1, touch_2 = last < RIGHT_ANGLE or q_1.real < opening, last < RIGHT_ANGLE or q_2.real < opening
    if not touch_1 and not touch_2:
        return force * _mean_without_contact(lam, q_1, q_2)
    if touch_1 and touch_2:
        t_1, t_2 = _angle(lam, last, -q_1), _angle(lam, last, -q_2)
        return force * _mean_in_contact(lam, q_1, t_1, q_2, t_2)
    low, high = q_1, q_2
    if touch_2:
        low, high = q_2, q_1
    q_open, t_p = opening + 0.0 * q_1, RIGHT_ANGLE + 0.0 * q_1
    share = (q_open - low) / (high - low)
    inside = _mean_in_contact(lam, low, _angle(lam, last, -low), q_open, t_p)
    return force * (inside * share + _mean_without_contact(lam, q_open, high) * (1.0 - share))


MAUGIS = ContactKernels(maugis_mean_force, maugis_potential)
