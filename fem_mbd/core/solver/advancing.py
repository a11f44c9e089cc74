"""Methods of `Simulation` that advance it interval by interval, for controllers and co-simulation.

Between two calls of `advance` inputs can be set, quantities read, and the simulation saved and restored. The steps are
those of `Simulation.steps` with stops at the ends of the intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.attached import attached
from fem_mbd.base.validation import check_kind, finite
from fem_mbd.core.model.time_functions.inputs import Inputs, Piece
from fem_mbd.core.scheme.ledger_names import ENERGIES, LEDGER
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.saved_state import SavedState, digest
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.core.scheme.tdg import Scheme
    from fem_mbd.core.solver.run_hooks import RunHooks


class Advancing:
    """Base class of `Simulation` with the methods besides `steps`; the attributes are those of `Simulation`."""

    system: System
    state: State
    scheme: Scheme
    sizes: StepSizes
    inputs: Inputs
    _ledger: Array  # (len(LEDGER),) of the intervals so far: energies now, sums of all amounts
    hooks: RunHooks
    counters: dict[str, Any]
    _restored: tuple[int, dict[str, Any]] | None  # number of steps and outputs of a restored state

    @property
    def time(self) -> float:
        """Time of the last accepted step, s."""
        return self.state.time

    def advance(self, time: float, inputs: Mapping[str, float] | None = None) -> list[StepRecord]:
        """Make steps up to a time, which the last of them hits exactly.

        Parameters
        ----------
        time : s, later than `time`; it may be later than the end time, which limits `steps` only
        inputs : values of inputs by name for the interval from now on; other inputs keep their values. The course of an
            input between now and ``time`` depends on its ``within`` (`fem_mbd.Input`)

        Returns
        -------
        list
            The steps that were accepted.

        Raises
        ------
        InputError
            For a time that is not later, an unknown input, or a value that is not a finite number. The simulation is
            unchanged then.
        SolverFailure
            When the smallest step does not converge; the state is that of the last accepted step.
        """
        return list(self.advancing(time, inputs))

    def advancing(self, time: float, inputs: Mapping[str, float] | None = None) -> Iterator[StepRecord]:
        """As `advance`, as an iterator: quantities can be read after each step.

        Parameters
        ----------
        time, inputs : as for `advance`, with the same errors
        """
        end = finite(time, "advance: time (s)")
        if end - self.time < self.sizes.control.dt_min:
            raise InputError(
                f"advance to {end:g} s: the simulation is at {self.time:g} s; give a time that is later by at least "
                f"{self.sizes.control.dt_min:g} s (dt_min)"
            )
        self.inputs.set(self.time, end, inputs or {})
        self.sizes.plan_step(self.time, end)
        while self.time < end:
            record = self._step(end)
            self._add_to_ledger(record.energy)
            if self.time >= end:
                self.sizes.choose(record)
            yield record

    def of(self, part: Any) -> Any:
        """The present quantities of one part, under the names of `Result.of`.

            sim.of("hinge").angle
            sim.of(body).velocity               # (3,) m/s

        Parameters
        ----------
        part : its handle or name, a node or a point of the model

        Raises
        ------
        InputError
            When no part has this name; the message suggests the most similar one.
        """
        return attached("Simulation.of")(self, part)

    def value(self, path: str) -> Any:
        """One present quantity by its path, as returned by `of`.

        Parameters
        ----------
        path : PART.QUANTITY, PART.QUANTITY[k] for the k-th component from 0, PART.QUANTITY(s) for a beam's quantity at
            the fraction s of its length: "hinge.angle", "bob.position[2]", "blade1.section_force(0.0)[4]"

        Returns
        -------
        float or (…,) array

        Raises
        ------
        InputError
            When there is no such part or quantity; the message suggests the most similar one.
        """
        return attached("Simulation.value")(self, path)

    @property
    def ledger(self) -> dict[str, float]:
        """The energy balance, J: energies now, and works and dissipations of all intervals so far.

        "residual" is the residual of the balance: round-off.
        """
        return dict(zip(LEDGER, self._ledger.tolist(), strict=True))

    # -- save and restore -----------------------------------------------------------------------------------

    def save(self) -> SavedState:
        """The complete state of the simulation between two steps, for `restore`.

        The solver discards its stored factorisation, as at a checkpoint. So this run and one that is restored from the
        saved state continue bitwise equally.
        """
        self.hooks.solver_reset()
        pieces = {name: tuple(piece) for name, piece in self.inputs.pieces.items()}
        return SavedState(
            self._digest,
            self.state.to_flat(),
            self.hooks.controller_state(),
            pieces,
            self._ledger.copy(),
            self.outputs(),
        )

    def restore(self, saved: SavedState) -> None:
        """Restore a state saved by this simulation or by another one of an equal model.

        Parameters
        ----------
        saved : as returned by `save`

        Raises
        ------
        InputError
            When it is of another model.
        """
        check_kind(saved, SavedState, "restore", "sim.save()")
        if saved.model != self._digest or set(saved.inputs) != set(self.inputs):
            raise InputError(
                f"restore: the state saved at t = {saved.time:g} s is not one of model '{self.system.model.name}'"
            )
        self.state.fill_from_flat(saved.state)
        self.hooks.resume_from(dict(saved.controller))
        self.inputs.pieces.update({name: Piece(*piece) for name, piece in saved.inputs.items()})
        self._ledger = saved.ledger.copy()
        self._restored = int(self.counters["steps"]), dict(saved.outputs)

    @cached_property
    def _digest(self) -> str:
        return digest(self.system.describe() | {"inputs": sorted(self.inputs)})

    def _add_to_ledger(self, row: Array) -> None:
        energies = len(ENERGIES)
        self._ledger = np.concatenate([row[:energies], self._ledger[energies:] + row[energies:]])

    # -- defined by `Simulation` ----------------------------------------------------------------------------

    def _step(self, t_end: float) -> StepRecord:
        raise NotImplementedError

    def outputs(self) -> dict[str, Any]:
        """Quantities of the present state."""
        raise NotImplementedError
