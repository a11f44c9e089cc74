"""Class `RunHooks`: interface of a simulation for recorders, checkpoints and restarts."""

from __future__ import annotations

from typing import Any

from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver.readable_steps import COUNTS
from fem_mbd.core.solver.step_block import Block, Sink
from fem_mbd.core.solver.steps import Steps
from fem_mbd.core.stepping.step_sizes import StepSizes


class RunHooks:
    """The hooks of one simulation, `Simulation.hooks`.

    Parameters
    ----------
    scheme, solver, sizes, steps : of the simulation
    evaluate_outputs : evaluates the outputs of the state
    """

    def __init__(
        self,
        scheme: Scheme,
        solver: NewtonSolver,
        sizes: StepSizes,
        steps: Steps,
        evaluate_outputs: StateOutputs,
    ) -> None:
        self._scheme, self._solver, self._sizes, self._steps = scheme, solver, sizes, steps
        self._evaluate_outputs = evaluate_outputs

    def make_steps(self, t_end: float, most: int, sink: Sink, row: int) -> Block | None:
        """Make up to ``most`` accepted steps in compiled code.

        None where the next step has to be made in Python, by `Simulation.steps`.

        Parameters
        ----------
        t_end : s, the end of the run
        most : number of steps; fewer are made after 50 ms, so that Python handles signals
        sink : arrays for the outputs
        row : of the sink, for the next outputs
        """
        if self._scheme.state.time >= t_end:
            return None
        self._sizes.plan_step(self._scheme.state.time, t_end)
        return self._steps.make_steps(t_end, most, self._evaluate_outputs, sink, row)

    def outputs_in_place(self) -> tuple[list[Task], dict[str, list[Any]]]:
        """Calls that evaluate the outputs of the state, and the arrays that they fill: `StateOutputs.in_place`."""
        return self._evaluate_outputs.in_place()

    def range_findings(self) -> list[dict[str, Any]]:
        """The largest measures of the run: `Ranges.findings`."""
        return self._steps.ranges.findings()

    def restore_ranges(self, findings: list[dict[str, Any]]) -> None:
        """Continue from the largest measures of an earlier session.

        Parameters
        ----------
        findings : as returned by `range_findings`
        """
        self._steps.ranges.restore(findings)

    def controller_state(self) -> dict[str, float]:
        """Data on which the next step depends besides the state: states of step control and energy balance, counts."""
        data = {f"control {k}": v for k, v in self._sizes.state().items()}
        data |= {f"retries {k}": v for k, v in self._steps.retries.state().items()}
        data |= {f"balance {k}": v for k, v in self._steps.balance.state().items()}
        data["energy"] = self._scheme.energy
        return data | {f"count {k}": float(self._steps.counters[k]) for k in COUNTS}

    def resume_from(self, controller_state: dict[str, float]) -> None:
        """Continue from a checkpoint, whose state is in the simulation's ``state`` already.

        Parameters
        ----------
        controller_state : as returned by `controller_state`
        """
        self._scheme.load_state()
        self._sizes.restore(_with_prefix(controller_state, "control "))
        self._steps.retries.restore(_with_prefix(controller_state, "retries "))
        self._steps.balance.restore(_with_prefix(controller_state, "balance "))
        self._scheme.energy = controller_state["energy"]
        for name in COUNTS:
            self._steps.counters[name] = int(controller_state[f"count {name}"])
        self.solver_reset()

    def solver_reset(self) -> None:
        """Discard the stored factorisation; called at checkpoints so that a resumed run repeats the numbers."""
        self._steps.discard_begun_step()
        self._solver.reset()


def _with_prefix(stored: dict[str, float], prefix: str) -> dict[str, float]:
    return {key.removeprefix(prefix): value for key, value in stored.items() if key.startswith(prefix)}
