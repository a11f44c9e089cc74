"""Results that are read while their run goes on: whole at every moment, and the first part of all that it leaves."""

import os
import warnings
from functools import partial
from pathlib import Path

from fem_mbd.cases.pendulum import Parameters
from fem_mbd.errors import FemMbdWarning, InputError
from tests.campaigns.run_apart import FAILED, FINISHED, fork, forked, go, numbers
from tests.campaigns.tally import Found

# steps of a fraction of a millisecond: checkpoints divide what is handed over at once into some ten blocks
RUN = Parameters(end_time=10.0, dt=1e-3)


def watch_runs(openings: int, folder: Path, parameters: Parameters = RUN) -> Found:
    """Open the files of running runs so many times; one run after the other."""
    truth_file, file, found = folder / "truth.h5", folder / "run.h5", Found()
    if forked(partial(go, parameters, truth_file)) != FINISHED:
        raise RuntimeError(f"a run that nobody watched failed: {parameters}")
    truth = numbers(truth_file)
    while found.counts.total() < openings:
        file.unlink(missing_ok=True)
        process = fork(partial(go, parameters, file))
        running = True
        while running and found.counts.total() < openings:
            running = os.waitpid(process, os.WNOHANG) == (0, 0)
            if file.exists():
                _open(file, truth, found)
        if running and os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == FAILED:
            raise RuntimeError("a run that was watched failed")
    return found


def _open(file: Path, truth: dict[str, bytes], found: Found) -> None:
    """Read the file as it stands, in the way of somebody who looks at a run that goes on."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", FemMbdWarning)
        try:
            seen = numbers(file, scan=False)
        except (InputError, FemMbdWarning) as told:
            found.counts["called damaged"] += 1
            found.faults.append(str(told))
            return
    size, whole = len(seen["step/time"]), len(truth["step/time"])
    found.counts["no step yet" if not size else "steps of a part" if size < whole else "all steps"] += 1
    found.faults += [
        f"{name} differs from that of a whole run"
        for name, data in seen.items()
        if not truth[name].startswith(data)
    ]
