"""Derivatives by a parameter at the start of a period: of a model's arrays, and of states on the constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fem_mbd.analysis.periodic.placement import place
from fem_mbd.analysis.periodic.state_changes import StateDuals, numbers_of
from fem_mbd.analysis.periodic.tangent_space import rotation_vectors
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.setup import SetUp
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl

DIFFERENCE_STEP = 1e-5  # of the parameter's scale: central differences of states on the constraints
ROUND_OFF = 1e-13  # m, rad: change of a state by round-off, where it is put onto the constraints
Values = Mapping[str, float]


class PeriodSeed:
    """The period over itself: all times since its start grow in proportion."""

    def __init__(self, period: float):
        self._period = period

    def put(self, scheme: DualScheme, start: State, component: int) -> float:
        """See `carried.Seed`."""
        return 1.0


class ParameterSeed:
    """A parameter over its scale, with the period that it changes.

    Parameters
    ----------
    build : model from values
    values : of all parameters
    name : of this one
    scale : of it
    period_of : s, from values, or None where it does not depend on them
    origin, period : s, from where times grow with the period; of the motion

    Raises
    ------
    InputError
        For parameters that decide about more than numbers, or do not enter.
    """

    def __init__(
        self,
        build: Callable[[Values], Model],
        values: Values,
        name: str,
        scale: float,
        period_of: Callable[[Values], float] | None,
        origin: float,
        period: float,
    ):
        self._values, self._name, self._scale = dict(values), name, scale
        self._build, self._origin, self._period = build, origin, period
        self._rate = 0.0
        if period_of is not None:
            ends = [float(period_of(self._at(sign * DIFFERENCE_STEP))) for sign in (1.0, -1.0)]
            self._rate = (ends[0] - ends[1]) / (2.0 * DIFFERENCE_STEP) / period
        self._setup: SetUp | None = None
        self._beside: list[System] = []
        self._stays = False  # whether the state fulfils the constraints of all values

    def _at(self, share: float) -> dict[str, float]:
        return {**self._values, self._name: self._values[self._name] + share * self._scale}

    def _prepare(self, start: State) -> SetUp:
        if self._setup is None:
            self._stays = True

            def simulation(values: Values) -> Simulation:
                model = self._build({**self._values, **values})
                initial = start.copy()
                place(System(model), initial)
                self._stays &= not model.prescribed and _distance(start, initial) <= ROUND_OFF
                control = StepControl.fixed(self._period)
                return Simulation(model, start.time + 2.0 * self._period, control, initial=initial)

            self._setup = SetUp(simulation, {self._name: self._values[self._name]}, {self._name: self._scale})
            if not self._stays:
                self._beside = [System(self._build(self._at(sign * DIFFERENCE_STEP))) for sign in (1.0, -1.0)]
        return self._setup

    def put(self, scheme: DualScheme, start: State, component: int) -> float:
        """See `carried.Seed`."""
        setup = self._prepare(start)
        of_arrays = setup.derivatives[self._name]
        setup.derivatives[self._name] = [None if one is None else one * self._scale for one in of_arrays]
        setup.seed(scheme, [self._name], component)
        setup.derivatives[self._name] = of_arrays
        motion, velocity = self._of_state(start)
        reactions, histories = scheme.simulation.system.constraints, np.zeros((history_size(start), 1))
        own = numbers_of(motion, velocity, reactions, histories)
        StateDuals(scheme).put(slice(component, component + 1), own)
        return self._rate

    def _of_state(self, start: State) -> tuple[Array, Array]:
        """(6 n, 1) motions and velocities of a state that stays on the constraints."""
        if self._stays:
            return np.zeros((6 * len(start.u), 1)), np.zeros((6 * len(start.u), 1))
        more, less = (start.copy() for _ in range(2))
        for system, state, sign in zip(self._beside, (more, less), (1.0, -1.0), strict=True):
            state.time = self._origin + (start.time - self._origin) * (
                1.0 + sign * DIFFERENCE_STEP * self._rate
            )
            place(system, state)
        turn = rotation_vectors(np.einsum("nji,njk->nik", less.r, more.r))
        motion = np.concatenate([more.u - less.u, turn], axis=1)
        velocity = np.concatenate([more.v - less.v, more.omega - less.omega], axis=1)
        return motion.reshape(-1, 1) / (2.0 * DIFFERENCE_STEP), velocity.reshape(-1, 1) / (
            2.0 * DIFFERENCE_STEP
        )


def _distance(one: State, other: State) -> float:
    """Largest change of a number of places, rotations and velocities."""
    pairs = ((one.u, other.u), (one.r, other.r), (one.v, other.v), (one.omega, other.omega))
    return max(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs)


def history_size(state: State) -> int:
    """Count of the numbers of a state's histories."""
    return sum(h.nbytes // 8 for h in state.history)
