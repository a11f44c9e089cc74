"""Tests of commands that read a damaged results file."""

from pathlib import Path

import h5py
import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cli.reports import DAMAGED_FILE


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A run whose positions before the first step are damaged."""
    folder = tmp_path / "run"
    assert (
        main(["run", "pendulum", "--set", "end_time=0.1", "--out", str(folder), "--quiet", "--no-plot"]) == 0
    )
    with h5py.File(folder / "results.h5") as file:
        place = file["initial/position"].id.get_offset()
    data = bytearray((folder / "results.h5").read_bytes())
    data[place + 3] ^= 0x55
    (folder / "results.h5").write_bytes(data)
    return folder


@pytest.mark.parametrize("command", [["export", "--to", "csv"], ["diagnose"]])
def test_a_lost_row_is_told_and_the_status_is_not_that_of_a_whole_file(
    damaged: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables without the state at the start used to be written with status 0."""
    assert main([command[0], str(damaged), *command[1:]]) == DAMAGED_FILE
    assert "position before the first step is lost" in capsys.readouterr().err
