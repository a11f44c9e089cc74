"""Functions `run`, `simulate` and `resume`: run a simulation, with its results in memory or in a file.

`numerical_dissipation` is the energy dissipated by the time integration scheme itself during a run, with a warning
where it is a large share.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.dependencies import package_version
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.ledger import DISSIPATIONS, LEDGER
from fem_mbd.core.scheme.state import State
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.runs.results.hdf5.reader import FileSource
from fem_mbd.runs.results.hdf5.writer import FileStore
from fem_mbd.runs.results.late_file import LateFile
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.run_info import (
    RecordAt,
    RunInfo,
    checked_record_at,
    record_times,
    select_quantities,
)
from fem_mbd.runs.results.store import MemoryStore
from fem_mbd.runs.results.views.part_table import sections_of
from fem_mbd.runs.running.progress import Progress, choose_progress
from fem_mbd.runs.running.session import COMPLETE, FAILED, INTERRUPTED, Session, Steppable

LARGE_SHARE = 0.2  # share of the energy available for dissipation: physical losses are of this size, too
NEGLIGIBLE = 1e-9  # fraction of the run's energies and works below which the dissipation is negligible
TARGET_SHARE = 0.01  # share that remains with the proposed step size
LOSS_ORDER = 3  # a vibration loses the share (omega dt)^4/36 per step: in a given time this goes with dt^3


class NumericalDissipationWarning(FemMbdWarning):
    """The scheme has dissipated a large share of the energy: vibrations are not resolved by the steps."""


@dataclass(frozen=True)
class NumericalDissipation:
    """Numerical dissipation of a run.

    amount : J, dissipated by the scheme in the whole run
    share : of the energy available: all that was dissipated plus the largest kinetic and strain energy
    step : s, step size with which a share of 1 % would remain if vibrations cause the loss; the mean step size where
        the share is smaller already
    """

    amount: float
    share: float
    step: float


def numerical_dissipation(result: Result) -> NumericalDissipation:
    """The scheme's dissipation in a run, from its energy ledger.

    The proposed step size follows from the scheme's order: the energy that a vibration loses in a given time goes with
    the third power of the step size, as for Radau's method with two stages. That is an estimate: vibrations that the
    steps do not resolve at all (omega dt above 1) lose less than this power law predicts, and need smaller steps.
    """
    energy = result.energy
    dissipated = {name: float(np.sum(energy[name])) for name in DISSIPATIONS}
    stored = np.asarray(energy["kinetic"]) + np.asarray(energy["elastic"])
    amount, available = (
        dissipated["dissipation_scheme"],
        sum(dissipated.values()) + float(np.max(stored, initial=0.0)),
    )
    threshold = NEGLIGIBLE * float(result.log.get("energy_scale", 0.0)) + float(
        np.sum(result.step["round_off"])
    )
    share = amount / available if amount > threshold else 0.0
    mean = float(np.mean(result.step["dt"])) if len(result.step["dt"]) else 0.0
    return NumericalDissipation(
        amount, share, mean * min(1.0, (TARGET_SHARE / max(share, TARGET_SHARE)) ** (1 / LOSS_ORDER))
    )


def warn_of_numerical_dissipation(result: Result, stacklevel: int = 2) -> None:
    """Warn where the scheme dissipated a large share of the energy; the message gives the share and a better
    step size.
    """
    losses = numerical_dissipation(result)
    if losses.share > LARGE_SHARE:
        warnings.warn(
            f"the scheme has dissipated {losses.amount:.3g} J, {losses.share:.0%} of the energy available in "
            "the run: something moves faster than the steps resolve. If it is a vibration, or an unstable "
            f"controller, steps of about {losses.step:.2g} s preserve it; if it is meant to decay, give the "
            "model damping",
            NumericalDissipationWarning,
            stacklevel=stacklevel + 1,
        )


class RunFailed(SolverFailure):
    """The solver failed; `result` holds everything up to the last accepted step."""

    def __init__(self, reason: str, result: Result) -> None:
        super().__init__(reason)
        self.result = result


class RunInterrupted(KeyboardInterrupt):
    """The run was stopped by Ctrl-C or SIGTERM; `result` holds everything up to the last accepted step."""

    def __init__(self, reason: str, result: Result) -> None:
        super().__init__(reason)
        self.result = result


def run(
    sim: Steppable,
    *,
    file: str | Path | None = None,
    case: str = "",
    parameters: dict[str, Any] | None = None,
    progress: bool | Progress | None = None,
    checkpoint_every: int = 200,
    record_every: int = 1,
    record_at: RecordAt | None = None,
    every_step: bool = True,
    quantities: Sequence[str] | None = None,
) -> Result:
    """Run a simulation to its end and return the result, whose ``status`` says how the run ended.

    Statistics and energies are recorded at every step, unless ``every_step`` is False. The numbers do not depend on any
    of the options but ``checkpoint_every``, since the solver discards its factorisation at every checkpoint, and
    ``record_at``, which changes where steps end.

    Parameters
    ----------
    sim : `Simulation`
    file : results file (an existing one is replaced), from which results are read on demand; without it, they stay in
        memory
    case, parameters : name and parameters of the study, stored in the file
    progress : None shows a bar on a terminal, True also writes occasional lines elsewhere, False shows nothing
    checkpoint_every : steps
    record_every : records the outputs of every n-th step only
    record_at : records the outputs by time instead: at every multiple of an interval (s) from the start, or at the
        times (s) of a sequence; steps are made to end there. The state at the end of the run is always recorded.
    every_step : False records statistics and energies of recorded states only, for runs of many millions of steps: each
        row stands for all steps since the one before, with sums of dissipations, works and iterations
    quantities : outputs to record, by name; None: all, (): none

    Raises
    ------
    InputError
        For invalid arguments, before anything is written.
    """
    display = choose_progress(progress)
    info = plan(
        sim,
        case=case,
        parameters=parameters,
        checkpoint_every=checkpoint_every,
        record_every=record_every,
        record_at=record_at,
        every_step=every_step,
        quantities=quantities,
    )
    return execute(sim, info, None if file is None else Path(file), display)


def plan(
    sim: Steppable,
    *,
    case: str = "",
    parameters: dict[str, Any] | None = None,
    checkpoint_every: int = 200,
    record_every: int = 1,
    record_at: RecordAt | None = None,
    every_step: bool = True,
    quantities: Sequence[str] | None = None,
) -> RunInfo:
    """Data to be recorded by a run of `sim`; the arguments are those of `run`, InputError when they are invalid."""
    return RunInfo(
        case=case,
        parameters=dict(parameters or {}),
        model=sim.system.describe(),
        energy=LEDGER,
        start_time=float(sim.state.time),
        end_time=float(sim.end_time),
        checkpoint_every=whole_number(checkpoint_every, "checkpoint_every"),
        record_every=whole_number(record_every, "record_every"),
        record_at=checked_record_at(record_at, record_every),
        every_step=every_step,
        quantities=select_quantities(sim.hooks.output_names, quantities),
        version=package_version(),
    )


def execute(sim: Steppable, info: RunInfo, path: Path | None, progress: Progress) -> Result:
    """Run `sim` from its start as planned, with its results in the file `path` or in memory."""
    _stop_at_records(sim, info)
    initial = sim.outputs()
    if path is None:
        memory = MemoryStore(info, initial)
        Session(sim, memory, info, progress, initial).run()
        return _finished(Result(memory), sim)
    store = FileStore.create(path, info, initial, len(sim.state.to_flat()))
    Session(sim, store, info, progress, initial).run()
    return _finished(Result.open(path), sim)


def execute_briefly(sim: Steppable, info: RunInfo, path: Path, progress: Progress, keep: bool) -> Result:
    """As `execute`, for runs that may be short: a short run's file is written once, at its end.

    With ``keep`` False a short run that is complete has no file at all.
    """
    _stop_at_records(sim, info)
    initial = sim.outputs()
    store = LateFile(path, info, initial, len(sim.state.to_flat()), keep)
    Session(sim, store, info, progress, initial).run()
    return _finished(store.result(), sim)


def _finished(result: Result, sim: Steppable) -> Result:
    """The result with the beams' sections, after a warning if the scheme dissipated a large part of the energy."""
    result.sections = sections_of(sim.system)
    warn_of_numerical_dissipation(result, stacklevel=4)
    return result


