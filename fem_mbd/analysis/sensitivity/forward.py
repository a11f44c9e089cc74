"""Forward sensitivities along a run: linear equations for the derivatives in every step, and jumps at rigid impacts.

A step solves R(x; s, p) = 0 for its unknowns x, from the state s at its start. Its derivatives solve

    dR/dx x' = -(dR/ds s' + dR/dp)

with the right side from the step's kernels with dual numbers, and the matrix as a means only: what is left of R' is
found by the kernels again, and solved for until the unknowns do not change by more than `SMALL` of themselves
(`step_kernels`). So a matrix that is not quite the derivative (redundant constraints regularised, round-off of
factors) costs a pass more and no digit. Each matrix is factorised once, for all directions.

Where a step ends at a kink or jump of a function of time that moves with a parameter, the step ends later and the next
one begins later by as much (`recorded_run.end_rates`); so they do at rigid impacts.

`RigidImpacts` has the derivatives through rigid impacts: the instant of an impact moves with the parameters, and
velocities jump. A step that ends with an impact ends where a gap closes, g(q, p) = 0. Its end moves with a parameter by

    t' = -g'/(dg/dt),

g' at a fixed end; velocities after the impact are a smooth function of the state before it as long as the same contacts
get impulses. The next step begins later by t' and ends where it did. Together they are the jump matrix of the impact.
Where a closed contact opens its force is zero, so that no derivative jumps.

`tangents` propagates the derivatives of a run's recorded outputs by parameters, step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.growth import LARGEST, Growth
from fem_mbd.analysis.sensitivity.recorded_run import Path, end_rates
from fem_mbd.analysis.sensitivity.setup import Build, SetUp
from fem_mbd.analysis.sensitivity.stretch import NEAR, Directions, Stretch, most_steps
from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.compiled.dual_numbers import DIRECTIONS
from fem_mbd.core.solver.impacts import Impact
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError, SolverFailure

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
        self._impacts, self._state, self._work = (
            simulation.impacts,
            simulation.state,
            simulation.system.workspace,
        )
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
            components = slice(3 * k, 3 * k + 3)
            plain[:] = duals[..., 0] = both[:, components]
            duals[..., 1:] = slopes[:, components]
        self._impacts.kind.impulse[contacts] = self._impulses[contacts, 0] = values[count:]
        self._impulses[contacts, 1:] = changes[count:]

    def _names(self, impact: Impact, chosen: Flags) -> str:
        return " and ".join(f"'{self._impacts.kind.specs[k].name}'" for k in impact.contacts[chosen])


UNIT_LATER = np.array(
    [[0.0], [1.0], [1.0]]
)  # what start, end and length of a step change when it ends a second later
Further = Callable[[DualScheme, Indices, int], Sequence[Task]]


class Forward:
    """Derivatives along the steps of a path.

    Parameters
    ----------
    schemes : of the same model, each seeded with up to `DIRECTIONS` derivatives of its arrays at the start
    path : of a simulation of it
    plain : such a simulation at its start, for the matrices; None: that of the first scheme
    further : of a scheme, the number (1,) of a step in its stretch and the most steps of one: calls after each step
    ends : of each scheme, (steps, DIRECTIONS) derivatives of the ends of steps that events decide about; None: zero

    Attributes
    ----------
    ends : of each scheme, those of all steps that have been made, impacts included
    stretch, directions : of the steps that were made last; of each scheme
    """

    def __init__(
        self,
        schemes: Sequence[DualScheme],
        path: Path,
        plain: Simulation | None = None,
        further: Further = lambda scheme, number, most: (),
        ends: Sequence[Array] | None = None,
    ):
        self._path = path
        self.ends = [np.zeros((len(path), DIRECTIONS)) for _ in schemes] if ends is None else list(ends)
        self._rates = [clock_rates(of_scheme) for of_scheme in self.ends]
        simulation = schemes[0].simulation
        self._rigid = [] if simulation.impacts.kind is None else [RigidImpacts(scheme) for scheme in schemes]
        one_by_one = self._rigid or any(scheme.in_python for scheme in schemes)
        most = 1 if one_by_one else most_steps(simulation.system, NEAR)
        self.stretch = Stretch(simulation if self._rigid or plain is None else plain, most)
        self._most = most
        # a step's equations have one matrix: the first scheme tells how often they have to be solved
        self.directions = [
            Directions(
                scheme, self.stretch, further(scheme, self.stretch.number, most), bool(k) and not one_by_one
            )
            for k, scheme in enumerate(schemes)
        ]
        # derivatives of the start of the step, where an impact ended the last one
        self._later = [np.zeros(DIRECTIONS) for _ in schemes]

    def steps(self) -> Iterator[tuple[int, int]]:
        """Go through some steps after the other; their first one, and the one behind them.

        Raises
        ------
        SolverFailure
            Where the derivatives of a step are not found.
        """
        for first in range(0, len(self._path), self._most):
            stop = min(first + self._most, len(self._path))
            for rigid in self._rigid:
                rigid.set_closed(self._path.closed[first])
            count = self.stretch.make(self._path, first, stop)
            for k, directions in enumerate(self.directions):
                if self._rigid:
                    self._rigid_step(k, first)
                else:
                    directions.propagate(0, count, self._rates[k][first:stop])
            yield first, stop

    def _rigid_step(self, k: int, number: int) -> None:
        """A step whose start, and whose end if an impact ends it, move with the parameters."""
        directions, rigid, impact = self.directions[k], self._rigid[k], self._path.impacts.get(number)
        end = float(self._path.clocks[number][1])
        rates = self._rates[k][number].copy()
        rates[0] += self._later[k]
        rates[2] -= self._later[k]
        directions.solve(0, rates)
        self._later[k] = np.zeros(DIRECTIONS)
        if impact is not None and impact.opening.any():
            fixed = rigid.gap(impact)
            directions.solve(0, rates + UNIT_LATER)
            self._later[k] = rigid.end_of_step(impact, fixed, rigid.gap(impact), end)
            directions.solve(0, rates + UNIT_LATER * self._later[k])
            self.ends[k][number] += self._later[k]
        directions.finish()
        if impact is not None:
            rigid.jump(impact, end)


def clock_rates(ends: Array) -> Array:
    """(steps, 3, DIRECTIONS) derivatives of the starts, ends and lengths of steps by those of their ends.

    ends : (steps, DIRECTIONS); the start of the first step does not move
    """
    starts = np.concatenate([np.zeros_like(ends[:1]), ends[:-1]])
    return np.stack([starts, ends, ends - starts], axis=1)


def rates_of(clocks: Array, start: float, growth: Array) -> Array:
    """(steps, 3, DIRECTIONS) derivatives of clocks (steps, 3) whose times since a start (s) grow in proportion."""
    return np.asarray((clocks - np.array([start, start, 0.0]))[..., None] * growth)


PARAMETERS_PER_SCHEME = DIRECTIONS - 1  # parameters of a scheme; the last direction is that of `Growth`
SCHEMES = 4  # that are taken along the path together


@dataclass(frozen=True, eq=False)
class Tangents:
    """Derivatives of outputs by one parameter.

    Attributes
    ----------
    initial : by the output's name those before the first step
    history : those after each step, with the steps as first axis
    ends : (steps,) those of the ends of the steps, where events and impacts move them; None: zero
    """

    initial: dict[str, Array]
    history: dict[str, Array]
    ends: Array | None = None


def tangents(
    build: Build,
    path: Path,
    columns: Sequence[str],
    values: Mapping[str, float],
    scales: Mapping[str, float] | None = None,
    largest_growth: float = LARGEST,
) -> dict[str, Tangents]:
    """Derivatives of outputs along a run, by each of the parameters.

    Parameters
    ----------
    build : makes the simulation from the values of the parameters
    path : of its run at ``values``; its steps are kept
    columns : names of outputs, as results have them
    values : of the parameters by name
    scales : size of a parameter by name where its value is zero
    largest_growth : of a small change of the start, beyond which derivatives are refused

    Raises
    ------
    InputError
        For runs, parameters and outputs without derivatives.
    BeyondHorizon
        Where a chaotic motion has made them useless.
    SolverFailure
        Where those of a step are not found.
    """
    setup = SetUp(build, values, scales or {})
    by_name: dict[str, Tangents] = {}
    names = list(values)
    for first in range(0, len(names), PARAMETERS_PER_SCHEME * SCHEMES):
        some = names[first : first + PARAMETERS_PER_SCHEME * SCHEMES]
        groups = [some[k : k + PARAMETERS_PER_SCHEME] for k in range(0, len(some), PARAMETERS_PER_SCHEME)]
        schemes = [DualScheme(simulation, columns) for simulation in setup.simulations(len(groups))]
        for scheme, group in zip(schemes, groups, strict=True):
            setup.seed(scheme, group)
        growth = Growth(schemes[0], largest_growth)
        ends = [end_rates(path, setup.breakpoints, setup.breakpoint_rates, group) for group in groups]
        initial = [scheme.watch() for scheme in schemes]
        forward = Forward(schemes, path, build(values), growth.calls, ends)
        parts = _along(forward, path, growth)
        for group, before, after, moved in zip(groups, initial, parts, forward.ends, strict=True):
            for component, name in enumerate(group):
                by_name[name] = Tangents(
                    {key: array[..., component] for key, array in before.items()},
                    {key: array[..., component] for key, array in after.items()},
                    moved[:, component] if moved[:, component].any() else None,
                )
    return by_name


def _along(forward: Forward, path: Path, growth: Growth) -> list[dict[str, Array]]:
    """Derivatives (steps, …, DIRECTIONS) of the outputs after each step, of each scheme by column."""
    parts: list[list[dict[str, Array]]] = [[] for _ in forward.directions]
    first, stop, ends = 0, 0, path.ends
    try:
        for first, stop in forward.steps():
            growth.check(ends[first:stop])
            for outputs, directions in zip(parts, forward.directions, strict=True):
                outputs.append(directions.outputs(stop - first))
    except SolverFailure:
        growth.check(ends[stop : stop + int(forward.stretch.number[0])])
        raise
    return [{key: np.concatenate([step[key] for step in outputs]) for key in outputs[0]} for outputs in parts]
