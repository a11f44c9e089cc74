"""Family of linear models of one structure at any speed of rotation, from which modes over speed are computed.

The structure may be a round rotor that spins about its own axis on fixed supports. For a rotor with the same stiffness
and inertia in all directions the equations in the inertial frame have constant coefficients, whatever its supports.
They follow from those in the frame that rotates with the rotor (y = T x, with S the cross product with the axis on
every displacement and rotation of the rotor): M and K are unchanged,

    G = -Jp Omega e~ on the rotation of a node with polar inertia Jp        K gains -Omega D_r S

where D_r is the damping of parts that rotate as a whole with the rotor: at speed it drives the whirl that it damps at
rest. An oil film between the rotor and a part that does not rotate turns with half of the speed: K gains
-Omega D_f S/2, with S on both of its bodies; a light rotor whirls in it with half of its speed (oil whirl). Derivation:
docs/explanation/linearisation.md, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components

from fem_mbd.analysis.modal.linear_model import LinearModel, at_fixed_states, free_blocks, linearise
from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.modal.stiffness_and_damping import StepMatrices, damping_of, null_space, step_matrices
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.analysis.statics.equilibrium import Equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array, Flags
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.rotations import rotation_about, skew
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError

FREE = 1e-9  # rates of constraints, of the model's length or rad for 1 rad/s, that do not resist a rotation
# fraction of the largest entry: permitted change of a round rotor's matrices under rotation
ROUND_TOLERANCE = 1e-7
TEST_ROTATION = 1.0  # rad, rotation applied for the test
FRAMES = ("rotating", "inertial")


class Rotor:
    """The rotor of a linear model at rest, ready for any speed.

    linear : at rest; point, direction : of the axis; nodes : those that spin, by default found from the joints

    Raises
    ------
    InputError
        When nothing can spin, when the spinning nodes are ambiguous, or when the rotor is not round.
    """

    def __init__(
        self, linear: LinearModel, point: Array, direction: Array, nodes: Iterable[Node] | None = None
    ):
        self.linear = linear
        self.axis = Spin(point, direction, 0.0)
        system, state = linear.system, linear.state
        if nodes is None:
            self.spins = spinning_nodes(linear, self.axis)
        else:
            self.spins = np.zeros(system.workspace.n, dtype=bool)
            self.spins[[system.model.registry.node_of(node, "rotor").index for node in nodes]] = True
        self._check_round()
        if linear.internal is not None and self.spins[linear.internal.nodes[:, 0]].any():
            raise InputError(
                f"rotor of model '{system.model.name}': {linear.internal.names[0]} turns with the rotor, and its state "
                'has no constant equations in fixed axes: use frame="rotating"'
            )
        self.damping = damping_of(system, state, self._rotates)
        e = self.axis.direction
        polar, turn, turn_of_all = [], [], []
        for n in range(system.workspace.n):
            local_axis = state.r[n].T @ e
            cross = skew(local_axis)
            jp = float(local_axis @ system.workspace.inertia[n] @ local_axis) * self.spins[n]
            polar += [np.zeros((3, 3)), -jp * cross]
            turn += [skew(e) * self.spins[n], cross * self.spins[n]]
            turn_of_all += [skew(e), cross]
        self.gyroscopic = free_blocks(system, polar)  # per rad/s
        films = damping_of(system, state, self._turns_half)
        self.circulatory = csr_matrix(  # per rad/s
            -self.damping @ free_blocks(system, turn) - 0.5 * films @ free_blocks(system, turn_of_all)
        )

    def at(self, rate: float) -> LinearModel:
        """The linear model at a speed (rad/s), in fixed axes."""
        linear = self.linear
        if any([kind.take_speed(rate) for kind in linear.system.kinds]):
            parts = step_matrices(linear.system, linear.state, linear.state.multipliers.sum(axis=1))
            stiffness = at_fixed_states(parts.stiffness, linear.internal)
            linear = replace(linear, stiffness=stiffness, damping=parts.damping)
        return replace(
            linear,
            gyroscopic=csr_matrix(rate * self.gyroscopic),
            stiffness=csr_matrix(linear.stiffness + rate * self.circulatory),
            spin=rate * self.axis.direction,
        )

    def _rotates(self, kind: PartKind) -> Flags:
        absent = kind.nodes < 0
        return np.asarray((self.spins[kind.nodes] | absent).all(axis=1))

    def _turns_half(self, kind: PartKind) -> Flags:
        """(parts,) films between a rotating and a fixed body.

        Raises
        ------
        InputError
            Where the two are not in line: at speed the film then has a force that is not in balance at rest.
        """
        if not kind.turns_with_mean:
            return np.zeros(len(kind.nodes), dtype=bool)
        half = self.spins[kind.nodes[:, 0]] != self.spins[kind.nodes[:, 1]]
        q = ambient_vectors(self.linear.state)
        off = half & (kind.eccentricities(q) > 1e-9 * self.linear.system.length)
        if off.any():
            name = kind.specs[int(np.argmax(off))].name
            raise InputError(
                f"rotor of model '{self.linear.system.model.name}': the journal of '{name}' is not in the middle of "
                "its bearing: at speed its oil film carries a load, and where the journal runs then is not known to a "
                "linear model about rest; run the model (fem_mbd.simulate), or use Floquet multipliers"
            )
        return half

    def _check_round(self) -> None:
        """Raise InputError unless mass, stiffness, damping and constraints are unchanged when the rotor turns."""
        system, state, e = self.linear.system, self.linear.state, self.axis.direction
        arm = np.linalg.norm(np.cross(state.u - self.axis.place, e), axis=1)
        eccentric = self.spins & (system.workspace.mass > 0) & (arm > 1e-9 * system.length)
        name = system.model.name
        if eccentric.any():
            node = system.model.nodes[int(np.argmax(np.where(eccentric, arm, 0.0)))].name
            raise InputError(
                f"rotor of model '{name}': the mass centre of node '{node}' is {arm[eccentric].max():.3g} m off "
                "the axis; analyse such a rotor in the rotating frame"
            )
        turned = state.copy()
        q = rotation_about(e, TEST_ROTATION)
        turned.r[self.spins] = q @ state.r[self.spins]
        turned.u[self.spins] = self.axis.place + (state.u[self.spins] - self.axis.place) @ q.T
        original, rotated = (_in_global_axes(system, s) for s in (state, turned))
        for matrix in ("mass", "stiffness", "damping"):
            a, b = getattr(original, matrix), getattr(rotated, matrix)
            if abs(a - b).max() > ROUND_TOLERANCE * abs(a).max():
                raise InputError(
                    f"rotor of model '{name}': its {matrix} is not the same in all directions across the "
                    "axis, so that its equations in fixed axes are periodic; analyse it in the rotating "
                    "frame, or use Floquet multipliers"
                )
        if (
            system.constraints
            and abs(rotated.constraints @ null_space(original.constraints)).max() > ROUND_TOLERANCE
        ):
            raise InputError(
                f"rotor of model '{name}': a joint prevents it from turning about the axis, or is not the "
                "same in all directions across it (as a universal joint)"
            )


def spinning_nodes(linear: LinearModel, axis: Spin) -> Flags:
    """(nodes,) whether the joints let a node spin about the axis; beams and other joints connect nodes into one group.

    Raises
    ------
    InputError
        When there is none, or more than one group of them.
    """
    system = linear.system
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for kind in system.kinds:
        if kind.one_body:
            pairs += [kind.nodes[:, [k, k + 1]] for k in range(kind.nodes.shape[1] - 1)]
        if kind.multipliers.any():
            pairs.append(kind.nodes[~_free_to_spin(linear, axis, kind)][:, :2])
    links = np.concatenate(pairs)
    n = system.workspace.n
    graph = coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n, n))
    _, group = connected_components(graph, directed=False)
    fixed = set(group[system.fixed[:, 3:].all(axis=1)])
    moving = [g for g in range(group.max() + 1) if g not in fixed]
    if len(moving) == 1:
        return np.asarray(group == moving[0])
    reason = f"{len(moving)} separate parts can spin" if moving else "nothing is free to spin about the axis"
    raise InputError(f"rotor of model '{system.model.name}': {reason}; give the nodes that spin")


def _free_to_spin(linear: LinearModel, axis: Spin, kind: PartKind) -> Flags:
    """(parts,) joints that let L spin about the axis while K is fixed."""
    system, state, e = linear.system, linear.state, axis.direction
    free = np.zeros(len(kind.nodes), dtype=bool)
    for p, (k, l) in enumerate(kind.nodes[:, :2]):
        moving = l if not system.fixed[l].all() else k
        motion = np.zeros((system.workspace.n, 6))
        motion[moving, :3] = np.cross(e, state.u[moving] - axis.place)
        motion[moving, 3:] = state.r[moving].T @ e
        rows = slice(int(kind.first_row[p]), int(kind.first_row[p] + kind.multipliers[p]))
        violation = np.abs(linear.constraints[rows] @ motion[~system.fixed])
        free[p] = (violation <= system.allowed_errors(FREE)[rows]).all()
    return free


def _in_global_axes(system: System, state: State) -> StepMatrices:
    """The matrices with the rotations of the nodes in global axes."""
    parts = step_matrices(system, state, state.multipliers.sum(axis=1))
    axes = free_blocks(system, [b for r in state.r for b in (np.eye(3), r)])
    matrices = {
        name: csr_matrix(axes @ getattr(parts, name) @ axes.T) for name in ("mass", "stiffness", "damping")
    }
    return replace(parts, constraints=csr_matrix(parts.constraints @ axes.T), **matrices)


class ModeFamily(Protocol):
    """Protocol: linear models of one structure at any speed, or at any wind, in one frame.

    Attributes
    ----------
    frame : "rotating", "inertial" or "multi-blade"
    axis : of the rotation
    rest : the linear model at standstill, or at the first wind
    """

    frame: str
    axis: Spin

    @property
    def rest(self) -> LinearModel: ...

    def at(self, rate: float, /) -> LinearModel:
        """The linear model at a speed, rad/s, or a wind, m/s."""
        ...

    def names(self, modes: Modes, whirling: bool = False) -> list[str]:
        """A name for each mode of one of the models; [] where modes have no names.

        whirling : name standing modes, too, as the whirls that they become when the rotor turns
        """
        ...


class LinearFamily(ModeFamily, Protocol):
    """Protocol: such models at any speed, with inputs.

    Attributes
    ----------
    blades : coordinates of the rotor in the frame "multi-blade", None in others
    generator : name of the joint about which the rotor of a machine turns, "" for none
    """

    @property
    def blades(self) -> MultiBlade | None: ...

    @property
    def generator(self) -> str: ...

    def driving(self, bearings: Sequence[str]) -> LinearFamily:
        """The same structure with some bearings of a machine driven at a prescribed angle instead of fixed."""
        ...


class Family:
    """Linear models of one structure at any speed.

    frame : "rotating" rotates with the whole structure (blades); "inertial" is fixed while a round rotor spins
    """

    blades: MultiBlade | None = None
    generator = ""

    def __init__(
        self,
        model: Model,
        axis: ArrayLike,
        point: ArrayLike = (0.0, 0.0, 0.0),
        frame: str = "rotating",
        rotor: Iterable[Node] | None = None,
        at: State | Equilibrium | None = None,
    ):
        if frame not in FRAMES:
            raise InputError(f"frame is {frame!r}; {nearest(frame, FRAMES)}")
        if rotor is not None and frame != "inertial":
            raise InputError("nodes of a rotor are given: this requires frame='inertial'")
        self.model, self.frame = model, frame
        self.axis = Spin(point, axis, 0.0)
        self.rest = linearise(model, at)
        self.rotor = (
            Rotor(self.rest, self.axis.place, self.axis.direction, rotor) if frame == "inertial" else None
        )
        self._last = self.rest.equilibrium if at is None else at

    def at(self, rate: float) -> LinearModel:
        """The linear model at ``rate`` rad/s, about the equilibrium there.

        Raises
        ------
        SolverFailure
            When there is no equilibrium at that speed.
        """
        if self.rotor is not None:
            return self.rotor.at(rate)
        if rate == 0.0:
            return self.rest
        # a state at rest is not an equilibrium in rotation: only a computed equilibrium is used as start
        start = self._last if isinstance(self._last, Equilibrium) else None
        linear = linearise(self.model, start, spin=Spin(self.axis.place, self.axis.direction, rate))
        self._last = linear.equilibrium or self._last
        return linear

    def driving(self, bearings: Sequence[str]) -> Family:
        """Returns the family itself: whether joints of a model are driven is fixed when it is built."""
        return self

    def names(self, modes: Modes, whirling: bool = False) -> list[str]:
        """Returns no names."""
        return []