def resume(file: str | Path, sim: Steppable, *, progress: bool | Progress | None = None) -> Result:
    """Continue a run from its last checkpoint. The numbers are those of an uninterrupted run.

    A complete run is returned unchanged, unless ``sim`` has a later end time. A run that stopped before its first
    checkpoint starts again.

    Parameters
    ----------
    file : results file or its folder
    sim : a new simulation of the same model
    progress : as for `run`

    Raises
    ------
    InputError
        When there is no results file, or when ``sim`` is not the simulation that wrote the file.
    """
    display = choose_progress(progress)
    source = FileSource(file, scan=True)
    if Result(source).status == COMPLETE and sim.end_time <= source.info.end_time:
        return Result(source)
    _check_same_model(source, sim)
    if source.info.version != package_version():
        display.message(
            f"note: {source.path} was written by version {source.info.version}, this is {package_version()}"
        )
    info = replace(source.info, end_time=float(sim.end_time))
    checkpoint = source.checkpoint()
    if checkpoint is None:
        source.close()
        return execute(sim, info, source.path, display)
    _stop_at_records(sim, info)
    initial = sim.outputs()
    store = FileStore.continued(source, checkpoint, info, initial)
    source.close()
    sim.state.fill_from_flat(checkpoint.state)
    sim.hooks.resume_from(checkpoint.memo["controller"])
    sim.hooks.restore_ranges(checkpoint.memo.get("ranges", []))
    memo = checkpoint.memo
    Session(sim, store, info, display, sim.outputs(), memo["seconds"], memo.get("pending")).run()
    return _finished(Result.open(source.path), sim)


