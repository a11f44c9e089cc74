"""State-space model of a model or a machine, linearised about an equilibrium or a steady rotation.

Joints are eliminated exactly, as for modes (`fem_mbd.analysis.modal.linear_model`): all states are motions compatible
with the joints. Source of the equations: docs/how-to/linear-models.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.control.inputs import InputColumns, Inputs, driven_by
from fem_mbd.analysis.control.motion import Motion, motion_of
from fem_mbd.analysis.control.outputs import Columns, OutputRows
from fem_mbd.analysis.control.signal_targets import SignalTargets
from fem_mbd.analysis.control.space import StateSpace
from fem_mbd.analysis.control.truncation import ModalMotion, modal_motion
from fem_mbd.analysis.modal.linear_model import LinearModel, linearise
from fem_mbd.analysis.rotors.family import LinearFamily
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError

# number of unknowns up to which all motions become states: dense matrices of 2 x 1200 states take 50 MB each
MAX_UNKNOWNS = 1200


def state_space(
    what: Model | LinearFamily,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    modes: int | None = None,
    at: State | Equilibrium | None = None,
    spin: Spin | None = None,
    speed: float | None = None,
) -> StateSpace:
    """A, B, C and D of a model or a machine, with named inputs and outputs.

        space = fem_mbd.state_space(model, ["tip.force[z]"], ["tip.displacement[z]", "root.moment[y]"])
        space.A, space.to_control(), space.save("tip.npz")

    Parameters
    ----------
    what : a model, or the linear models of a machine (`fem_mbd.machines.MachineFamily`): in multi-blade coordinates
    inputs : names such as PART.force[x], JOINT.torque, JOINT.angle (docs/how-to/linear-models.md)
    outputs : names such as PART.displacement[x], BEAM@0.section_force[M2], JOINT.force[x]
    modes : keep only the lowest modes, the others follow statically; by default all motions are states
    at, spin : of a model: the equilibrium and the steady rotation, as for `fem_mbd.modes`
    speed : of a machine, rad/s; by default 0

    Raises
    ------
    InputError
        For unknown names (the nearest is suggested), a state that is not in equilibrium (the unbalanced node is named),
        or too many motions.
    SolverFailure
        When there is no equilibrium.
    """
    for given, kind in ((inputs, "inputs"), (outputs, "outputs")):
        if isinstance(given, str):
            raise InputError(f"state_space: {kind} have to be a list of names, e.g. ['{given}']")
    if isinstance(what, Model):
        if speed is not None:
            raise InputError("state_space: speed is for machines; give a model's rotation as spin=Spin(…)")
        linear = linearise(what, at, spin=spin)
        frame = "standing" if spin is None or spin.rate == 0.0 else "rotating"
        return _of_linear(linear, inputs, outputs, modes, frame)
    if at is not None or spin is not None:
        raise InputError("state_space: at and spin are for models; give a machine's rotation as speed=RAD/S")
    rate = finite(0.0 if speed is None else speed, "state_space: speed")
    what = what.driving(driven_by(inputs))
    linear = what.at(rate)
    return _of_linear(linear, inputs, outputs, modes, what.frame, what)


def _of_linear(
    linear: LinearModel,
    inputs: Sequence[str],
    outputs: Sequence[str],
    modes: int | None,
    frame: str,
    family: LinearFamily | None = None,
) -> StateSpace:
    blades = None if family is None else family.blades
    targets = SignalTargets(linear, blades, "" if family is None else family.generator)
    u = InputColumns(targets).of(list(inputs))
    motion, states, second_order = _motion(linear, linear.left.T @ u.unit_forces(linear), modes, family)
    columns = _columns(linear, motion, u, blades)
    y = OutputRows(targets, columns).of(list(outputs))
    s = len(motion.a)
    return StateSpace(
        motion.a, motion.b, y.matrix[:, :s], y.matrix[:, s:], u.names, y.names, states, u.units,
        y.units, u.values, y.values, linear.system.model.name, frame, float(np.linalg.norm(linear.spin)),
        second_order,
    )  # fmt: skip


def _motion(
    linear: LinearModel, forces: Array, modes: int | None, family: LinearFamily | None
) -> tuple[Motion, tuple[str, ...], tuple[bool, ...]]:
    """The motion, the names of its states, and which of them belong to equations of second order."""
    if modes is not None:
        whole_number(modes, "state_space: modes")
        modal = modal_motion(linear, forces, modes)
        return modal.motion, *_mode_states(modal, family)
    if linear.freedoms > MAX_UNKNOWNS:
        raise InputError(
            f"state_space: model '{linear.system.model.name}' has {linear.freedoms} degrees of freedom, too many for "
            f"states (up to {MAX_UNKNOWNS}): give modes=N for the lowest N modes"
        )
    matrices = (linear.mass, linear.gyroscopic + linear.damping, linear.stiffness)
    mass, rates, stiffness = (linear.reduced(matrix).toarray() for matrix in matrices)
    motion = motion_of(mass, rates, stiffness, forces)
    if len(motion.a) != 2 * linear.freedoms:  # motions without mass
        return motion, tuple(f"state {k + 1}" for k in range(len(motion.a))), (False,) * len(motion.a)
    names = _unknown_names(linear)
    return motion, (*names, *(f"rate of {name}" for name in names)), (True,) * len(motion.a)


def _mode_states(modal: ModalMotion, family: LinearFamily | None) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    labels = family.names(modal.modes) if family is not None else []
    if len(set(labels)) < len(modal.modes):
        labels = [f"mode {k + 1}, {f:.5g} Hz" for k, f in enumerate(modal.modes.damped_frequencies_hz)]
    of_state = modal.of_state
    names = [
        f"rate of {labels[k]}" if n and of_state[n - 1] == k else labels[k] for n, k in enumerate(of_state)
    ]
    return tuple(names), tuple(of_state.count(k) == 2 for k in of_state)


def _unknown_names(linear: LinearModel) -> list[str]:
    """A name for each reduced unknown: that of its node and component where it belongs to one node, otherwise a
    number.
    """
    free = np.argwhere(~linear.system.held)
    basis = linear.basis.tocsc()
    names = []
    for column in range(basis.shape[1]):
        rows = basis.indices[basis.indptr[column] : basis.indptr[column + 1]]
        if len(rows) == 1:
            node, component = free[rows[0]]
            quantity = "displacement" if component < 3 else "rotation in node axes"
            names.append(f"{linear.system.model.nodes[node].name} {quantity} {'xyz'[component % 3]}")
        else:
            names.append(f"joint motion {column + 1}")
    return names


def _columns(linear: LinearModel, motion: Motion, given: Inputs, blades: MultiBlade | None) -> Columns:
    parts = [linear.basis @ np.hstack([s, u]) for s, u in zip(motion.states, motion.inputs, strict=True)]
    zero: Any = np.zeros((linear.mass.shape[0], len(motion.a)))
    total = np.stack([part + np.hstack([zero, p]) for part, p in zip(parts, given.motions, strict=True)])
    velocity = total[1]
    if blades is not None and np.any(linear.spin):
        rate = float(linear.spin @ blades.spin.direction)
        velocity = velocity + rate * (blades.generator(linear) @ total[0])
    return Columns(total, velocity, np.hstack([zero, given.loads]))
