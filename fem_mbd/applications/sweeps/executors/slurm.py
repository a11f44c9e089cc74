"""A SLURM script that runs a sweep as an array of jobs: no server, the runs' folders are all that the jobs share.

Job k of n runs every n-th run from the k-th on. When the array has ended, the same `fem-mbd sweep` without ``--part``
gathers the table and runs what is missing.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from fem_mbd.base.validation import whole_number
from fem_mbd.errors import InputError

SCRIPT_NAME = "sweep.sbatch"


def write_script(spec: Path, out: Path, jobs: int) -> Path:
    """Write the script into the sweep's folder and return its path; InputError for a number of jobs below one."""
    whole_number(jobs, "--slurm")
    command = [sys.executable, "-m", "fem_mbd.applications.cli.start"]
    sweep = ["sweep", str(spec.absolute()), "--out", str(out.absolute()), "--quiet", "--no-plot"]
    if any("\n" in word for word in [*command, *sweep]):
        raise InputError(f"{out}: a folder with a line break in its name cannot stand in a job script")
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    lines = [
        "#!/bin/bash",
        "#SBATCH --job-name=fem-mbd-sweep",
        f"#SBATCH --array=1-{jobs}",
        "#SBATCH --ntasks=1",
        "#SBATCH --cpus-per-task=1",
        "# asks the run to stop after its step and keep what it has, before the time is up",
        "#SBATCH --signal=B:TERM@60",
        "set -euo pipefail",
        "export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1",
        f"export PYTHONPATH={shlex.quote(paths)}",
        "# names of folders are meant as they stand",
        "# shellcheck disable=SC2016",
        f'exec {shlex.join(command)} {shlex.join(sweep)} --processes 1 --part "$SLURM_ARRAY_TASK_ID/{jobs}"',
    ]
    out.mkdir(parents=True, exist_ok=True)
    script = out / SCRIPT_NAME
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    script.chmod(0o755)
    return script
