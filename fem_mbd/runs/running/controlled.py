"""Simulation with a controller that sets its inputs at equal time intervals; accepted by `run` like a simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fem_mbd.base.validation import check_kind, positive
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.errors import InputError

Law = Callable[[Simulation], Mapping[str, float]]


class Controlled:
    """A simulation whose inputs a controller sets at equal intervals: ``fem_mbd.run(Controlled(sim, law, 0.01))``.

    Parameters
    ----------
    sim : the simulation, not yet run
    law : called at the start and after each interval with the simulation in its present state; returns the values of
        the inputs for the next interval. A law that has a method ``close`` is closed at the end of the run
    interval : s, between two calls

    Raises
    ------
    InputError
        For an interval that is not positive or differs from the law's own, or a law that cannot be called.
    """

    def __init__(self, sim: Simulation, law: Law, interval: float):
        check_kind(sim, Simulation, "sim", "fem_mbd.Simulation(model, end_time, control)")
        if not callable(law):
            raise InputError(f"Controlled: law is {law!r}: give a callable that takes the simulation")
        self.sim, self.law, self.interval = sim, law, positive(interval, "Controlled: interval (s)")
        if (law_interval := getattr(law, "interval", interval)) != interval:
            raise InputError(
                f"Controlled: interval is {interval:g} s, that of the law itself is {law_interval:g} s: make them equal"
            )

    def steps(self) -> Iterator[StepRecord]:
        """Accepted steps up to the simulation's end time.

        Raises
        ------
        SolverFailure
            When a step or the controller fails.
        """
        sim, count, start = self.sim, 0, self.sim.time
        try:
            while sim.time < sim.end_time:
                count += 1
                # no last interval of round-off size
                end = start + count * self.interval
                end = sim.end_time if end > sim.end_time - 1e-6 * self.interval else end
                yield from sim.advancing(end, self.law(sim))
        finally:
            close = getattr(self.law, "close", None)
            if close is not None:
                close()

    # the rest of the interface that `run` needs, delegated to the simulation

    @property
    def system(self) -> Any:
        """Of the wrapped simulation."""
        return self.sim.system

    @property
    def state(self) -> Any:
        """Of the wrapped simulation."""
        return self.sim.state

    @property
    def end_time(self) -> float:
        """s."""
        return self.sim.end_time

    @property
    def energy_scale(self) -> float:
        """J."""
        return self.sim.energy_scale

    @property
    def counters(self) -> Mapping[str, float]:
        """Of the wrapped simulation."""
        return self.sim.counters

    def outputs(self) -> dict[str, Any]:
        """Of the wrapped simulation."""
        return self.sim.outputs()

    @property
    def hooks(self) -> _Hooks:
        """Of the wrapped simulation, except that a run cannot be resumed."""
        return _Hooks(self.sim)

    def stop_at(self, times: Iterable[float]) -> None:
        """Add times at which steps have to end.

        Parameters
        ----------
        times : s
        """
        self.sim.stop_at(times)


class _Hooks:
    """Hooks of a simulation with a controller, whose internal state is not in checkpoints."""

    def __init__(self, sim: Simulation) -> None:
        self.controller_state, self.solver_reset = sim.hooks.controller_state, sim.hooks.solver_reset
        self.output_names = sim.hooks.output_names
        self.range_findings, self.restore_ranges = sim.hooks.range_findings, sim.hooks.restore_ranges

    def resume_from(self, controller_state: dict[str, float]) -> None:
        raise InputError(
            "a run with a controller cannot be resumed: the internal state of the controller is not stored"
        )
