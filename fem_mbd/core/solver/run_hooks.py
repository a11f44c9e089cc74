"""What recorders, checkpoints and restarts ask of a simulation: blocks of steps, and the memory of the step control."""

from __future__ import annotations

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
    measured : outputs of a state
    """

    def __init__(
        self,
        scheme: Scheme,
        solver: NewtonSolver,
        sizes: StepSizes,
        steps: Steps,
        measured: StateOutputs,
    ) -> None:
        self._scheme, self._solver, self._sizes, self._steps = scheme, solver, sizes, steps
        self._measured = measured

    def make_steps(self, t_end: float, most: int, sink: Sink, row: int) -> Block | None:
        """Up to ``most`` accepted steps at once, without Python between them.

        None where the next step needs Python: `Simulation.steps` makes it.

        Parameters
        ----------
        t_end : s, the end of the run
        most : steps; there may be fewer, so that signals are answered every 50 ms
        sink : where outputs are stored
        row : of the sink, for the next outputs
        """
        if self._scheme.state.time >= t_end:
            return None
        self._sizes.aim(self._scheme.state.time, t_end)
        return self._steps.make_steps(t_end, most, self._measured, sink, row)

    def controller_state(self) -> dict[str, float]:
        """What the next step depends on besides the state: the controller's memory, the energy balance, the counts."""
        own = {f"control {k}": v for k, v in self._sizes.state().items()}
        own |= {f"retries {k}": v for k, v in self._steps.retries.state().items()}
        own |= {f"balance {k}": v for k, v in self._steps.balance.state().items()} | {
            "energy": self._scheme.energy
        }
        return own | {f"count {k}": float(self._steps.counters[k]) for k in COUNTS}

    def resume_from(self, controller_state: dict[str, float]) -> None:
        """Continue from a checkpoint, whose state is in the simulation's ``state`` already.

        Parameters
        ----------
        controller_state : what `controller_state` gave
        """
        self._scheme.load_state()
        self._sizes.restore(_of(controller_state, "control "))
        self._steps.retries.restore(_of(controller_state, "retries "))
        self._steps.balance.restore(_of(controller_state, "balance "))
        self._scheme.energy = controller_state["energy"]
        for name in COUNTS:
            self._steps.counters[name] = int(controller_state[f"count {name}"])
        self.solver_reset()

    def solver_reset(self) -> None:
        """Forget the kept factorisation; called at checkpoints so that a resumed run repeats the numbers."""
        self._steps.begin_anew()
        self._solver.forget()


def _of(stored: dict[str, float], prefix: str) -> dict[str, float]:
    return {key.removeprefix(prefix): value for key, value in stored.items() if key.startswith(prefix)}
