"""`fem-mbd warm-up`: what it tells; in a folder of kernels of its own it compiles, and then finds them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd.cli.main import main
from fem_mbd.cli.warm_up_workers import _Worker, warmed_by_workers
from fem_mbd.errors import FemMbdError


@pytest.mark.slow
def test_a_case_is_compiled_once(tmp_path: Path) -> None:
    """`journal_bearing` would take a minute; a study without beams, contacts and laws does not."""
    assert main(["new", str(tmp_path / "little")]) == 0
    command = [sys.executable, "-m", "fem_mbd.cli.start", "warm-up", str(tmp_path / "little")]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in "ab"
    )
    assert re.fullmatch(r" 1/1 little  [1-9]\d* kernels compiled in [\d.]+ s\n", first), first
    assert second == " 1/1 little  ready\n"
    assert list((tmp_path / "kernels").iterdir())


def test_bad_names_and_cases_that_need_more_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warm-up", "pendlum"]) == 2
    assert "did you mean 'pendulum'" in capsys.readouterr().err
    assert main(["warm-up", "xml_model"]) == 2
    assert "file" in capsys.readouterr().err


@pytest.mark.slow
def test_two_processes_compile_two_cases(tmp_path: Path) -> None:
    """Each case is told once, whichever is done first; then all is ready."""
    cases = [str(tmp_path / name) for name in ("one", "other")]
    assert [main(["new", case]) for case in cases] == [0, 0]
    command = [sys.executable, "-m", "fem_mbd.cli.start", "warm-up", "--processes", "2", *cases]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in "ab"
    )
    line = r" {}/2 (one  |other)  [1-9]\d* kernels compiled in [\d.]+ s\n"
    assert re.fullmatch(line.format(1) + line.format(2), first), first
    assert sorted(line[5:].split() for line in second.splitlines()) == [["one", "ready"], ["other", "ready"]]


def test_what_a_worker_tells_of_cases_that_cannot_be_built() -> None:
    told = list(warmed_by_workers(["xml_model", "xml_model"], 2, asked=False))
    assert [name for name, _ in told] == ["xml_model"] * 2
    assert all(what.startswith("left out: ") and "file" in what for _, what in told)
    with pytest.raises(FemMbdError, match="did you mean 'pendulum'"):
        list(warmed_by_workers(["pendlum"] * 2, 2, asked=True))


def test_a_worker_that_dies_is_told() -> None:
    worker = _Worker()
    worker.process.kill()
    worker.process.wait()
    worker.take("pendulum", asked=True)
    with pytest.raises(FemMbdError, match=r"pendulum: the process .* ended with status -9"):
        worker.told()
    worker.end()


def test_no_process_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warm-up", "pendulum", "--processes", "0"]) == 2
    assert "--processes 0" in capsys.readouterr().err
