"""Coleman and Feingold's closed form of ground resonance: a rotor with lag hinges on an elastic support.

N stiff blades, of first moment S and inertia I about lag hinges at the offset e, on a hub that moves by x and y; the
total moving mass is M (including the blades). With the lag in multi-blade coordinates, c and s, and Omega the speed

    M x'' + c_x x' + k_x x - (N S/2) s''  = 0        c'' + nu_c c' + 2 Omega s' + w c + nu_c Omega s + (S/I) y'' = 0
    M y'' + c_y y' + k_y y + (N S/2) c''  = 0        s'' + nu_c s' - 2 Omega c' + w s - nu_c Omega c - (S/I) x'' = 0

where w = (e S/I - 1) Omega^2 + k_l/I and nu_c = c_l/I of a spring and a damper in each hinge. The rotor turns from c to
s. R. P. Coleman and A. M. Feingold, Theory of self-excited mechanical oscillations of helicopter rotors with hinged
blades, NACA Report 1351 (1958).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Complex

ZERO_REAL_PART = 1e-6  # fraction of an eigenvalue's magnitude: smaller real parts count as zero


@dataclass(frozen=True)
class ColemanFeingold:
    """The quantities of the module's docstring, SI units; ``offset`` e, ``first`` S, ``second`` I, ``mass`` M."""

    number: int
    offset: float
    first: float
    second: float
    mass: float
    stiffness: tuple[float, float]
    damping: tuple[float, float] = (0.0, 0.0)
    lag_damping: float = 0.0

    def eigenvalues(self, speed: float) -> Complex:
        """(8,) 1/s, at a speed, rad/s, in fixed axes."""
        ratio, coupling = self.first / self.second, self.number * self.first / 2
        viscous = self.lag_damping / self.second
        mass = np.eye(4)
        mass[0, 0] = mass[1, 1] = self.mass
        mass[0, 3], mass[1, 2], mass[2, 1], mass[3, 0] = -coupling, coupling, ratio, -ratio
        rates = np.diag([*self.damping, viscous, viscous])
        rates[2, 3], rates[3, 2] = 2 * speed, -2 * speed
        lag = (self.offset * ratio - 1.0) * speed**2
        stiffness = np.diag([*self.stiffness, lag, lag])
        stiffness[2, 3], stiffness[3, 2] = viscous * speed, -viscous * speed
        below = [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, rates)]
        return np.asarray(np.linalg.eigvals(np.block([[np.zeros((4, 4)), np.eye(4)], below])))

    def growth(self, speed: float) -> float:
        """1/s, growth rate of the fastest motion; 0 when none grows."""
        values = self.eigenvalues(speed)
        grows = values.real > ZERO_REAL_PART * np.abs(values)
        return float(values.real[grows].max(initial=0.0))

    def unstable(self, speeds: Array) -> tuple[float, float] | None:
        """Limits of the unstable range of speeds, rad/s, found by bisection; None when no motion grows.

        Parameters
        ----------
        speeds : (n,) ascending, among which to search
        """
        grows = np.array([self.growth(float(speed)) > 0.0 for speed in speeds])
        if not grows.any():
            return None
        first, last = np.flatnonzero(grows)[[0, -1]]
        low, high = float(speeds[first]), float(speeds[last])
        low = low if first == 0 else self._edge(low, float(speeds[first - 1]))
        return low, high if last == len(speeds) - 1 else self._edge(high, float(speeds[last + 1]))

    def _edge(self, inside: float, outside: float) -> float:
        for _ in range(40):
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if self.growth(middle) > 0.0 else (inside, middle)
        return inside
