"""Programs started by mpiexec: Open MPI's is given leave for root and for more ranks than processors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl": "self,vader",  # shared memory: no network, nothing listens
    "PYTHONPATH": str(ROOT),
}


def mpiexec(ranks: int, *command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What so many processes of this Python with these arguments left; the test is skipped without mpiexec."""
    launcher = shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("no mpiexec here")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    return subprocess.run(
        [launcher, "-n", str(ranks), sys.executable, *command],
        cwd=folder,
        env={**inherited, **SETTINGS, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
