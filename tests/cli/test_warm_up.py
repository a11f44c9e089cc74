"""`fem-mbd warm-up`: what it tells; in a folder of kernels of its own it compiles, and then finds them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd.cli.main import main


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
