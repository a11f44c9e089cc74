"""A simulation with a controller: `run` makes its steps, and after each interval the controller sets its inputs."""

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
    sim : the simulation, at its start
    law : called at the start and after each interval with the simulation as it stands; it returns the values of inputs
        for the interval that follows
    interval : s, between two calls

    Raises
    ------
    InputError
        For an interval that is not above zero or not the law's own, or a law that cannot be called.
    """

    def __init__(self, sim: Simulation, law: Law, interval: float):
        check_kind(sim, Simulation, "sim", "fem_mbd.Simulation(model, end_time, control)")
        if not callable(law):
            raise InputError(f"Controlled: law is {law!r}: give a function of the simulation")
        self.sim, self.law, self.interval = sim, law, positive(interval, "Controlled: interval (s)")
        if (own := getattr(law, "interval", interval)) != interval:
            raise InputError(
                f"Controlled: interval is {interval:g} s, that of the law is {own:g} s: make them equal"
            )

    def steps(self) -> Iterator[StepRecord]:
        """Accepted steps up to the simulation's end time.

        Raises
        ------
        SolverFailure
            When a step or the controller fails.
        """
        sim, count, start = self.sim, 0, self.sim.time
        while sim.time < sim.end_time:
            count += 1
            # a rest that is round-off is no interval of its own
            end = start + count * self.interval
            end = sim.end_time if end > sim.end_time - 1e-6 * self.interval else end
            yield from sim.advancing(end, self.law(sim))

    # -- the rest of what `run` needs: the simulation's own -------------------------------------------------

    @property
    def system(self) -> Any:
        """Of the simulation."""
        return self.sim.system

    @property
    def state(self) -> Any:
        """Of the simulation."""
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
        """Of the simulation."""
        return self.sim.counters

    def outputs(self) -> dict[str, Any]:
        """Of the simulation."""
        return self.sim.outputs()

    @property
    def hooks(self) -> _Hooks:
        """Of the simulation, without a restart."""
        return _Hooks(self.sim)

    def stop_at(self, times: Iterable[float]) -> None:
        """Make steps end at further instants.

        Parameters
        ----------
        times : s
        """
        self.sim.stop_at(times)


class _Hooks:
    """The hooks of the simulation; what the law remembers is in no checkpoint."""

    def __init__(self, sim: Simulation) -> None:
        self.controller_state, self.solver_reset = sim.hooks.controller_state, sim.hooks.solver_reset

    def resume_from(self, controller_state: dict[str, float]) -> None:
        raise InputError(
            "a run with a controller cannot be resumed: what the controller remembers is not stored"
        )