@arguments()
def simulate(
    model: Model,
    end_time: float,
    control: StepControl | None = None,
    *,
    newton: NewtonOptions | None = None,
    initial: State | None = None,
    file: str | Path | None = None,
    progress: bool | Progress | None = None,
    checkpoint_every: int = 200,
    record_every: int = 1,
    record_at: RecordAt | None = None,
    every_step: bool = True,
    quantities: Sequence[str] | None = None,
) -> Result:
    """Simulate `model` from its initial motion to `end_time`.

    Parameters
    ----------
    model : the complete model
    end_time : s
    control : step control, e.g. ``StepControl.fixed(1e-3)``; by default `default_control`: the error estimate with a
        tolerance of 1e-4, and the rules of contact and friction where the model has contacts
    newton : solver options
    initial : state to start from, for instance an equilibrium, instead of the initial motion
    file, progress, checkpoint_every, record_every, record_at, every_step, quantities : as in `run`

    Raises
    ------
    InputError
        For a model that cannot be simulated, before anything runs.
    RunFailed, RunInterrupted
        When the solver fails, and on Ctrl-C; both hold the result so far.
    """
    sim = Simulation(model, end_time, control, newton=newton, initial=initial)
    return require_complete(
        run(
            sim,
            file=file,
            progress=progress,
            checkpoint_every=checkpoint_every,
            record_every=record_every,
            record_at=record_at,
            every_step=every_step,
            quantities=quantities,
        )
    )


def require_complete(result: Result) -> Result:
    """The result itself if its run is complete; otherwise RunFailed or RunInterrupted (both hold the result) is
    raised.
    """
    if result.status == FAILED:
        raise RunFailed(result.reason, result)
    if result.status == INTERRUPTED:
        raise RunInterrupted(result.reason, result)
    return result


def _stop_at_records(sim: Steppable, info: RunInfo) -> None:
    """Make steps end where states are to be recorded."""
    times = record_times(info)
    if times is not None:
        sim.stop_at(times.times)


def _check_same_model(source: FileSource, sim: Steppable) -> None:
    stored, current = source.info, replace(source.info, model=sim.system.describe())
    current = RunInfo.from_json(current.to_json())
    differing = [
        key for key in {**stored.model, **current.model} if stored.model.get(key) != current.model.get(key)
    ]
    if differing:
        raise InputError(
            f"{source.path}: this file holds a run of another model (different: {', '.join(differing)}); "
            "resume with the model and the parameters with which the file was written"
        )
