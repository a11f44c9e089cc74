"""Growth of a perturbation of the initial velocities, and the time up to which derivatives are meaningful.

One direction of the derivatives is a change of all velocities at the start, at random. With M the mass matrix its size
is sqrt(v' M v'), as of a kinetic energy. Where that has grown by a factor G, derivatives are as large, and hold for
changes smaller than 1/G only. Regular motions let it grow with the time, chaotic ones by exp(lambda t), lambda their
largest Lyapunov exponent.
"""

from __future__ import annotations

from math import log

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.errors import SolverFailure

LARGEST = 1e6
EVERY = 8  # steps


class BeyondHorizon(SolverFailure):
    """Derivatives have grown so much that they say nothing of changes that anybody makes.

    Attributes
    ----------
    time : s, up to which they have not
    exponent : 1/s, mean rate of growth up to there
    """

    def __init__(self, time: float, growth: float, exponent: float):
        self.time, self.exponent = time, exponent
        super().__init__(
            f"at t = {time:.6g} s a small change of the velocities at the start has grown {growth:.3g} times, by "
            f"exp({exponent:.3g} t) with t in s: the motion is chaotic, and derivatives behind this horizon hold for "
            "changes far below any that is made. End the run before, ask for outputs that are settled sooner, or give "
            "largest_growth"
        )


class Growth:
    """The change of velocities in the last direction of a scheme.

    Parameters
    ----------
    scheme : that has made no step
    largest : factor that is refused
    """

    def __init__(self, scheme: DualScheme, largest: float = LARGEST):
        self._largest, self._steps = largest, 0
        state, work = scheme.simulation.state, scheme.simulation.system.work
        self._v, self._omega = (scheme.shadow.duals(one)[..., DIRECTIONS] for one in (state.v, state.omega))
        self._mass, self._inertia = work.mass, work.inertia
        random = np.random.default_rng(1)
        self._v[:], self._omega[:] = random.normal(size=self._v.shape), random.normal(size=self._omega.shape)
        self._start = 0.0

    def look(self, time: float) -> None:
        """After a step that ends at a time (s).

        Raises
        ------
        BeyondHorizon
            When the change has grown too much.
        """
        self._steps += 1
        if self._steps == 1:  # which makes it obey the constraints
            self._start = self._size()
        elif self._steps % EVERY == 0 and self._start > 0.0:
            growth = self._size() / self._start
            if not growth <= self._largest:
                raise BeyondHorizon(time, growth, log(growth) / time if np.isfinite(growth) else np.inf)

    def _size(self) -> float:
        v, omega = self._v, self._omega
        return float(
            np.sqrt(self._mass @ (v * v).sum(axis=1) + np.einsum("ni,nij,nj", omega, self._inertia, omega))
        )
