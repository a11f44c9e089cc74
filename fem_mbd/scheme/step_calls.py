"""The calls of one step, in their order: what `Scheme` does, as lists that a run can make without Python.

Source: docs/theory.md, sections 3 and 6. All arrays are those of the system's workspace.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.compiled import kernel
from fem_mbd.kernel_calls import Call, Number, Task
from fem_mbd.scheme import node_kernels as nodes
from fem_mbd.scheme.system import System


class StepCalls:
    """Residual and tangent of one system.

    Attributes
    ----------
    y, f : (size,) iterate of the solver, and the equations there
    values : matrix values at the last iterate of `tangent`, in CSR order
    residual : calls that fill ``f`` from ``y``
    residual_after_tangent : the same; stresses for the geometric stiffness follow the motion since then
    tangent : calls that fill ``values``
    after_tangent : (1,) whether the last evaluation was one of the tangent
    """

    def __init__(self, system: System, regularisation: Array):
        """regularisation : (1,) what is taken from the diagonal of the multipliers of redundant constraints"""
        work = system.work
        self.y, self.f = np.zeros(system.size), np.zeros(system.size)
        self.values = work.data[:-1]
        self.after_tangent = np.zeros(1, dtype=np.int64)
        to_rows = (system.equation, system.constraint_equation)
        place: list[Task] = [Call(nodes.unpack, self.y, *to_rows, work.x, work.multipliers)]
        note: list[Task] = [Call(copy, _flat(work.x), _flat(work.x_old))]
        increments = Call(nodes.ambient_increments, work.x, work.x_old, work.d_q, work.d_p, work.dq, work.dp)
        follow: list[Task] = [increments, *_all(system, "extrapolate")]
        maps = (work.w_m, work.w_f)
        balance: list[Task] = [
            Call(nodes.kinematics, work.x, work.r_i, work.q_i, work.q_f, work.p, work.r_f, *maps),
            *(Call(clear, _flat(array)) for array in (work.force_m, work.force_f, work.rows)),
            *_all(system, "residual"),
            Call(
                nodes.finish_rows, work.x, work.x_i, work.mass, work.inertia, work.gravity, work.step,
                *maps, work.force_m, work.force_f, work.rows,
            ),
            Call(nodes.pack, work.rows, work.constraints, *to_rows, self.f),
        ]  # fmt: skip
        self.residual = [*place, *balance]
        self.residual_after_tangent = [*note, *place, *follow, *balance]
        self.tangent: list[Task] = [
            Call(nodes.all_trial_maps, work.x, work.r_f, work.spin, work.d_q, work.d_p),
            *(Call(clear, _flat(array)) for array in (work.data, work.lin_m, work.lin_f)),
            *_all(system, "tangent"),
            Call(
                nodes.node_tangent, work.x, work.r_i, work.r_f, work.spin, work.mass, work.inertia,
                work.lin_m, work.lin_f, system.node_slots, work.data,
            ),
        ]  # fmt: skip
        if system.redundant:
            self.tangent.append(Call(subtract, work.data, system.multiplier_diagonal, Number(regularisation)))


def _all(system: System, phase: str) -> list[Task]:
    """What all kinds do in a phase."""
    return [task for kind in system.kinds for task in kind.tasks(phase, system.work)]


def _flat(array: Array) -> Array:
    """A view of all entries in one row."""
    flat = array.view()
    flat.shape = (array.size,)  # raises where a copy would be needed
    return flat


@kernel
def copy(source, target):
    """Both (n,)."""
    target[:] = source


@kernel
def clear(array):
    """Set (n,) entries to zero."""
    array[:] = 0.0


@kernel
def subtract(data, places, amount):
    """Take ``amount`` from the entries of data at ``places``."""
    for place in places:
        data[place] -= amount
