"""Detects several processes started by mpiexec or srun for one run, which is an error."""

from __future__ import annotations

import os

from fem_mbd.errors import InputError

# set by mpiexec of Open MPI, by that of MPICH and Intel MPI, by srun
SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
PMIX = "PMIX_RANK"  # without it or PMI, tasks of srun are independent


def check_one_process() -> None:
    """Raise an error in one of several MPI processes: each would simulate the whole run, into the same folder.

    Raises
    ------
    InputError
        When a launcher has started more than one.
    """
    sizes = SIZES if PMIX in os.environ else SIZES[:-1]
    count = max((int(size) for size in map(os.environ.get, sizes) if size and size.isdecimal()), default=1)
    if count > 1:
        raise InputError(
            f"{count} processes were started for one run, but one model runs in one process: start it without "
            "mpiexec or srun, with FEM_MBD_THREADS=2 or more for a large model; many runs share processors and "
            "machines by `fem-mbd sweep`"
        )
