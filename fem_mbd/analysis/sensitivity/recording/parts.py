"""Equations of large models recorded in small parts, so that their operations stay in the processor's cache.

Elements only add to the forces of their nodes. With the sums of these forces as inputs of the tape, the equations are
recorded without the elements; going back leaves the adjoints of the sums. Each element's adjoints are then found by
recording it alone, a few at a time, and going back through that at once. So the tape never has all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.recording.part_kernels import back_by_parts
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.duals.calls import dual_calls
from fem_mbd.core.compiled.duals.memory import Shadow
from fem_mbd.core.compiled.tape.memory import Tape
from fem_mbd.core.compiled.threads import piece
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.system import System

ROWS, FEW = 6, 64  # elements of a part; calls with fewer of them are not divided
ROOM = 2  # for the operations of a part, in units of those of the first step's largest one


def divisible(tasks: Sequence[Task], work: Workspace) -> list[Call]:
    """Calls that only add to the forces of nodes, row by row, and have many rows."""
    return [
        task
        for task in tasks
        if isinstance(task, Call)
        and task.split is not None
        and isinstance(task.split.nodes, np.ndarray)
        and len(task.split.nodes) >= FEW
        and {id(work.force_m), id(work.force_f)} <= {id(one) for one in task.arguments}
    ]


def of_elements(system: System) -> list[Task]:
    """Calls of another system of the same model that put the sums of divisible calls into the forces."""
    work = system.work
    own = [kind.tasks("residual", work) for kind in system.kinds]
    return [task for tasks in own for task in tasks if divisible([task], work)]


class Parts:
    """The parts of some divisible calls.

    Parameters
    ----------
    calls : with plain numbers
    shadow, tape : of the recorded ones
    work : with the forces
    where : the model, for messages
    """

    def __init__(self, calls: Sequence[Call], shadow: Shadow, tape: Tape, work: Workspace, where: str):
        pieces, nodes = [], []
        for call in calls:
            assert call.split is not None
            for first in range(0, len(call.split.nodes), ROWS):
                pieces.append(piece(call, first, first + ROWS))
                own = call.split.nodes[first : first + ROWS]
                own = own[own >= 0]
                nodes.append((int(own.min()) if own.size else 0, int(own.max(initial=-1)) + 1))
        self._tape, self._list = tape, CallList(dual_calls(pieces, shadow, where))
        self._nodes: Indices = np.array(nodes, dtype=np.int64)
        self._forces = [shadow.duals(one).view(np.int64) for one in (work.force_m, work.force_f)]
        self.width = work.force_m[0].size

    def largest(self) -> int:
        """Operations of the largest part, recorded behind those that there are; a tape that is full says so."""
        return self._run(np.zeros((2, self._forces[0].size // (2 * self.width), self.width, 2)), seeded=0)

    def back(self, adjoints: Array) -> None:
        """Go back through all parts, with adjoints (2, nodes, numbers, lanes) of the sums of forces.

        Raises
        ------
        RuntimeError
            Where the tape has no room.
        """
        self._run(adjoints, seeded=1)
        if self._tape.enlarge():
            raise RuntimeError("the tape has no room for a part of the equations")

    def _run(self, adjoints: Array, seeded: int) -> int:
        both = [one.reshape(len(one), -1) for one in self._forces]
        own = np.ascontiguousarray(adjoints).reshape(2, -1)
        found: Any = back_by_parts(
            self._list.table, self._nodes, *both, own, self.width, seeded, *self._tape.memory
        )
        return int(found)
