"""Closed form of the synchronous rub of a Jeffcott rotor in a stiff stator ring.

With z = x + i y, the rotor's centre, the rotating speed Omega, contact stiffness k_c, gap d and sliding friction mu:

    m z'' + c z' + k z + k_c (1 + i mu) (1 - d/|z|) z = m e Omega^2 exp(i Omega t)   where |z| > d

The disc's surface slides in the direction of its rotation, so that friction is at a right angle to the normal force. In
axes that rotate with Omega the equations have constant coefficients: z = r exp(i (Omega t - phi)) is a solution where

    (k - m Omega^2 + k_c (1 - d/r))^2 r^2 + (c Omega + mu k_c (1 - d/r))^2 r^2 = (m e Omega^2)^2

Source: H. F. Black, Interaction of a whirling rotor with a vibrating stator across a clearance annulus, Journal of
Mechanical Engineering Science 10 (1968), 1-12. Small changes of it grow or decay with the eigenvalues of the linearised
equations in the rotating axes; Floquet's multipliers over a turn are their exponentials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Complex

REAL_ROOT_TOLERANCE = 1e-9  # relative: roots with smaller imaginary parts are real


@dataclass(frozen=True)
class SynchronousRub:
    """The quantities of the module's docstring, SI units."""

    mass: float
    stiffness: float
    damping: float
    eccentricity: float
    gap: float
    contact_stiffness: float
    friction: float

    def free(self, speed: float) -> float:
        """Amplitude without contact at a speed (rad/s), m."""
        m, w = self.mass, speed
        return float(m * self.eccentricity * w**2 / np.hypot(self.stiffness - m * w**2, self.damping * w))

    def amplitudes(self, speed: float) -> list[float]:
        """Amplitudes of the rub at a speed (rad/s), m, ascending; empty where there is none."""
        k_c, m, w = self.contact_stiffness, self.mass, speed
        radial = np.array([self.stiffness - m * w**2 + k_c, -k_c * self.gap])
        tangential = np.array([self.damping * w + self.friction * k_c, -self.friction * k_c * self.gap])
        squares = np.polymul(radial, radial) + np.polymul(tangential, tangential)
        squares[-1] -= (m * self.eccentricity * w**2) ** 2
        roots = np.roots(squares)
        return sorted(
            float(r.real) for r in roots if abs(r.imag) < REAL_ROOT_TOLERANCE * abs(r) and r.real > self.gap
        )

    def position(self, speed: float, amplitude: float) -> complex:
        """x + i y of the centre in a rub when the mass centre is off along x, m."""
        contact = self.contact_stiffness * (1.0 + 1j * self.friction) * (1.0 - self.gap / amplitude)
        angle = np.angle(self.stiffness - self.mass * speed**2 + 1j * self.damping * speed + contact)
        return complex(amplitude * np.exp(-1j * angle))

    def eigenvalues(self, speed: float, amplitude: float) -> Complex:
        """(4,) 1/s, of small changes of a rub in axes that rotate with it."""
        columns = [self._rates(speed, amplitude, x) for x in np.eye(4)]
        return np.linalg.eigvals(np.transpose(columns)).astype(complex)

    def multipliers(self, speed: float, amplitude: float) -> Complex:
        """(4,) Floquet multipliers over a turn."""
        return np.asarray(np.exp(self.eigenvalues(speed, amplitude) * 2.0 * np.pi / speed))

    def stable(self, speed: float, amplitude: float) -> bool:
        """Whether small changes of a rub decay."""
        return bool(self.eigenvalues(speed, amplitude).real.max() < 0.0)

    def normal_force(self, amplitude: float) -> float:
        """N, of the contact."""
        return self.contact_stiffness * (amplitude - self.gap)

    def _rates(self, speed: float, r: float, x: Array) -> Array:
        """Rates of x (4,), change of z and of its velocity, along and across the deflection."""
        z, v = complex(*x[:2]), complex(*x[2:])
        touching = 1.0 - self.gap / r
        contact = self.contact_stiffness * (1.0 + 1j * self.friction)
        force = contact * (touching * z + (1.0 - touching) * z.real)
        force += self.damping * (v + 1j * speed * z) + self.stiffness * z
        rate = -force / self.mass - 2j * speed * v + speed**2 * z
        return np.array([v.real, v.imag, rate.real, rate.imag])
