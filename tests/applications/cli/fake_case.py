"""Test case built on the fake simulation; `python -m tests.applications.cli.fake_case ...` runs `fem-mbd` with it."""

import sys
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np

import fem_mbd.cases
from fem_mbd import FemMbdWarning, InputError, Result, SolverFailure
from fem_mbd.applications.cli.main import main
from fem_mbd.case import Case
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, at_most, within
from tests.runs.running.fake_simulation import FakeSimulation


@dataclass(frozen=True)
class SwingParameters:
    """Parameters of the fake case; `fail_at` makes its solver fail."""

    case: Literal[1, 2, 3] = field(default=1, metadata={"help": "which of the three"})
    steps: int = field(default=30, metadata={"help": "steps to make"})
    end_time: float = field(default=1.0, metadata={"unit": "s", "help": "simulated time"})
    fail_at: int | None = None
    pause: float = field(default=0.0, metadata={"unit": "s"})
    trouble: str = ""


def build(parameters: SwingParameters) -> FakeSimulation:
    """The simulation, or an error before it."""
    if parameters.trouble == "input":
        raise InputError("joint 'hinge': its points are 0.1 m apart; move one of them")
    if parameters.trouble == "start":
        raise SolverFailure("no consistent initial velocities")
    if parameters.trouble == "warning":
        for k in range(2):
            warnings.warn("the spring is used beyond its range", FemMbdWarning, stacklevel=k + 1)
    return FakeSimulation(
        parameters.steps,
        end_time=parameters.end_time,
        fail_at=parameters.fail_at,
        pause=parameters.pause,
        each_step=announce if parameters.pause else None,
    )


def announce(index: int) -> None:
    """Print a line for the process that watches the run."""
    if index == 1:
        sys.stdout.write("running\n")
        sys.stdout.flush()


def checks(result: Result, parameters: SwingParameters) -> list[Check]:
    """One check that passes and one that fails for case 2, with a known reason for case 3."""
    largest = float(np.abs(result.energy["residual"]).max())
    end = within("end", result.time[-1] * parameters.case, 0.0, parameters.end_time, "definition")
    known = "docs/swing.md" if parameters.case == 3 else ""
    return [at_most("energy residual", largest, 1e-11, "scheme"), replace(end, known=known)]


def plot(result: Result, parameters: SwingParameters, folder: Path) -> list[Path]:
    """The first coordinate over time."""
    series = {"x": result.outputs["position"][:, 0, 0]}
    return [draw_panels(folder / "swing.png", result.output_time, [Panel("x [m]", series)])]


CASE: Case[Any] = Case("swing", "a fake pendulum", SwingParameters, build, checks, plot)


def module() -> ModuleType:
    """The module as it would be found in `cases/`."""
    made = ModuleType("fem_mbd.cases.swing")
    made.CASE = CASE  # type: ignore[attr-defined]
    return made


if __name__ == "__main__":
    sys.modules["fem_mbd.cases.swing"] = module()
    fem_mbd.cases.CASE_NAMES = ("swing",)
    raise SystemExit(main())
