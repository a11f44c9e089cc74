"""Calls of a time step by phase, and the check that a simulation can be differentiated."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.scheme.outputs import NODE_OUTPUTS, SUPPORT
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError

CONTACT = "contact"  # the output that records of contacts are


class Phases(NamedTuple):
    """Tasks of a step.

    Attributes
    ----------
    begin, residual, accept : as in `StepCalls`
    ending : those of ``residual`` that the end of the step needs: places, velocities and histories
    record : fill the records of contacts, of the solved step
    measure : calls that fill the outputs of the accepted state
    measure_plain : the same with all that is done in Python
    outputs : the arrays of each output by its name, several one after the other
    in_python : names of outputs that are worked out in Python, or may be
    """

    begin: list[Task]
    residual: list[Task]
    ending: list[Task]
    accept: list[Task]
    record: list[Task]
    measure: list[Task]
    measure_plain: list[Task]
    outputs: dict[str, list[Any]]
    in_python: set[str]


def phases_of(simulation: Simulation) -> Phases:
    """The tasks of a simulation."""
    calls, system = simulation.scheme.calls, simulation.system
    record = [task for kind in system.kinds for task in kind.tasks("record_contacts", system.work)]
    tasks, outputs = simulation.hooks.outputs_in_place()
    filled = [
        task for task in tasks if hasattr(task, "func")
    ]  # `outputs._fill` of a kind: its last argument is filled
    names = {name for task in filled if isinstance(task, partial) for name in task.args[-1]}
    if any(
        not isinstance(task, Call) for task in tasks if task not in filled
    ):  # which of them it serves nobody tells
        names |= set(outputs) - {output.name for output in (*NODE_OUTPUTS, SUPPORT)}
    if len(calls.contacts):
        outputs = outputs | {CONTACT: [calls.contacts]}
    of_others = {
        id(task)
        for kind in system.kinds
        if kind.history is None
        for task in kind.tasks("residual", system.work)
    }
    ending = [task for task in calls.undivided_residual if id(task) not in of_others]
    return Phases(
        calls.begin, calls.undivided_residual, ending, calls.accept, [*record, *calls.gather_contacts],
        [task for task in tasks if isinstance(task, Call)], tasks, outputs, names,
    )  # fmt: skip


def refuse(simulation: Any) -> None:
    """InputError for simulations whose derivatives cannot be had."""
    if not isinstance(simulation, Simulation):
        raise InputError(
            f"derivatives need a plain fem_mbd.Simulation, not a {type(simulation).__name__}: "
            "a controller has no derivatives"
        )
    if simulation.system.threads > 1:
        raise InputError("derivatives are calculated by one thread: leave out NewtonOptions(threads=…)")


def refuse_rigid_contacts(simulation: Simulation, method: str) -> None:
    """InputError for simulations with rigid contacts, where a method cannot pass their impacts."""
    if simulation.impacts.kind is not None:
        raise InputError(
            f"model '{simulation.system.model.name}' has rigid contacts, whose impacts {method} cannot differentiate: "
            "give the contacts a law (fem_mbd.joints.PointOnPlane …), or use forward derivatives (fem_mbd.gradient)"
        )
