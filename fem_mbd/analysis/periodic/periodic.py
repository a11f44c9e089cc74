"""Functions `periodic`, a periodic motion found by shooting, and `nonlinear_mode`, an undamped free vibration.

Undamped free vibrations that start as a mode of the linear model (`nonlinear_mode`) form a family; their frequency over
amplitude is the backbone of a response curve. The scheme dissipates a little energy in every step (third order), so
that no free vibration repeats itself exactly. Velocities are therefore multiplied by 1 + gain after a period, with the
gain as an unknown; it measures the dissipation, and tends to zero with the third power of the step size. Source: M.
Peeters, R. Viguie, G. Serandour, G. Kerschen, J.-C. Golinval, Nonlinear normal modes, part II, Mechanical Systems and
Signal Processing 23 (2009) 195; the unknown that makes the equations regular: F. J. Munoz-Almaraz et al., Physica D
181 (2003) 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.analysis.modal.linear_model import linearise_at
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.periodic.newton import ITERATIONS, solve
from fem_mbd.analysis.periodic.orbit import Direction, Family, Orbit, predicted
from fem_mbd.analysis.periodic.problem import Point, Problem, model_builder
from fem_mbd.analysis.periodic.shooting import PERIOD, Shooting
from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.base.arrays import Array
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import check_kind, finite, positive, whole_number
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import FemMbdWarning, InputError
from fem_mbd.runs.running.interruption import Interrupted
from fem_mbd.runs.running.progress import StatusLine

Period = float | Callable[[Mapping[str, float]], float]


def periodic(
    build: Any,
    values: Mapping[str, float] | None = None,
    *,
    period: Period | None = None,
    frequency: str | None = None,
    multiple: int = 1,
    autonomous: bool = False,
    at: State | None = None,
    settle: int = 10,
    start: float = 0.0,
    steps: int = 200,
    segments: int = 1,
    newton: NewtonOptions | None = None,
    progress: bool | None = None,
) -> Orbit:
    """A periodic motion of a model: its state after a period is that at the start, which Newton's method finds.

    Parameters
    ----------
    build : a Model, or what makes a Model (or a Simulation, whose model is taken) from the values of parameters,
        ``build({"omega": 2.0})``
    values : of the parameters by name
    period : s, or a function of the values
    frequency : instead of it, the name of the parameter that is the driver's angular frequency, rad/s
    multiple : periods of the driver that the motion repeats after
    autonomous : nothing drives the motion, and its period is unknown: ``period`` is near it
    at : a state near the motion, at time ``start``; by default that of a run from the reference configuration
    settle : periods of that run
    start : s, where the period begins: after ramps, with which loads may begin. Where the period depends on values it
        begins a whole number of periods after time zero, the first one from ``start`` on
    steps : of a period, all of the same length
    segments : that the period is cut into; more of them for motions that are very unstable
    newton : options of the runs' solver
    progress : None shows the transient and the iterations on a terminal, True also elsewhere, False nowhere

    Raises
    ------
    InputError
        For invalid arguments; loads and drivers with another period; models whose steps have no derivatives, as in
        `fem_mbd.gradient`; rolling joints.
    fem_mbd.analysis.periodic.newton.LostOrbit
        When Newton's method does not converge.
    SolverFailure
        When a run fails.
    Interrupted
        On Ctrl-C; its ``kept`` is the state at the end of the transient (``at=`` begins there), None before.
    """
    problem, parameters = posed(
        build, values or {}, period=period, frequency=frequency, multiple=multiple, autonomous=autonomous,
        start=start, steps=steps, segments=segments, newton=newton,
    )  # fmt: skip
    check_kind(at, State, "periodic: at", "orbit.state")
    settle = whole_number(settle, "periodic: settle", 0)
    line, settled = StatusLine(progress), None
    with one_blas_thread():
        length = problem.period(parameters) if problem.period_of else float(period)  # type: ignore[arg-type]
        problem.check_drivers(parameters, length)
        try:
            point = first_point(problem, parameters, length, at, settle, line)
            settled = point.states[0]
            solution = solve(
                Shooting(problem), point, Family(PERIOD, 1.0, autonomous).fixed(), watch=_shown(line)
            )
        except KeyboardInterrupt as interrupt:
            kept = (
                "nothing is kept"
                if settled is None
                else "the state after the transient is kept: at=error.kept"
            )
            raise Interrupted(f"periodic: interrupted; {kept}", settled) from interrupt
    line.finish(f"periodic motion found in {solution.iterations} iterations")
    return Orbit(problem, solution)


def _shown(line: StatusLine) -> Callable[[int, float], None]:
    """What shows an iteration of Newton's method."""

    def show(iteration: int, change: float) -> None:
        last = "" if np.isinf(change) else f", change in the last one {change:.1e}"
        line.update(lambda: f"periodic: Newton's iteration {iteration} of at most {ITERATIONS}{last}")

    return show


