"""The processes ("ranks") that mpiexec or srun has started and that share one run.

All of them go through the same steps with the same numbers. What each has computed is put together by PETSc's scatters,
which every rank has to take part in: one that raises an error alone leaves the others waiting, so the command ends all
of them then (`end_all`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.arrays import Array, Indices
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.linear_solvers.petsc import library, petsc


class Alone:
    """The one process of a run that is not shared.

    Attributes
    ----------
    rank, size : number of this rank, from 0, and how many there are
    """

    rank, size = 0, 1

    @property
    def first(self) -> bool:
        """Whether this is the rank that writes and speaks."""
        return self.rank == 0

    def largest(self, number: float) -> float:
        """The largest of the numbers that the ranks give."""
        return number

    def check_together(self, number: float) -> None:
        """SolverFailure when the ranks do not give the same number: they have come apart."""


class Ranks(Alone):
    """All ranks that the launcher has started.

    Parameters
    ----------
    wanted : how many the run is meant for

    Raises
    ------
    InputError
        When another number was started.
    """

    def __init__(self, wanted: int):
        module = petsc()
        self.world = module.COMM_WORLD
        self.rank, self.size = int(self.world.rank), int(self.world.size)
        if self.size != wanted:
            raise InputError(
                f"NewtonOptions ranks is {wanted}, but the processes started for this run are {self.size}: "
                f"start it by mpiexec -n {wanted}"
            )
        self._number = module.Vec().createMPI((1, self.size), comm=self.world)
        self._scatter, self._numbers = module.Scatter.toAll(self._number)

    def largest(self, number: float) -> float:
        return float(self._all(number).max())

    def check_together(self, number: float) -> None:
        found = self._all(number)
        if (found != number).any():
            raise SolverFailure(
                f"the ranks have come apart ({found.min():.17g} here, {found.max():.17g} there): start them on "
                "processors of one kind, with the same files and settings"
            )

    def everywhere(self, bounds: Indices) -> Everywhere:
        """What makes all ranks know vectors of which each knows its rows ``bounds[rank]`` to ``bounds[rank + 1]``."""
        return Everywhere(self, bounds)

    def _all(self, number: float) -> Array:
        self._number.array_w[0] = number
        self._scatter.scatter(self._number, self._numbers)
        return np.array(self._numbers.array_r)


class Everywhere:
    """See `Ranks.everywhere`.

    Attributes
    ----------
    own : PETSc's vector of all ranks, of which each holds its own rows
    rows : those of this rank
    """

    def __init__(self, ranks: Ranks, bounds: Indices):
        self.rows = slice(int(bounds[ranks.rank]), int(bounds[ranks.rank + 1]))
        count = self.rows.stop - self.rows.start
        self.own = petsc().Vec().createMPI((count, int(bounds[-1])), comm=ranks.world)
        self._scatter, _ = petsc().Scatter.toAll(self.own)

    def send(self, own: Any, whole: Any) -> None:
        """All rows of ``own``, a vector like the attribute, to ``whole``, one of this process."""
        self._scatter.scatter(own, whole)

    def fill(self, array: Array) -> Callable[[], None]:
        """A function that fills the rows of other ranks in ``array`` (rows,), which is never replaced."""
        module = petsc()
        whole = module.Vec().createWithArray(array, comm=module.COMM_SELF)

        def exchange() -> None:
            self.own.array_w[:] = array[self.rows]
            self.send(self.own, whole)

        return exchange


def end_all(status: int) -> None:
    """End all ranks at once, with this exit status, whatever they are doing."""
    library().MPI_Abort(ctypes.c_void_p.in_dll(library(), "PETSC_COMM_WORLD"), status)
