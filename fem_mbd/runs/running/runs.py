"""Runs a simulation from its start or from a checkpoint, with its results in memory or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import whole_number
from fem_mbd.base.version import package_version
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.scheme.ledger_names import LEDGER
from fem_mbd.core.scheme.state import State
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.runs.results.late_file import LateFile
from fem_mbd.runs.results.numerical_dissipation import warn_of_numerical_dissipation
from fem_mbd.runs.results.reader import FileSource
from fem_mbd.runs.results.record_times import RecordAt, checked_record_at
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.run_info import RunInfo, record_times, select_quantities
from fem_mbd.runs.results.store import MemoryStore
from fem_mbd.runs.results.writer import FileStore
from fem_mbd.runs.running.progress import Progress, choose_progress
from fem_mbd.runs.running.session import COMPLETE, FAILED, INTERRUPTED, Session, Steppable


class RunFailed(SolverFailure):
    """The solver gave up; `result` holds everything up to the last accepted step."""

    def __init__(self, reason: str, result: Result) -> None:
        super().__init__(reason)
        self.result = result


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM; `result` holds everything up to the last accepted step."""

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
    quantities: Sequence[str] | None = None,
) -> Result:
    """Run a simulation to its end and return the result, whose ``status`` says how the run ended.

    Statistics and energies are recorded at every step in any case. The numbers do not depend on any of the options but
    ``checkpoint_every``, since the solver starts afresh at every checkpoint, and ``record_at``, where steps end.

    Parameters
    ----------
    sim : `Simulation`
    file : results go there (an existing file is replaced) and are read back when asked for; without, they stay in
        memory
    case, parameters : name and parameters of the study, kept in the file
    progress : None shows a bar on a terminal, True also writes sparse lines elsewhere, False is silent
    checkpoint_every : steps
    record_every : thins the outputs: every so many steps
    record_at : thins them by the time instead: every multiple of an interval (s) from the start, or the instants (s) of
        a sequence, where steps are made to end. The state at the end of the run is always kept.
    quantities : outputs to record, by name; None: all, (): none

    Raises
    ------
    InputError
        For arguments that make no sense, before anything is written.
    """
    teller = choose_progress(progress)
    info = plan(
        sim,
        case=case,
        parameters=parameters,
        checkpoint_every=checkpoint_every,
        record_every=record_every,
        record_at=record_at,
        quantities=quantities,
    )
    return execute(sim, info, None if file is None else Path(file), teller)


def plan(
    sim: Steppable,
    *,
    case: str = "",
    parameters: dict[str, Any] | None = None,
    checkpoint_every: int = 200,
    record_every: int = 1,
    record_at: RecordAt | None = None,
    quantities: Sequence[str] | None = None,
) -> RunInfo:
    """What a run of `sim` is going to record; the arguments of `run`, InputError for those that make no sense."""
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
        quantities=select_quantities(sim.outputs(), quantities),
        version=package_version(),
    )


def execute(sim: Steppable, info: RunInfo, path: Path | None, progress: Progress) -> Result:
    """Run `sim` from its start as planned, with its results at `path` or in memory."""
    _stop_at_records(sim, info)
    initial = sim.outputs()
    if path is None:
        memory = MemoryStore(info, initial)
        Session(sim, memory, info, progress, initial).go()
        return _ended(Result(memory))
    store = FileStore.create(path, info, initial, len(sim.state.to_flat()))
    Session(sim, store, info, progress, initial).go()
    return _ended(Result.open(path))


def execute_briefly(sim: Steppable, info: RunInfo, path: Path, progress: Progress, keep: bool) -> Result:
    """As `execute`, for runs that may be over in a moment: their file is written at the end, in one go.

    With ``keep`` False a run that is complete before it has lasted long has no file at all.
    """
    _stop_at_records(sim, info)
    initial = sim.outputs()
    store = LateFile(path, info, initial, len(sim.state.to_flat()), keep)
    Session(sim, store, info, progress, initial).go()
    return _ended(store.result())


def _ended(result: Result) -> Result:
    """The result, after a warning if the scheme took a good part of the energy."""
    warn_of_numerical_dissipation(result, stacklevel=4)
    return result


def resume(file: str | Path, sim: Steppable, *, progress: bool | Progress | None = None) -> Result:
    """Go on with a run from its last checkpoint. The numbers are those of an uninterrupted run.

    A run that is complete is returned as it is, unless ``sim`` has a later end time. A run that stopped before its
    first checkpoint starts again.

    Parameters
    ----------
    file : results file, or the folder that it is in
    sim : the same simulation, new
    progress : as for `run`

    Raises
    ------
    InputError
        When there is no results file, or when ``sim`` is not the simulation that the file came from.
    """
    teller = choose_progress(progress)
    source = FileSource(file, scan=True)
    if Result(source).status == COMPLETE and sim.end_time <= source.info.end_time:
        return Result(source)
    _check_same_model(source, sim)
    if source.info.version != package_version():
        teller.message(
            f"note: {source.path} was begun by version {source.info.version}, this is {package_version()}"
        )
    info = replace(source.info, end_time=float(sim.end_time))
    checkpoint = source.checkpoint()
    if checkpoint is None:
        source.close()
        return execute(sim, info, source.path, teller)
    _stop_at_records(sim, info)
    initial = sim.outputs()
    store = FileStore.continued(source, checkpoint, info, initial)
    source.close()
    sim.state.fill_from_flat(checkpoint.state)
    sim.hooks.resume_from(checkpoint.memo["controller"])
    Session(sim, store, info, teller, sim.outputs(), checkpoint.memo["seconds"]).go()
    return _ended(Result.open(source.path))


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
    quantities: Sequence[str] | None = None,
) -> Result:
    """Simulate `model` from its initial motion to `end_time`.

    Parameters
    ----------
    model : the finished model
    end_time : s
    control : how steps are chosen, e.g. ``StepControl.fixed(1e-3)``; left out, `default_control`: the error
        estimate with a tolerance of 1e-4, and the rules of contact and friction where the model has contacts
    newton : solver options
    initial : state to begin from, for instance that of an equilibrium, instead of the initial motion
    file, progress, checkpoint_every, record_every, record_at, quantities : as in `run`

    Raises
    ------
    InputError
        Before anything runs, for a model that cannot be simulated.
    RunFailed, RunInterrupted
        When the solver gives up, and on Ctrl-C; both hold the result so far.
    """
    sim = Simulation(model, end_time, control, newton=newton, initial=initial)
    return ended_well(
        run(
            sim,
            file=file,
            progress=progress,
            checkpoint_every=checkpoint_every,
            record_every=record_every,
            record_at=record_at,
            quantities=quantities,
        )
    )


def ended_well(result: Result) -> Result:
    """The same result if its run is complete; RunFailed or RunInterrupted (both hold it) if not."""
    if result.status == FAILED:
        raise RunFailed(result.reason, result)
    if result.status == INTERRUPTED:
        raise RunInterrupted(result.reason, result)
    return result


def _stop_at_records(sim: Steppable, info: RunInfo) -> None:
    """Steps end where states are to be recorded."""
    times = record_times(info)
    if times is not None:
        sim.stop_at(times.times)


def _check_same_model(source: FileSource, sim: Steppable) -> None:
    stored, present = source.info, replace(source.info, model=sim.system.describe())
    present = RunInfo.from_json(present.to_json())
    differing = [
        key for key in {**stored.model, **present.model} if stored.model.get(key) != present.model.get(key)
    ]
    if differing:
        raise InputError(
            f"{source.path}: it holds a run of another model (different: {', '.join(differing)}); "
            "resume with the model and the parameters that the file was made with"
        )
