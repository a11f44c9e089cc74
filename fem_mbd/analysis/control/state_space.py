"""Linear state-space model x' = A x + B u, y = C x + D u of a model or a machine, with names and units of its signals.

`state_space` linearises about an equilibrium or a steady rotation. Joints are eliminated exactly, as for modes
(`fem_mbd.analysis.modal.linear_model`): all states are motions compatible with the joints. Source of the equations:
docs/how-to/linear-models.md.

States of inflow, dynamic stall and Maxwell chains, and the wind, in state spaces.

With x = Z y + p u the motion of all unknowns (`motion`), w the states of the parts and V the change of the wind's speed
(`fem_mbd.core.model.internal_states`),

    M x'' + C x' + K x + F w + f V = F_u u        w' = A w + B x + C_w x' + a V

The states of the model are those of y and w. "wind.speed" is the speed of a wind that is the same over the rotor, along
its axis, in m/s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.control.motion import ModalMotion, Motion, modal_motion, motion_of
from fem_mbd.analysis.control.signal_names import SignalTargets
from fem_mbd.analysis.control.signals import Columns, InputColumns, Inputs, OutputRows, driven_by
from fem_mbd.analysis.modal.linear_model import LinearModel, linearise
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.analysis.rotors.rotating_models import LinearFamily
from fem_mbd.analysis.rotors.weight import shaft_motion
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array, Complex, write_fields
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError, MissingDependency

WIND = "wind.speed"
FREE = 1e-9  # fraction of a rotation of the rotor that joints hold


def with_wind(inputs: Inputs, linear: LinearModel) -> Inputs:
    """Inputs with the speed of the wind after them.

    Parameters
    ----------
    inputs : the other inputs
    linear : the model

    Raises
    ------
    InputError
        For a model without aerodynamic loads with states.
    """
    if linear.internal is None or linear.internal.relaxing:
        raise InputError(
            f"state_space: '{WIND}' is an input of machines in wind with inflow or stall that has states"
        )
    n = len(inputs.loads)
    force = -linear.internal.wind_force[:, None]
    return replace(
        inputs, names=(*inputs.names, WIND), units=(*inputs.units, "m/s"), loads=np.hstack([inputs.loads, force]),
        motions=np.concatenate([inputs.motions, np.zeros((3, n, 1))], axis=2), values=np.append(inputs.values, 0.0),
    )  # fmt: skip


def free_rotation(linear: LinearModel, axis: Spin | None) -> Array | None:
    """(n,) the rotation of a rotor about its free shaft, None where it is held, or there is none.

    Parameters
    ----------
    linear : the model
    axis : of the rotor, with its nodes; None for a structure without one
    """
    if axis is None:
        return None
    whole = shaft_motion(linear, axis)
    locked = np.abs(linear.constraints @ whole).max(initial=0.0) > FREE * np.abs(whole).max()
    return None if locked else whole


def without_rotation(inputs: Inputs, rotation: Array | None) -> Inputs:
    """Inputs whose prescribed motions do not turn the rotor: the free shaft turns by the states.

    Parameters
    ----------
    inputs : the inputs
    rotation : of `free_rotation`
    """
    if rotation is None:
        return inputs
    share = np.einsum("i,kim->km", rotation, inputs.motions) / (rotation @ rotation)
    return replace(inputs, motions=inputs.motions - rotation[:, None] * share[:, None, :])


def without_azimuth(stiffness: Array, linear: LinearModel, rotation: Array | None) -> Array:
    """A reduced stiffness (r, r) that does not resist the rotation of a rotor in wind along its free shaft.

    Derivatives at fixed states of the flow are those over a short step, and cancel to some 1e-5 of the loads that the
    states carry. Over minutes the rest would drive the azimuth.

    Parameters
    ----------
    stiffness : (r, r)
    linear : the model
    rotation : of `free_rotation`
    """
    if rotation is None:
        return stiffness
    reduced = np.asarray(np.linalg.lstsq(linear.basis.toarray(), rotation, rcond=None)[0])
    return np.asarray(stiffness - np.outer(stiffness @ reduced, reduced) / (reduced @ reduced))


def with_states_of_flow(motion: Motion, linear: LinearModel, inputs: Inputs) -> Motion:
    """The motion with the states of flow and chains after its own.

    Parameters
    ----------
    motion : whose inputs are those given, then the states of the flow
    linear : the model, with states
    inputs : m inputs
    """
    internal = linear.internal
    assert internal is not None
    m, basis = len(inputs.names), csr_matrix(linear.basis)
    by_place, by_rate = (matrix @ basis for matrix in (internal.by_position, internal.by_velocity))
    z, u, w = (
        by_place @ part[0] + by_rate @ part[1]
        for part in (motion.states, motion.inputs[:, :, :m], motion.inputs[:, :, m:])
    )
    u = u + internal.by_position @ inputs.motions[0] + internal.by_velocity @ inputs.motions[1]
    u[:, [name == WIND for name in inputs.names]] += internal.by_wind[:, None]
    a = np.block([[motion.a, motion.b[:, m:]], [z, internal.own.toarray() + w]])
    b = np.concatenate([motion.b[:, :m], u])
    return Motion(
        a, b, np.concatenate([motion.states, motion.inputs[:, :, m:]], axis=2), motion.inputs[:, :, :m]
    )


@dataclass(frozen=True, eq=False)
class StateSpace:
    """x' = A x + B u, y = C x + D u: small deviations from an equilibrium or a steady rotation.

    Attributes
    ----------
    A, B, C, D : (s, s), (s, m), (p, s), (p, m)
    inputs, outputs, states : names
    input_units, output_units : SI
    input_values, output_values : (m,) and (p,) at the equilibrium, relative to which u and y are given
    name : of the model
    frame : "standing", "rotating" (axes turn with the structure) or "multi-blade"
    speed : of the rotation, rad/s
    second_order : (s,) whether a state belongs to an equation of second order, whose rate is a state too
    wind : of the equilibrium, m/s; 0 of models without wind
    """

    A: Array
    B: Array
    C: Array
    D: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    input_values: Array
    output_values: Array
    name: str = "model"
    frame: str = "standing"
    speed: float = 0.0
    second_order: tuple[bool, ...] = field(default=())
    wind: float = 0.0

    @property
    def eigenvalues(self) -> Complex:
        """(s,) rad/s, by ascending magnitude."""
        values = np.linalg.eigvals(self.A).astype(complex)
        return values[np.argsort(np.abs(values), kind="stable")]

    def transfer(self, s: complex) -> Complex:
        """(p, m) C (s I - A)^-1 B + D.

        Parameters
        ----------
        s : rad/s; j omega for the frequency response, 0 for constant inputs
        """
        return np.asarray(
            self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B) + self.D, dtype=complex
        )

    def chosen(self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None) -> StateSpace:
        """The model reduced to some of its inputs and outputs.

        Parameters
        ----------
        inputs, outputs : names; by default all

        Raises
        ------
        InputError
            For an unknown name.
        """
        u = _indices(self.inputs, inputs, "input")
        y = _indices(self.outputs, outputs, "output")
        return StateSpace(
            self.A, self.B[:, u], self.C[y], self.D[np.ix_(y, u)],
            tuple(self.inputs[k] for k in u), tuple(self.outputs[k] for k in y), self.states,
            tuple(self.input_units[k] for k in u), tuple(self.output_units[k] for k in y),
            self.input_values[u], self.output_values[y], self.name, self.frame, self.speed, self.second_order,
            self.wind,
        )  # fmt: skip

    def with_states(self, outputs: Sequence[str]) -> StateSpace:
        """The same model with outputs and their time derivatives as states, as in a textbook.

        Parameters
        ----------
        outputs : half as many displacements or angles as there are states; their rates follow in the same order

        Raises
        ------
        InputError
            When these outputs do not determine the state.
        """
        rows = self.C[_indices(self.outputs, outputs, "output")]
        change = np.concatenate([rows, rows @ self.A])
        if change.shape[0] != len(self.A) or np.linalg.cond(change) > 1e12:
            raise InputError(
                f"with_states: {', '.join(outputs)} and their rates do not determine the {len(self.A)} "
                f"states: give {len(self.A) // 2} displacements or angles that do"
            )
        back = np.linalg.inv(change)
        names = (*outputs, *(f"rate of {name}" for name in outputs))
        return replace(
            self, A=change @ self.A @ back, B=change @ self.B, C=self.C @ back, states=names,
            second_order=(True,) * len(names),
        )  # fmt: skip

    def to_control(self) -> Any:
        """The model as ``control.StateSpace`` of python-control, with its signal names, in which _ replaces each dot.

        Raises
        ------
        MissingDependency
            Without python-control.
        """
        try:
            import control
        except ImportError as error:
            raise MissingDependency(
                "to_control needs python-control: pip install 'fem_mbd[control]'; A, B, C and D are "
                "available without it"
            ) from error
        return control.StateSpace(
            self.A, self.B, self.C, self.D,
            inputs=_without_dots(self.inputs), outputs=_without_dots(self.outputs), states=_without_dots(self.states),
            remove_useless_states=False,
        )  # fmt: skip

    def save(self, file: str | Path) -> Path:
        """Write a NumPy file (.npz): the four matrices and everything else under the names of the attributes.

        Parameters
        ----------
        file : name of the file

        Returns
        -------
        Path
            The file.
        """
        return write_fields(self, file)

    @classmethod
    def load(cls, file: str | Path) -> StateSpace:
        """Read a file written by `save`.

        Parameters
        ----------
        file : name of the file

        Raises
        ------
        InputError
            When it is not such a file.
        """
        with np.load(Path(file)) as data:
            missing = [f.name for f in fields(cls) if f.name not in data]
            if missing:
                raise InputError(f"{file}: not a state space: {', '.join(missing)} are missing")
            values: dict[str, Any] = {f.name: data[f.name] for f in fields(cls)}
        for name, value in values.items():
            if value.dtype.kind in "Ub":
                values[name] = tuple(value.tolist()) if value.ndim else value.item()
        return cls(**values)


def _without_dots(names: tuple[str, ...]) -> list[str]:
    """python-control uses the dot for signals of subsystems."""
    return [name.replace(".", "_") for name in names]


def _indices(known: tuple[str, ...], names: Sequence[str] | None, kind: str) -> list[int]:
    for name in names or ():
        if name not in known:
            raise InputError(f"there is no {kind} '{name}'; {nearest(name, known)}")
    return list(range(len(known))) if names is None else [known.index(name) for name in names]


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
    wind: float | None = None,
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
    wind : m/s, of a machine in wind (`fem_mbd.machines.AeroelasticFamily`), whose inputs include "wind.speed"; states
        of inflow and stall are among the states. ``input_values`` are its wind, pitch and the generator's torque

    Raises
    ------
    InputError
        For unknown names (the nearest is suggested), a state that is not in equilibrium (the unbalanced node is named),
        or too many motions.
    SolverFailure
        When there is no equilibrium.
    """
    for names, kind in ((inputs, "inputs"), (outputs, "outputs")):
        if isinstance(names, str):
            raise InputError(f"state_space: {kind} have to be a list of names, e.g. ['{names}']")
    if isinstance(what, Model):
        if speed is not None:
            raise InputError("state_space: speed is for machines; give a model's rotation as spin=Spin(…)")
        linear = linearise(what, at, spin=spin)
        frame = "standing" if spin is None or spin.rate == 0.0 else "rotating"
        return _of_linear(linear, inputs, outputs, modes, frame)
    if at is not None or spin is not None:
        raise InputError("state_space: at and spin are for models; give a machine's rotation as speed=RAD/S")
    in_wind = getattr(what, "over", "speed") == "wind"
    if in_wind != (wind is not None) or (in_wind and speed is not None):
        raise InputError(
            "state_space: a machine in wind has wind=M/S, in place of speed; others have no wind"
        )
    rate = finite((wind if in_wind else speed) or 0.0, "state_space: speed (rad/s), or wind (m/s)")
    what = what.driving(driven_by([name for name in inputs if name != WIND]))
    linear = what.at(rate)
    space = _of_linear(linear, inputs, outputs, modes, what.frame, what)
    if not in_wind:
        return space
    known: dict[str, float] = what.operating_inputs(rate)  # type: ignore[attr-defined]
    values = [known.get(name, value) for name, value in zip(space.inputs, space.input_values, strict=True)]
    return replace(space, wind=rate, input_values=np.array(values))


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
    u = InputColumns(targets).of([name for name in inputs if name != WIND])
    if WIND in inputs:
        u = with_wind(u, linear)
    if linear.internal is not None:
        u = without_rotation(u, free_rotation(linear, None if family is None else family.axis))
    motion, states, second_order = _motion(linear, u, modes, family)
    s, columns = len(motion.a), _columns(linear, motion, u, blades)
    y = OutputRows(targets, columns).of(list(outputs))
    return StateSpace(
        motion.a, motion.b, y.matrix[:, :s], y.matrix[:, s:], u.names, y.names, states, u.units,
        y.units, u.values, y.values, linear.system.model.name, frame, float(np.linalg.norm(linear.spin)),
        second_order,
    )  # fmt: skip


