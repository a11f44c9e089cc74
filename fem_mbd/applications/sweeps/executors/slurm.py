"""SLURM script that executes a sweep as a job array, without a server: the jobs share only the runs' folders.

Job k of n executes every n-th run from the k-th on. When the array has ended, the same `fem-mbd sweep` without
``--part`` collects the table and executes missing runs.
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
        raise InputError(f"{out}: the name of a folder in a job script must not have a line break")
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    lines = [
        "#!/bin/bash",
        "#SBATCH --job-name=fem-mbd-sweep",
        f"#SBATCH --array=1-{jobs}",
        "#SBATCH --ntasks=1",
        "#SBATCH --cpus-per-task=1",
        "# asks the run to stop after its step and store its results before the time limit",
        "#SBATCH --signal=B:TERM@60",
        "set -euo pipefail",
        "export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1",
        f"export PYTHONPATH={shlex.quote(paths)}",
        "# names of folders are not expanded",
        "# shellcheck disable=SC2016",
        f'exec {shlex.join(command)} {shlex.join(sweep)} --processes 1 --part "$SLURM_ARRAY_TASK_ID/{jobs}"',
    ]
    out.mkdir(parents=True, exist_ok=True)
    script = out / SCRIPT_NAME
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    script.chmod(0o755)
    return script
