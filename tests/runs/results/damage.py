"""Test tool: damages copies of results files at random and reads them.

Used by tests; `python -m tests.runs.results.damage FIRST LAST FOLDER` tries the seeds from FIRST to before LAST.
"""

import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from fem_mbd import InputError, Result, run
from fem_mbd.runs.results.hdf5.reader import DAMAGED, DamageWarning, FileSource
from tests.runs.running.fake_runs import signal_in, start_run
from tests.runs.running.fake_simulation import FakeSimulation

STEPS, CHECKPOINT_EVERY = 1500, 100


def originals(folder: Path) -> dict[str, Path]:
    """A file of a complete run, of an interrupted one, and of a killed one, all of the same simulation."""
    files = {name: folder / f"{name}.h5" for name in ("complete", "interrupted", "killed")}
    run(FakeSimulation(STEPS), file=files["complete"], checkpoint_every=CHECKPOINT_EVERY).close()
    stopped = FakeSimulation(STEPS, each_step=signal_in(STEPS - 250))
    run(stopped, file=files["interrupted"], checkpoint_every=CHECKPOINT_EVERY).close()
    process = start_run(files["killed"], steps=STEPS, pause=0.001, checkpoint_every=CHECKPOINT_EVERY)
    while not files["killed"].exists() or Result.open(files["killed"]).steps < STEPS // 2:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    return files


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """Truncate the file, change some bytes, or overwrite a range with zeros."""
    kind = rng.integers(4)
    if kind == 0:
        return data[: rng.integers(len(data))]
    changed = bytearray(data)
    # half of the positions in the first part, where most metadata are
    reach = len(data) if rng.integers(2) else 30_000
    if kind == 1:
        at, length = int(rng.integers(reach)), int(rng.integers(1, 8192))
        changed[at : at + length] = bytes(len(changed[at : at + length]))
    else:
        for at in rng.integers(reach, size=1 if kind == 2 else rng.integers(2, 20)):
            changed[at] ^= int(rng.integers(1, 256))
    return bytes(changed)


def check(path: Path, truth: Result, scan: bool) -> str:
    """Read the intact data and compare them with the original bit by bit; returns a description of the outcome.

    Any exception other than `InputError` is passed on.
    """
    try:
        with Result.open(path, scan=scan) as result:
            assert result.status in ("complete", "interrupted", "unfinished", DAMAGED)
            assert result.status != "complete" or result.steps == truth.steps
            outcome = result.status
            for group in ("step", "energy", "outputs"):
                theirs = getattr(truth, group)
                for name in getattr(result, group):
                    try:
                        ours = getattr(result, group)[name]
                    except InputError:
                        assert not scan, "a scanned file has no damage that is met later"
                        outcome = "met when read"
                        continue
                    assert ours.tobytes() == theirs[name][: len(ours)].tobytes(), f"{group}/{name}"
            for name in result.initial:
                try:
                    initial = result.initial[name]
                except InputError:
                    assert not scan, "a scanned file has no damage that is met later"
                    outcome = "met when read"
                    continue
                assert np.array_equal(initial, truth.initial[name]), name
            source = FileSource(path, scan=scan)
            checkpoint = source.checkpoint()
            if checkpoint:
                assert checkpoint.step % CHECKPOINT_EVERY == 0
                assert checkpoint.state[0] == truth.time[checkpoint.step - 1]
                list(source.pieces(checkpoint.blocks)) if scan else None
            source.close()
            return outcome
    except InputError:
        return "refused"


def try_seeds(seeds: range, folder: Path) -> Counter[str]:
    """Damage files and read them; AssertionError with the seed for a wrong number or an unexpected error.

    Returns counts of the outcomes, and the longest time of one, in ms.
    """
    files = originals(folder)
    stored = {name: path.read_bytes() for name, path in files.items()}
    truth = run(FakeSimulation(STEPS), checkpoint_every=CHECKPOINT_EVERY)
    outcomes: Counter[str] = Counter()
    for seed in seeds:
        rng = np.random.default_rng(seed)
        name, scan = str(rng.choice(list(stored))), bool(rng.integers(2))
        path = folder / "damaged.h5"
        path.write_bytes(damage(stored[name], rng))
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DamageWarning)
                outcomes[check(path, truth, scan)] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed} ({name}, scan {scan}): {error!r}") from error
        outcomes["longest/ms"] = max(outcomes["longest/ms"], round(1e3 * (time.perf_counter() - began)))
    return outcomes


if __name__ == "__main__":
    found = try_seeds(range(int(sys.argv[1]), int(sys.argv[2])), Path(sys.argv[3]))
    sys.stdout.write(f"{dict(found)}\n")
