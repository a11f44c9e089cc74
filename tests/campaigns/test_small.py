"""Each campaign in a small size, and that each of them would notice."""

from pathlib import Path

import pytest

from fem_mbd.cases.pendulum import Parameters
from fem_mbd.errors import InputError
from tests.campaigns.__main__ import main
from tests.campaigns.decks import damage_decks
from tests.campaigns.fuzz import damage_inputs
from tests.campaigns.kills import kill_runs
from tests.campaigns.readers import Reader
from tests.campaigns.tally import Found
from tests.campaigns.watching import watch_runs

pytestmark = pytest.mark.slow


def test_damaged_inputs_are_read_or_refused(tmp_path: Path) -> None:
    found = damage_inputs(10, 0, tmp_path)
    assert not found.faults, "\n".join(found.lines())
    assert sum(count for outcome, count in found.counts.items() if outcome.endswith("refused")) > 40
    assert sum(count for outcome, count in found.counts.items() if outcome.endswith("read")) > 20


def test_damaged_decks_are_read_or_refused(tmp_path: Path) -> None:
    found = damage_decks(3, 0, tmp_path)
    assert not found.faults, "\n".join(found.lines())
    outcomes = [outcome.rpartition(": ")[2] for outcome, count in found.counts.items() if count]
    assert "refused" in outcomes and "read" in outcomes


@pytest.mark.parametrize("error", [ValueError, KeyError, RecursionError])
def test_a_reader_that_breaks_is_a_fault(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> None:
        raise error("broken")

    (tmp_path / "file").write_text("1 2 3\n")
    monkeypatch.setattr(
        "tests.campaigns.fuzz.readers", lambda folder: [Reader("it", tmp_path / "file", read)]
    )
    found = damage_inputs(3, 0, tmp_path)
    assert len(found.faults) == 3 and error.__name__ in found.faults[0]
    with pytest.raises(InputError, match="did you mean 'it'"):
        damage_inputs(3, 0, tmp_path, only="itt")


@pytest.mark.slow
def test_killed_runs_end_in_the_same_bytes(tmp_path: Path) -> None:
    found = kill_runs(12, 1, tmp_path)
    assert not found.faults, "\n".join(found.lines())
    assert any("SIGKILL" in outcome for outcome in found.counts)
    assert any("SIGTERM" in outcome for outcome in found.counts)


def test_results_of_running_runs_are_whole(tmp_path: Path) -> None:
    found = watch_runs(40, tmp_path, Parameters(end_time=1.0, dt=1e-3))
    assert not found.faults, "\n".join(found.lines())
    assert found.counts["steps of a part"] > 0


def test_other_numbers_than_those_of_the_whole_run_are_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.campaigns.watching.numbers", lambda file, *, scan=True: _seen(scan))
    found = watch_runs(2, tmp_path, Parameters(end_time=0.05, dt=1e-3))
    assert found.faults and found.faults[0] == "step/time differs from that of a whole run"


def _seen(whole: bool) -> dict[str, bytes]:
    return {"step/time": b"abc" if whole else b"b"}


def test_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Found()
    bad.faults.append("something")
    monkeypatch.setattr("tests.campaigns.fuzz.damage_inputs", lambda *given: bad)
    assert main(["fuzz", "--n", "1"]) == 1
    assert "1 faults" in capsys.readouterr().out
    monkeypatch.setattr("tests.campaigns.fuzz.damage_inputs", lambda *given: Found())
    assert main(["fuzz", "--n", "1"]) == 0