def _motion(
    linear: LinearModel, inputs: Inputs, modes: int | None, family: LinearFamily | None
) -> tuple[Motion, tuple[str, ...], tuple[bool, ...]]:
    """The motion, the names of its states, and which of them belong to equations of second order."""
    forces = linear.left.T @ inputs.unit_forces(linear)
    if modes is not None:
        if linear.internal is not None:
            raise InputError(
                "state_space: states of inflow, stall and chains are not in its modes: leave modes out"
            )
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
    if linear.internal is not None:
        internal = linear.internal
        coupled = np.hstack([forces, -(linear.left.T @ internal.force).toarray()])
        turning = free_rotation(linear, None if family is None else family.axis)
        stiffness = without_azimuth(stiffness, linear, turning)
        motion = with_states_of_flow(motion_of(mass, rates, stiffness, coupled), linear, inputs)
        names = [f"state {k + 1}" for k in range(len(motion.a) - len(internal))]
        if len(names) == 2 * linear.freedoms:
            unknown_names = _unknown_names(linear)
            names = [*unknown_names, *(f"rate of {name}" for name in unknown_names)]
        second = (True,) * len(names) + (False,) * len(internal)
        return motion, (*names, *internal.names), second
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
    free = np.argwhere(~linear.system.fixed)
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


def _columns(linear: LinearModel, motion: Motion, inputs: Inputs, blades: MultiBlade | None) -> Columns:
    parts = [linear.basis @ np.hstack([s, u]) for s, u in zip(motion.states, motion.inputs, strict=True)]
    zero: Any = np.zeros((linear.mass.shape[0], len(motion.a)))
    total = np.stack([part + np.hstack([zero, p]) for part, p in zip(parts, inputs.motions, strict=True)])
    velocity = total[1]
    if blades is not None and np.any(linear.spin):
        rate = float(linear.spin @ blades.spin.direction)
        velocity = velocity + rate * (blades.generator(linear) @ total[0])
    internal, forces = linear.internal, zero.copy()
    states = np.zeros((0 if internal is None else len(internal), total.shape[2]))
    if internal is not None:
        of_internal = slice(len(motion.a) - len(internal), len(motion.a))
        forces[:, of_internal], states[:, of_internal] = -internal.force.toarray(), np.eye(len(internal))
    return Columns(total, velocity, np.hstack([forces, inputs.loads]), states)