def posed(
    build: Any,
    values: Mapping[str, float],
    *,
    period: Period | None,
    frequency: str | None,
    multiple: int,
    autonomous: bool,
    start: float,
    steps: int,
    segments: int,
    newton: NewtonOptions | None,
) -> tuple[Problem, dict[str, float]]:
    """The problem of these arguments of `periodic`, and its values."""
    make, _ = model_builder(build)
    parameters = {name: finite(value, f"periodic: {name}") for name, value in values.items()}
    whole_number(multiple, "periodic: multiple")
    whole_number(steps, "periodic: steps", 4)
    if whole_number(segments, "periodic: segments") > steps:
        raise InputError(
            f"periodic: {segments} segments of {steps} steps: give fewer segments, or more steps"
        )
    check_kind(newton, NewtonOptions, "periodic: newton", "NewtonOptions(tolerance=1e-10)")
    if (period is None) == (frequency is None):
        raise InputError(
            "periodic: give the period (s), or frequency, the name of the driver's parameter (rad/s)"
        )
    of_driver = _period_of(period, frequency, parameters)
    first = positive(of_driver(parameters), "periodic: period (s)") * multiple
    period_of = None if autonomous else (lambda at: multiple * of_driver(at))
    problem = Problem(
        make,
        period_of,
        finite(start, "periodic: start (s)"),
        int(steps),
        int(segments),
        2.0 * np.pi / first,
        newton,
        before=0 if isinstance(period, float | int) or autonomous else int(np.ceil(start / first - 1e-9)),
    )
    return problem, parameters


def _period_of(
    period: Period | None, frequency: str | None, values: Mapping[str, float]
) -> Callable[[Mapping[str, float]], float]:
    """Period of the driver, s, from values."""
    if frequency is not None:
        if frequency not in values:
            raise InputError(
                f"periodic: there is no parameter {frequency!r}; {nearest(frequency, list(values))}"
            )
        if not values[frequency]:
            raise InputError(
                f"periodic: {frequency}, the driver's frequency, is zero: give its value (rad/s)"
            )
        return lambda given: 2.0 * np.pi / abs(given[frequency]) if given[frequency] else np.inf
    if callable(period):
        return period
    number = positive(period, "periodic: period (s)")
    return lambda _: number


def first_point(
    problem: Problem,
    values: dict[str, float],
    period: float,
    at: State | None,
    settle: int,
    line: StatusLine | None = None,
) -> Point:
    """States at the starts of the segments on a run that begins at a state, or after some periods of a transient."""
    arcs = problem.arcs(values, period)
    state = at.copy() if at is not None else _settled(problem, values, period, settle, line)
    if state is None:
        state = arcs.reference()
    state.time = problem.start_of(period)
    times, states = problem.times(period), []
    for segment_times in times:
        states.append(state.copy())
        if len(states) < len(times):
            state = arcs.run(state, segment_times.tolist()).end
    return Point(tuple(states), values, period)


def _settled(
    problem: Problem, values: dict[str, float], period: float, settle: int, line: StatusLine | None
) -> State | None:
    """The state after a run of some periods; None without any."""
    if settle == 0:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FemMbdWarning)
        simulation = Simulation(
            problem.build(values),
            problem.start_of(period) + settle * period,
            StepControl.fixed(period / problem.steps),
            newton=problem.newton,
        )
        end = simulation.end_time
        for step in simulation.steps():
            if line is not None:
                line.update(partial(_transient, line, step.time, end, period))
    return simulation.state.copy()


def _transient(line: StatusLine, time: float, end: float, period: float) -> str:
    """Text about a transient at a time (s)."""
    return f"periodic: transient, {time / period:.1f} of {end / period:.0f} periods, {line.left(time / end)}"


