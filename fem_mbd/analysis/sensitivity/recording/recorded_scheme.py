"""The phases of a time step evaluated with recorded numbers: all operations of a step on the tape.

The kernels are those of the run, compiled for recorded numbers (`fem_mbd.core.compiled.duals`). What a step takes over
from the last one is what a restart needs (`State`): it is put into the arrays with the numbers of inputs of the tape.
The inputs are, one after the other: parameter-dependent numbers of the arrays, the state, the unknowns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.phases import phases_of, refuse
from fem_mbd.analysis.sensitivity.recording.parts import Parts, divisible
from fem_mbd.analysis.sensitivity.state_vector import StateVector
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.calls import CallList, Task
from fem_mbd.core.compiled.duals.calls import dual_calls
from fem_mbd.core.compiled.duals.entries import twins_of
from fem_mbd.core.compiled.duals.memory import Block, Shadow
from fem_mbd.core.compiled.duals.number import RECORDED
from fem_mbd.core.compiled.tape.memory import the_tape
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError


class WithoutAdjoint(InputError):
    """An output that has derivatives in the order of the steps only."""


class RecordedScheme:
    """Phases of a step with recorded numbers.

    Parameters
    ----------
    simulation : new, made within `one_by_one`
    columns : names of the outputs that are differentiated

    Attributes
    ----------
    shadow : recorded numbers beside the simulation's arrays
    vector, size, velocities : the state, the numbers of it, and which of them are velocities

    Raises
    ------
    InputError
        For what has no derivatives (as `DualScheme`).
    WithoutAdjoint
        For outputs that are worked out in Python, and for rigid contacts.
    """

    def __init__(self, simulation: Simulation, columns: Sequence[str] = ()):
        refuse(simulation)
        if simulation.impacts.kind is not None:
            raise WithoutAdjoint(
                f"model '{simulation.system.model.name}' has rigid contacts, whose impacts have no adjoint: give "
                "method='forward'"
            )
        self.simulation = simulation
        self.phases = phases_of(simulation)
        by_hand = sorted(set(columns) & self.phases.in_python)
        if by_hand:
            raise WithoutAdjoint(
                f"outputs {', '.join(by_hand)} are worked out in Python, which has no adjoint: give method='forward'"
            )
        self.shadow, self.tape = Shadow(RECORDED), the_tape()
        self._where = f"model '{simulation.system.model.name}'"
        self._begin, self._residual, self._record, self._accept, self._measure = (
            self._calls(tasks)
            for tasks in (
                self.phases.begin, self.phases.residual, self.phases.record, self.phases.accept, self.phases.measure,
            )
        )  # fmt: skip
        calls, work = simulation.scheme.calls, simulation.scheme.work
        self._y, self._f = self.shadow.duals(calls.y), self.shadow.duals(calls.f)
        self._clock = self.shadow.duals(work.clock)
        self.vector = StateVector(simulation)
        self._state = [
            (plain, [self.shadow.duals(one) for one in views]) for plain, views in self.vector.arrays
        ]
        self.size, self.velocities = self.vector.size, self.vector.velocities
        self._outputs = {
            name: [self.shadow.duals(one) for one in self.phases.outputs[name]] for name in columns
        }
        self._divide(simulation)
        self._parameters, self._seeded = 0, [[0] * len(views) for _, views in self._state]

    def _divide(self, simulation: Simulation) -> None:
        """Lists of calls for equations in parts."""
        residual, system = self.phases.residual, simulation.system
        self.parts: Parts | None = None
        self._forces: list[Any] = []
        many = divisible(residual, system.work)
        if not many:
            return
        work, own = (
            system.work,
            {id(task) for kind in system.kinds for task in kind.tasks("residual", system.work)},
        )
        first = next(k for k, task in enumerate(residual) if id(task) in own)
        self._before_forces = self._calls(residual[:first])
        taken = {id(task) for task in many}
        self._with_forces = self._calls([task for task in residual[first:] if id(task) not in taken])
        self._forces = [self.shadow.duals(one) for one in (work.force_m, work.force_f)]
        self.parts = Parts(many, self.shadow, self.tape, work, self._where)

    def _calls(self, tasks: Sequence[Task]) -> CallList:
        calls = dual_calls(tasks, self.shadow, self._where)
        for call in calls:
            if twins_of(call.kernel):
                the_tape().place(libraries.library_of(call.kernel.__module__))
        return CallList(calls)

    # -- inputs ---------------------------------------------------------------------------------------------

    def seed(self, numbers: Mapping[Block, Array]) -> None:
        """Make numbers of arrays inputs of the tape; before the first step.

        Parameters
        ----------
        numbers : of each block, 1, 2, … for its float64 in the order of `Block.add`, 0 for constants
        """
        for block, own in numbers.items():
            block.add(1, own.view(np.float64))
        self._parameters = max((int(own.max(initial=0)) for own in numbers.values()), default=0)
        self._seeded = [[_number(view).copy() for view in views] for _, views in self._state]

    @property
    def inputs(self) -> tuple[slice, slice]:
        """Rows of the state and of the unknowns among the tape's adjoints."""
        first = self._parameters + 1
        return slice(first, first + self.size), slice(first + self.size, first + self.size + len(self._y))

    @property
    def forces(self) -> slice:
        """Rows of the sums of forces that equations in parts are recorded with."""
        first = self.inputs[1].stop
        return slice(first, first + sum(one[..., 0].size for one in self._forces))

    def put(self, state: Array) -> None:
        """Put a state (size,) into the arrays with plain and with recorded numbers, as inputs of the tape."""
        self.vector.put(state)
        at = self._parameters + 1
        for plain, views in self._state:
            numbers = np.arange(at, at + plain.size).reshape(plain.shape)
            for view in views:
                shape = view.shape[:-1]
                view[..., 0], _number(view)[...] = plain.reshape(shape), numbers.reshape(shape)
            at += plain.size

    def restart(self, state: Array) -> None:
        """Put the state of the run's start into the arrays, with the inputs that were seeded."""
        self.put(state)
        for (_, views), seeded in zip(self._state, self._seeded, strict=True):
            for view, numbers in zip(views, seeded, strict=True):
                _number(view)[...] = numbers

    # -- phases ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Forget all operations."""
        self.tape.begin(self.forces.stop - 1)

    def solve(self, clock: Array, unknowns: Array) -> tuple[int, int]:
        """Record the equations of a step at its unknowns; numbers of the operations before and after them."""
        self._clock[:, 0] = clock
        self._begin()
        first = self.tape.count
        self._y[:, 0] = unknowns
        _number(self._y)[:] = np.arange(self.inputs[1].start, self.inputs[1].stop)
        self._residual()
        return first, self.tape.count

    def solve_with_forces(
        self, clock: Array, unknowns: Array, forces: Sequence[Array]
    ) -> tuple[int, int, int]:
        """The same but for the calls of `parts`, with the sums of forces that these add up; the second of three numbers
        is that before the first operation with these sums.
        """
        self._clock[:, 0] = clock
        self._begin()
        first = self.tape.count
        self._y[:, 0] = unknowns
        _number(self._y)[:] = np.arange(self.inputs[1].start, self.inputs[1].stop)
        self._before_forces()
        middle, at = self.tape.count, self.forces.start
        for recorded, values in zip(self._forces, forces, strict=True):
            recorded[..., 0] = values
            _number(recorded)[...] = np.arange(at, at + values.size).reshape(values.shape)
            at += values.size
        self._with_forces()
        return first, middle, self.tape.count

    def accept(self, measured: bool) -> int:
        """Record the end of the step, and the outputs of the accepted state if they are wanted.

        Returns the number behind the operations of the end of the step.
        """
        if measured:
            self._record()
        self._accept()
        behind = self.tape.count
        if measured:
            self._measure()
        return behind

    def measure(self) -> None:
        """Record the outputs of the state."""
        self._measure()

    # -- results --------------------------------------------------------------------------------------------

    @property
    def equations(self) -> Indices:
        """(unknowns,) numbers of the operations that the equations result from."""
        return _number(self._f).copy()

    @property
    def end(self) -> Indices:
        """(size,) the same of the state."""
        return np.concatenate([_number(views[0]).ravel() for _, views in self._state])

    def output(self, name: str) -> Indices:
        """The same of all numbers of an output."""
        return np.concatenate([_number(one).ravel() for one in self._outputs[name]])


def _number(recorded: Any) -> Any:
    """(…) numbers of operations of recorded numbers (…, 2)."""
    return recorded.view(np.int64)[..., 1]
