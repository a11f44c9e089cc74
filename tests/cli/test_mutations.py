"""No command line ends in a traceback, and status 2 leaves nothing behind."""

from __future__ import annotations

import re

import pytest

from fem_mbd.results.recorder import RunInfo
from tests.cli.mutations import command_lines, fault_of

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
    """Accepted runs end before their first step, so that this stays fast; the whole search is a program of its own."""
    from fem_mbd.errors import SolverFailure
    from fem_mbd.running import runs

    def planned(sim: object, info: RunInfo, *rest: object) -> object:
        raise SolverFailure(re.sub("error", "", info.case))

    monkeypatch.setattr(runs, "execute", planned)
    faults = {" ".join(line): fault for line in command_lines(40, 5) if (fault := fault_of(line))}
    assert faults == {}
