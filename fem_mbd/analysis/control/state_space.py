"""State space of a model or a machine about an equilibrium or a steady rotation.

Joints are eliminated exactly, as for modes (`fem_mbd.analysis.modal.linear_model`): all states are motions that the
joints leave. Source of the equations: docs/how-to/linear-models.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.control.inputs import InputColumns, Inputs, driven_by
from fem_mbd.analysis.control.motion import Motion, motion_of
from fem_mbd.analysis.control.outputs import Columns, OutputRows
from fem_mbd.analysis.control.places import Places
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

MOST = (
    1200  # unknowns up to which all motions become states: dense matrices of 2 x 1200 states take 50 MB each
)


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
    modes : keep the lowest modes only, the others follow statically; all motions are states when left out
    at, spin : of a model: the equilibrium and the steady rotation, as for `fem_mbd.modes`
    speed : of a machine, rad/s; 0 when left out

    Raises
    ------
    InputError
        For names that there are not (the nearest is suggested), a state that is not in equilibrium (what is out of
        balance is named), or more motions than can be states.
    SolverFailure
        When there is no equilibrium.
    """
    for given, kind in ((inputs, "inputs"), (outputs, "outputs")):
        if isinstance(given, str):
            raise InputError(f"state_space: {kind} are a list of names, e.g. ['{given}']")
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
    places = Places(linear, blades, "" if family is None else family.generator)
    given = InputColumns(places).of(list(inputs))
    motion, states, second_order = _motion(linear, linear.basis.T @ given.pull(linear), modes, family)
    columns = _columns(linear, motion, given, blades)
    seen = OutputRows(places, columns).of(list(outputs))
    s = len(motion.a)
    return StateSpace(
        motion.a, motion.b, seen.matrix[:, :s], seen.matrix[:, s:], given.names, seen.names, states, given.units,
        seen.units, given.values, seen.values, linear.system.model.name, frame, float(np.linalg.norm(linear.spin)),
        second_order,
    )  # fmt: skip


def _motion(
    linear: LinearModel, forces: Array, modes: int | None, family: LinearFamily | None
) -> tuple[Motion, tuple[str, ...], tuple[bool, ...]]:
    """With names of its states, and which of them belong to equations of second order."""
    if modes is not None:
        whole_number(modes, "state_space: modes")
        found = modal_motion(linear, forces, modes)
        return found.motion, *_mode_states(found, family)
    if linear.freedoms > MOST:
        raise InputError(
            f"state_space: model '{linear.system.model.name}' has {linear.freedoms} degrees of freedom, too many for "
            f"states (up to {MOST}): give modes=N for the lowest N modes"
        )
    matrices = (linear.mass, linear.gyroscopic + linear.damping, linear.stiffness)
    mass, rates, stiffness = (linear.reduced(matrix).toarray() for matrix in matrices)
    motion = motion_of(mass, rates, stiffness, forces)
    if len(motion.a) != 2 * linear.freedoms:  # directions without mass
        return motion, tuple(f"state {k + 1}" for k in range(len(motion.a))), (False,) * len(motion.a)
    names = _unknowns(linear)
    return motion, (*names, *(f"rate of {name}" for name in names)), (True,) * len(motion.a)


def _mode_states(found: ModalMotion, family: LinearFamily | None) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    labels = family.names(found.modes) if family is not None else []
    if len(set(labels)) < len(found.modes):
        labels = [f"mode {k + 1}, {f:.5g} Hz" for k, f in enumerate(found.modes.damped_frequencies_hz)]
    of_state = found.of_state
    names = [
        f"rate of {labels[k]}" if n and of_state[n - 1] == k else labels[k] for n, k in enumerate(of_state)
    ]
    return tuple(names), tuple(of_state.count(k) == 2 for k in of_state)


def _unknowns(linear: LinearModel) -> list[str]:
    """A name for each reduced unknown: of the node where it is one of its own, else by number."""
    free = np.argwhere(~linear.system.held)
    basis = linear.basis.tocsc()
    names = []
    for column in range(basis.shape[1]):
        rows = basis.indices[basis.indptr[column] : basis.indptr[column + 1]]
        if len(rows) == 1:
            node, component = free[rows[0]]
            what = "displacement" if component < 3 else "turn in node axes"
            names.append(f"{linear.system.model.nodes[node].name} {what} {'xyz'[component % 3]}")
        else:
            names.append(f"motion {column + 1} within joints")
    return names


def _columns(linear: LinearModel, motion: Motion, given: Inputs, blades: MultiBlade | None) -> Columns:
    own = [linear.basis @ np.hstack([s, u]) for s, u in zip(motion.states, motion.inputs, strict=True)]
    none: Any = np.zeros((linear.mass.shape[0], len(motion.a)))
    every = np.stack([part + np.hstack([none, more]) for part, more in zip(own, given.motions, strict=True)])
    velocity = every[1]
    if blades is not None and np.any(linear.spin):
        rate = float(linear.spin @ blades.spin.direction)
        velocity = velocity + rate * (blades.generator(linear) @ every[0])
    return Columns(every, velocity, np.hstack([none, given.loads]))
