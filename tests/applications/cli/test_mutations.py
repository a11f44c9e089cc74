"""Tests of mutated command lines: none ends in a traceback, and status 2 leaves nothing behind."""

import dataclasses
import re

import numpy as np
import pytest

from fem_mbd import Result, cases
from fem_mbd.cases import load_case
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.run_info import RunInfo
from tests.applications.cli.mutations import command_lines, fault_of

FOUND = [
    "run crank_mechanism --set contact_stiffness=0",
    "run turbine_blades --set turn=inf",
    "run belt_block --set shape=1000",
    "run pendulum --set radius=1e300",
    "run cube_on_plane --set sigma=1e300",
    "run iea15mw_blade --set elements=99999999999999999999",
    "run pendulum --set length=inf",
    "run cantilever --set end_time=1e-300",
    "run cantilever --set elements=1000000000",
]


@pytest.mark.parametrize("line", FOUND)
def test_command_lines_that_once_ended_badly(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fault_of([*line.split(), "--no-plot", "--out", "out"]) == ""


def test_mutated_command_lines_without_running_what_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accepted runs are stopped before their first step, so that this is fast; the whole search is a separate
    program.
    """
    from fem_mbd.errors import SolverFailure
    from fem_mbd.runs.running import runs

    def planned(sim: object, info: RunInfo, *rest: object) -> object:
        raise SolverFailure(re.sub("error", "", info.case))

    monkeypatch.setattr(runs, "execute", planned)
    faults = {" ".join(line): fault for line in command_lines(40, 5) if (fault := fault_of(line))}
    assert faults == {}


def test_checks_that_a_case_far_from_its_own_cannot_make_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case whose checks look for a state never reached with these parameters; with its own parameters this is an
    error.
    """
    case = load_case("pendulum")

    def of_nothing(result: Result, p: object) -> list[Check]:
        return [Check("largest of none", float(np.zeros(0).max()), 0.0, True, "none")]

    lost = dataclasses.replace(case, checks=of_nothing)
    monkeypatch.setattr(cases, "load_case", lambda name: lost)
    line = ["run", "pendulum", "--set", "end_time=1e-5", "--no-plot", "--out", "out"]
    assert fault_of(line) == ""
