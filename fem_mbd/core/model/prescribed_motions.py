"""Prescribed motions of nodes in a step: the calls that set the unknowns of these nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.model.prescription import Prescription, check_rotation_in_step
from fem_mbd.core.model.prescription_kernels import PRESCRIPTION, fill
from fem_mbd.core.model.step_functions import StepFunctions
from fem_mbd.core.model.workspace import Workspace


class PrescribedMotions:
    """Prescribed motions of a model's nodes.

    Parameters
    ----------
    motions : one for each node with a prescribed motion
    """

    def __init__(self, motions: Sequence[Prescription]):
        self._motions = list(motions)

    def tasks(self, work: Workspace) -> list[Task]:
        """Calls that set the unknowns of the nodes at the beginning of a step."""
        if not self._motions:
            return []
        parts = [(m, f) for m in self._motions for f in (m.displacement, m.angle) if f is not None]
        functions = StepFunctions([f for _, f in parts], [m.jumps for m, _ in parts])
        records: Any = np.array(
            [m.record(work.centre[m.node.index]) for m in self._motions], dtype=PRESCRIPTION
        )
        number = 0
        for record, motion in zip(records, self._motions, strict=True):
            for name, function in (("displacement", motion.displacement), ("angle", motion.angle)):
                record[name] = -1 if function is None else number
                number += function is not None
        return [
            *functions.tasks(work),
            _Fill(fill, records, functions.values, work.step, work.q_i, work.x),
        ]


class _Fill(Call):
    """Call of the kernel `fill`, whose error message gives the rotation that is too large."""

    def raise_error(self) -> None:
        records, values = self.arguments[:2]
        for record in records[records["angle"] >= 0]:
            check_rotation_in_step(values[1, record["angle"], 0] - values[0, record["angle"], 0])
        super().raise_error()
