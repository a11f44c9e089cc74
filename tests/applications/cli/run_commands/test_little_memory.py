"""Test of a run with too little memory: it ends at once with a message."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KILOBYTES = (250_000, 350_000, 450_000, 550_000, 650_000)


@pytest.mark.parametrize("limit", KILOBYTES)
def test_it_ends_in_words(limit: int, tmp_path: Path) -> None:
    """OpenBLAS with a thread per processor looped for ever where memory was too small for them."""
    run = f"{sys.executable} -m fem_mbd run pendulum --set end_time=0.05 --quiet --no-plot --out {tmp_path / 'run'}"
    own = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    found = subprocess.run(
        ["bash", "-c", f"ulimit -v {limit}; exec {run}"], capture_output=True, text=True, timeout=120, env=own
    )
    if found.returncode:
        assert found.returncode in (2, 3), found.stderr[-2000:]
        assert "Traceback" not in found.stderr
        assert "fem-mbd: " in found.stderr