MAX_GAIN = 0.02  # what time integration may lose in a period
RIGID_MOTIONS = 6  # of a free structure


def nonlinear_mode(
    build: Any,
    values: Mapping[str, float] | None = None,
    *,
    mode: int = 1,
    amplitude: float,
    steps: int = 200,
    segments: int = 1,
    newton: NewtonOptions | None = None,
) -> Orbit:
    """A free vibration near a mode of the linear model, at the equilibrium.

    Parameters
    ----------
    build : a Model without damping and drivers, or what makes one from the values of parameters
    values : of the parameters by name
    mode : its number among those of `fem_mbd.modes`, from the lowest frequency on; motions without stiffness do not
        count
    amplitude : m, of the mass centre that moves furthest along an axis, as the linear mode has it: small at first,
        from where `fem_mbd.continuation` leads to larger ones
    steps, segments, newton : as of `periodic`

    Raises
    ------
    InputError
        For invalid arguments; a model without so many modes, with damping, or with drivers.
    fem_mbd.analysis.periodic.newton.LostOrbit
        When Newton's method does not converge.
    """
    make, _ = model_builder(build)
    parameters = {name: finite(value, f"nonlinear_mode: {name}") for name, value in (values or {}).items()}
    positive(amplitude, "nonlinear_mode: amplitude (m)")
    whole_number(steps, "nonlinear_mode: steps", 4)
    whole_number(segments, "nonlinear_mode: segments")
    with one_blas_thread():
        model = make(parameters)
        system, state = System(model), find_equilibrium(model).state
        omega, shape = _mode(system, state, whole_number(mode, "nonlinear_mode: mode"))
        problem = Problem(make, None, 0.0, int(steps), int(segments), omega, newton, free=True)
        problem.check_drivers(parameters, 2.0 * np.pi / omega)
        shooting, family = Shooting(problem), Family(PERIOD, 1.0, free=True)
        rest = shooting.evaluate(Point((state,) * segments, parameters, 2.0 * np.pi / omega))
        direction = _direction(rest, shape, omega, family)
        point = predicted(shooting, family, direction, amplitude)
        orbit = Orbit(problem, solve(shooting, point, family.at(direction, amplitude)))
    if abs(orbit.gain) > MAX_GAIN:
        raise InputError(
            f"nonlinear_mode: the motion loses {100.0 * orbit.gain:.2g} % of its velocities in a period: leave "
            "dampers, material damping and friction out, or take more steps"
        )
    return orbit


def _direction(rest: Any, shape: Array, omega: float, family: Family) -> Direction:
    """Velocities of the mode as it passes the equilibrium, and what it does until the later segments begin."""
    y = []
    for space, arc in zip(rest.spaces, rest.arcs, strict=True):
        phase = omega * arc.start.time
        y.append(space.coordinates(np.sin(phase) * shape, omega * np.cos(phase) * shape))
    both = np.array(y)
    return Direction(rest, both, dict.fromkeys(family.names, 0.0), 1.0).normed(family.lead)


def _mode(system: System, state: State, number: int) -> tuple[float, Array]:
    """Frequency (rad/s) and motions (6 n,) of a mode of `fem_mbd.modes`, the largest displacement along an axis 1 m."""
    linear, _ = linearise_at(system, state, None)
    # motions without stiffness, of which there may be any number, come first
    asked, elastic = number, np.zeros(0, dtype=np.int64)
    while len(elastic) < number and asked < 2 * (linear.freedoms + number):
        asked = 2 * asked + RIGID_MOTIONS
        linear_modes = modes_of(linear, asked, undamped=True)
        elastic = np.flatnonzero(linear_modes.eigenvalues.imag > 0.0)
    if number > len(elastic):
        raise InputError(f"nonlinear_mode: the model has {len(elastic)} modes with stiffness, not {number}")
    chosen = elastic[number - 1]
    motion = np.zeros(6 * system.workspace.n)
    motion[~system.fixed.ravel()] = linear.basis @ linear_modes.vectors[:, chosen].real
    largest = np.abs(motion.reshape(-1, 6)[:, :3]).max()
    if not largest > 0.0:
        raise InputError(f"nonlinear_mode: no mass centre moves in mode {number}: choose another one")
    return float(linear_modes.eigenvalues[chosen].imag), motion / largest
