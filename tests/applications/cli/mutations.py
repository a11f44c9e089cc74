"""Test tool: random mutations of valid command lines, as typed by a hurried or mistaken user.

    python -m tests.applications.cli.mutations 1500 1        # number and seed; names each line that ends in anything
    but a message python -m tests.applications.cli.mutations 1500 1 1300   # the same, leaving out the first 1300

Every line is run in this process, in an empty folder. Faults are: an exception, a warning with a source location, a
folder left behind by status 2, any status but 0, 2, 3, 4 (a failed check) and 5 (a damaged file).
"""

import contextlib
import dataclasses
import io
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cli.reports import CHECK_FAILED, DAMAGED_FILE
from fem_mbd.cases import case_names, load_case

VALUES = (
    "0", "-1", "1e-300", "1e300", "inf", "-inf", "nan", "none", "", "abc", "1000", "99999999999999999999",
    "1e9", "0.5", "1,2,3", "()", "true", "--", "=", "1e-12", "3.5",
)  # fmt: skip
SWITCHES = (
    ["--record-every", "0"], ["--record-every", "x"], ["--checkpoint-every", "-3"], ["--quantities", "positon"],
    ["--quantities", ","], ["--params", "none.toml"], ["--nonsense"], ["--out", "/dev/null/x"], ["--force"],
)  # fmt: skip
SHORT = {"end_time": "1e-5", "duration": "1e-5", "revolutions": "1e-4", "steps": "10"}
LASTING = ("0.5", "1000", "3.5", "true", "1e9")  # valid values of these that would run for hours
STEPS_LASTING = "1e-12"  # the same for steps


def command_lines(count: int, seed: int) -> Iterator[list[str]]:
    """``count`` command lines; runs are short where the case has a parameter for it."""
    rng = random.Random(seed)
    for _ in range(count):
        yield _run(rng) if rng.random() < 0.8 else _other(rng)


def _run(rng: random.Random) -> list[str]:
    name = rng.choice(case_names())
    fields = [f.name for f in dataclasses.fields(load_case(name).parameters)]
    settings = {key: value for key, value in SHORT.items() if key in fields}
    for _ in range(rng.choice((1, 1, 1, 2))):
        field = rng.choice(fields)
        value = rng.choice(VALUES)
        if (field in SHORT and value in LASTING) or (field.startswith("dt") and value == STEPS_LASTING):
            continue
        settings[_misspelt(field, rng) if rng.random() < 0.1 else field] = value
    line = ["run", name, "--no-plot", "--quiet", "--out", "out"]
    line += ["--set", *(f"{key}={value}" for key, value in settings.items())]
    return line + (rng.choice(SWITCHES) if rng.random() < 0.2 else [])


def _other(rng: random.Random) -> list[str]:
    command = rng.choice(
        ("resume", "plot", "export", "list", "static", "modal", "campbell", "laws", "fit", "rnu")
    )
    words = rng.choice((["nowhere"], [], ["."], ["pendulum"], ["--to", "stl"], ["nowhere", "--to", "csv"]))
    return [command, *words, *(["--frobnicate"] if rng.random() < 0.3 else [])]


def _misspelt(word: str, rng: random.Random) -> str:
    k = rng.randrange(len(word))
    return word[:k] + rng.choice("xyz_") + word[k + 1 :]


def fault_of(line: list[str]) -> str:
    """Description of the fault of a command line's outcome, "" without fault."""
    before = os.getcwd()
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = main(line)
        except SystemExit as end:
            status = int(end.code or 0)
        except Exception:
            return traceback.format_exc(limit=-3)
        finally:
            left = sorted(path.name for path in Path(folder).iterdir())
            os.chdir(before)
    said = out.getvalue() + err.getvalue()
    if status not in (0, 2, 3, CHECK_FAILED, DAMAGED_FILE):
        return f"status {status}"
    if "Traceback" in said or ".py:" in said:
        return said[-400:]
    if status == 2 and left:
        return f"status 2, but left behind: {left}; {err.getvalue()[-300:]}"
    return "" if status == 0 or "error:" in said or status == 3 else f"status {status} without a message"


def search(count: int, seed: int, done: int = 0) -> int:
    """Run all but the first ``done``; returns the number of faults, each of which is printed."""
    faults = 0
    for number, line in enumerate(command_lines(count, seed), 1):
        if number <= done:
            continue
        fault = fault_of(line)
        if fault:
            faults += 1
            sys.stdout.write(f"fem-mbd {' '.join(line)}\n  {fault}\n")
        if fault or number % 50 == 0:
            sys.stdout.write(f"{number} of {count} command lines, seed {seed}: {faults} faults\n")
            sys.stdout.flush()
    sys.stdout.write(f"{count} command lines, seed {seed}: {faults} faults\n")
    return faults


if __name__ == "__main__":
    raise SystemExit(min(search(*map(int, sys.argv[1:])), 1))
