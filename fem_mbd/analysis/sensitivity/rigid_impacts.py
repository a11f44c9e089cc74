"""Derivatives through rigid impacts: the instant of an impact moves with the parameters, and velocities jump.

A step that ends with an impact ends where a gap closes, g(q, p) = 0. Its end moves with a parameter by

    t' = -g'/(dg/dt),

g' at a fixed end; velocities after the impact are a smooth function of the state before it as long as the same contacts
get impulses. The next step begins later by t' and ends where it did. Together they are the jump matrix of the impact.
Where a closed contact opens its force is zero, so that no derivative jumps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.core.solver.impacts import Impact
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme

IMPULSE_TOLERANCE = 1e-6  # relative: impulses of the smooth function and those of the run
SMALLEST_SPEED = 1e-6  # of the fastest node: slower impacts are grazing


class RigidImpacts:
    """The rigid contacts of a scheme of dual numbers.

    Parameters
    ----------
    scheme : of a simulation with rigid contacts
    """

    def __init__(self, scheme: DualScheme):
        self._scheme, simulation = scheme, scheme.simulation
        self._impacts, self._state, self._work = simulation.impacts, simulation.state, simulation.system.work
        duals = scheme.shadow.duals
        self._histories = duals(self._impacts.kind.history), duals(self._impacts.history_of_state)
        self._velocities = duals(self._state.v), duals(self._state.omega)
        self._restitution = scheme.shadow.block(self._impacts.kind.restitution).owner
        self._impulses = duals(self._impacts.kind.impulse)

    def set_closed(self, closed: Array) -> None:
        """Open and close contacts (n,) as in the step that follows."""
        self._impacts.set_closed(slice(None), closed)
        for history in self._histories:
            history[..., 0] = self._impacts.kind.history

    def end_of_step(self, impact: Impact, at_fixed_end: Array, later: Array, time: float) -> Array:
        """(DIRECTIONS,) derivatives of the end of the step.

        Parameters
        ----------
        impact : at its end
        at_fixed_end, later : (DIRECTIONS,) derivatives of the closing gap with a fixed end, and with one that moves by
            one second per unit
        time : s, of the end

        Raises
        ------
        InputError
            For several contacts that close at once, and for grazing.
        """
        rate = later - at_fixed_end
        speed = max(float(np.abs(self._state.v).max()), 1e-300)
        if np.count_nonzero(impact.opening) > 1:
            raise InputError(
                f"{self._names(impact, impact.opening)} impact at the same time, t = {time:.6g} s: a parameter changes "
                "the order of the impacts, so that there is no derivative"
            )
        if not np.abs(rate).min() > SMALLEST_SPEED * speed:
            raise InputError(
                f"{self._names(impact, impact.opening)} grazes at t = {time:.6g} s: the derivatives are infinite"
            )
        return -at_fixed_end / rate

    def gap(self, impact: Impact) -> Array:
        """(DIRECTIONS,) derivatives of the closing gap at the end of the solved step; none closes: zero."""
        closing = impact.contacts[impact.opening]
        if not len(closing):
            return np.zeros(DIRECTIONS)
        return self._scheme.differences(lambda: self._impacts.kind.gaps(self._work.q_f)[closing])[0]

    def jump(self, impact: Impact, time: float) -> None:
        """Velocities and impulses after the impact, with their derivatives, in place of those before it."""
        contacts, elastic = impact.contacts, impact.elastic

        def rebound() -> Array:
            return np.concatenate(
                self._impacts.rebound(contacts, np.where(elastic, self._restitution[contacts], 0.0))
            )

        changes, values = self._scheme.differences(rebound), rebound()
        count = len(values) - len(contacts)
        if not np.allclose(values[count:], impact.impulses, rtol=IMPULSE_TOLERANCE, atol=0.0):
            raise InputError(
                f"the impact of {self._names(impact, elastic | True)} at t = {time:.6g} s is a sequence of impulses, "
                "which has no derivatives: use law='newton'"
            )
        both, slopes = values[:count].reshape(-1, 6), changes[:count].reshape(-1, 6, DIRECTIONS)
        for k, (duals, plain) in enumerate(
            zip(self._velocities, (self._state.v, self._state.omega), strict=True)
        ):
            own = slice(3 * k, 3 * k + 3)
            plain[:] = duals[..., 0] = both[:, own]
            duals[..., 1:] = slopes[:, own]
        self._impacts.kind.impulse[contacts] = self._impulses[contacts, 0] = values[count:]
        self._impulses[contacts, 1:] = changes[count:]

    def _names(self, impact: Impact, chosen: Flags) -> str:
        return " and ".join(f"'{self._impacts.kind.specs[k].name}'" for k in impact.contacts[chosen])
