"""The command as one of several processes ("ranks") that mpiexec or srun has started: the first writes and speaks.

A rank that ends alone would leave the others waiting for it, so an error of one ends all.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
import warnings

from fem_mbd.errors import FemMbdWarning, MissingDependency

GRACE = 2.0  # s, in which the first rank may tell of an error that all ranks have met


def join_ranks(options: argparse.Namespace) -> int:
    """Let all ranks share the run, silently but for the first one; returns the number of this one.

    Parameters
    ----------
    options : of the command
    """
    from fem_mbd.linear_solvers.petsc import rank_of
    from fem_mbd.newton.newton_options import RANKS  # not at the top: help has to be there at once

    rank, ranks = rank_of()
    if ranks > 1:
        os.environ[RANKS] = str(ranks)
    if rank > 0:
        options.quiet = True
        warnings.simplefilter("ignore", FemMbdWarning)
    return rank


def end(text: str, status: int) -> int:
    """Write an error, and return the exit status; of several ranks one writes, and all end.

    Parameters
    ----------
    text : for standard error
    status : of the command
    """
    from fem_mbd.linear_solvers.petsc import rank_of

    try:
        rank, ranks = rank_of()
    except MissingDependency:
        rank, ranks = 0, 1
    if rank > 0:
        time.sleep(GRACE)
        text = f"rank {rank}: {text}"
    sys.stderr.write(f"fem-mbd: {text}\n")
    if ranks > 1:
        from fem_mbd.linear_solvers.ranks import end_all

        sys.stderr.flush()
        end_all(status)
    return status


def end_crashed() -> None:
    """Of several ranks: write the exception that is being handled, and end all; Python would wait for the others."""
    from fem_mbd.linear_solvers.petsc import rank_of

    if rank_of()[1] > 1:
        end(traceback.format_exc(), 1)
