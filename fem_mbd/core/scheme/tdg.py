"""One step of the energy-decaying time-discontinuous Galerkin scheme: its calls, equations, update and energy balance.

The unknowns of a step are X = (a, b, c, e) of every node and two multipliers per constraint; forces and tangents are
evaluated by the element classes. Source: docs/explanation/theory.md, sections 1 to 3, 6, 9.

`StepCalls` has the lists of the calls of a step, by phase, for `Scheme` and the compiled time loop. The arrays are
those of the system's workspace, and the state's.

`unresolved_work` is the sensitivity of a step's energy balance to round-off of positions and rotations. The residual of
the balance is R = f(y) . y / dt^2, with the equations f and the step's motion y. Positions are numbers with about
sixteen digits: the y with f = 0 lies between two of them, and Newton can come no nearer than one unit in the last
place. With A the tangent, R changes there by

    dR/dy = (f + A^T y) / dt^2

For forces with a potential this is no larger than the forces: their work is a difference of energies, and dR/dy is the
force at the end of the step. The work of friction has no potential: mu f_n s changes with the position by mu s times
the stiffness of the contact, or by f_n s times the slope of mu, a thousand times all forces where contacts are stiff
and paths long. Inertia is left out. It depends on the motion, which has its own round-off, not on the positions: its
part of f + A^T y is the derivative of the kinetic energy and of that of the velocity jump
(`node_kernels.kinetic_and_jump`). Units of dR/dy: N for lengths, N m for angles.

`Scheme` is the step as a nonlinear problem: residual and tangent, and after convergence the ledger and the update.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import OF_NODES, Call, CallList, Number, Split, Task
from fem_mbd.core.compiled.threads import divided
from fem_mbd.core.model.prescription import PrescribedMotions
from fem_mbd.core.model.workspace import StateArrays, Workspace
from fem_mbd.core.scheme import ledger
from fem_mbd.core.scheme.array_kernels import clear, clear_rows, copy, gather_rows, pack, subtract, unpack
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.core.scheme.nodes import batches, node_kernels as nodes
from fem_mbd.core.scheme.nodes.batches import in_batches
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System

REGULARISATION_NUMBER, ENERGY, ROUND_OFF = range(3)  # indices in `StepCalls.numbers`


class StepCalls:
    """The phases of a step of one system.

    Parameters
    ----------
    system, state : of the run

    Attributes
    ----------
    y, f : (size,) iterate of the solver, and the equations there
    numbers : (3,) regularisation, subtracted from the diagonal of the multipliers of redundant constraints; the energy
        before the step, and the bound of its energy residual by round-off (J)
    values : matrix values at the last iterate of `tangent`, in CSR order; a solver may overwrite them by factors
    diagonal : (size,) of that matrix
    begin : calls that fill ``y`` with the predictor
    residual : calls that fill ``f`` from ``y``
    undivided_residual : the same, each loop over nodes or parts a single call
    residual_after_tangent : the same after an evaluation of the tangent: stresses for the geometric stiffness are
        extrapolated first
    tangent : calls that fill ``values``
    ledger : calls that fill `workspace.ledger`, its round-off bound, and the records of contacts
    contacts : these records, of all kinds one after the other; empty without contacts
    gather_contacts : calls that fill them from those of the kinds
    accept : calls that copy the end of the step to the state
    after_tangent : (1,) whether the last evaluation was one of the tangent
    start : (n, 4, 3) positions and directors of the nodes at the start of the step
    longest : (1,) m, the size of positions whose round-off is counted in the energy residual
    """

    def __init__(self, system: System, state: State):
        workspace = system.workspace
        self.numbers = np.zeros(3)
        self.y, self.f = np.zeros(system.size), np.zeros(system.size)
        self.values, self.diagonal = workspace.data[:-1], np.zeros(system.size)
        self.after_tangent = np.zeros(1, dtype=np.int64)
        self.start = workspace.q_i
        (pairs, unpack), equations = self._unpack(system), self._equations(system)
        self.residual = self.undivided_residual = [pairs, unpack, *equations]
        self.residual_after_tangent = [
            pairs, *self._store_iterate(system), unpack, *self._extrapolate(system), *equations,
        ]  # fmt: skip
        self.tangent = self._tangent(system)
        self.contacts, self.gather_contacts = _contacts(system)
        self.ledger = [*self._ledger(system), *self.gather_contacts]
        self.residual, self.residual_after_tangent, self.tangent, self.begin, self.accept = (
            divided(tasks, system.threads)
            for tasks in (
                self.residual, self.residual_after_tangent, self.tangent, self._begin(system, state),
                self._accept(system, state),
            )
        )  # fmt: skip

    @cached_property
    def lists(self) -> tuple[CallList, CallList, CallList]:
        """``residual``, ``residual_after_tangent`` and ``tangent`` as lists, each made once for all that call them."""
        return CallList(self.residual), CallList(self.residual_after_tangent), CallList(self.tangent)

    def _unpack(self, system: System) -> tuple[Task, Task]:
        """Copy the solver's vector to the multipliers, and to the nodes."""
        workspace = system.workspace
        return (
            Call(unpack, self.y, system.constraint_equation, workspace.multipliers),
            Call(unpack, self.y, system.equation, workspace.x, split=Split((1, 2), OF_NODES)),
        )

    def _store_iterate(self, system: System) -> list[Task]:
        """Store the iterate of the last tangent."""
        workspace = system.workspace
        return [Call(copy, _flat(workspace.x), _flat(workspace.x_old), split=Split((0, 1), OF_NODES, 12))]

    def _extrapolate(self, system: System) -> list[Task]:
        """Extrapolate stresses for the geometric stiffness by the motion since the last tangent."""
        workspace = system.workspace
        increments = Call(
            nodes.ambient_increments, workspace.x, workspace.x_old, workspace.d_q, workspace.d_p,
            workspace.dq, workspace.dp,
            split=Split(tuple(range(6)), OF_NODES),
        )  # fmt: skip
        return [increments, *_of_kinds(system, "extrapolate")]

    def _equations(self, system: System) -> list[Task]:
        """Evaluate the equations at the iterate of the nodes."""
        workspace = system.workspace
        kernels = batches if in_batches(workspace.n) else nodes
        kinematics = Call(
            kernels.kinematics, workspace.x, workspace.r_i, workspace.q_i, workspace.q_f, workspace.p, workspace.r_f,
            split=Split(tuple(range(6)), OF_NODES),
        )  # fmt: skip
        finish = Call(
            kernels.finish_rows, workspace.x, workspace.x_i, workspace.masses, workspace.gravity,
            workspace.step, workspace.r_i, workspace.r_f,
            workspace.forces, workspace.rows, split=Split((0, 1, 2, 5, 6, 7, 8), OF_NODES),
        )  # fmt: skip
        return [
            kinematics,
            *(_cleared(array) for array in (workspace.force_m, workspace.force_f, workspace.rows)),
            *_of_kinds(system, "residual"),
            finish,
            Call(pack, workspace.rows, system.equation, self.f, split=Split((0, 1), OF_NODES)),
            Call(pack, workspace.constraints, system.constraint_equation, self.f),
        ]

    def _tangent(self, system: System) -> list[Task]:
        """Evaluate the matrix at the last iterate."""
        workspace = system.workspace
        maps = Call(
            nodes.all_maps, workspace.x, workspace.r_i, workspace.r_f, workspace.w_m, workspace.w_f,
            workspace.spin, workspace.d_q, workspace.d_p,
            split=Split(tuple(range(8)), OF_NODES),
        )  # fmt: skip
        node_tangent = batches.node_tangent if in_batches(workspace.n) else nodes.node_tangent
        of_nodes = Call(
            node_tangent, workspace.x, workspace.r_i, workspace.r_f, workspace.spin, workspace.masses,
            workspace.lin, workspace.column,
            system.node_slots, workspace.data, split=Split(tuple(range(8)), OF_NODES),
        )  # fmt: skip
        rows, pairs = system.equation, system.constraint_equation
        on_diagonal = system.pattern.diagonal, workspace.data, self.diagonal
        tasks: list[Task] = [
            Call(clear, workspace.data[-1:]),
            Call(clear_rows, pairs, system.indptr, workspace.data),
            Call(clear_rows, rows, system.indptr, workspace.data, split=Split((0,), OF_NODES)),
            maps,
            *(_cleared(array) for array in (workspace.lin_m, workspace.lin_f)),
            *_of_kinds(system, "tangent"),
            of_nodes,
            Call(gather_rows, rows, *on_diagonal, split=Split((0,), OF_NODES)),
        ]
        if system.redundant:
            multipliers = system.pattern.diagonal[system.constraint_equation.ravel()]
            tasks.append(
                Call(subtract, workspace.data, multipliers, Number(self.numbers, REGULARISATION_NUMBER))
            )
        return [*tasks, Call(gather_rows, pairs, *on_diagonal)]

    def _begin(self, system: System, state: State) -> list[Task]:
        """Predict the motion from that of the last step, where it is not prescribed.

        Multipliers of redundant constraints start from zero: the part of them that exerts no force is round-off divided
        by the regularisation, and would accumulate from step to step.
        """
        workspace = system.workspace
        known = Number(np.zeros(1)) if system.redundant else workspace.step
        return [
            Call(
                nodes.predict, state.v, state.omega, state.slope, system.equation, workspace.step,
                workspace.x_i, workspace.x,
                split=Split((0, 1, 2, 3, 5, 6), OF_NODES),
            ),
            *PrescribedMotions(system.model.prescribed).tasks(workspace),
            *_of_kinds(system, "begin_step"),
            Call(nodes.predict_multipliers, state.multipliers, known, workspace.multipliers),
            Call(pack, workspace.x, system.equation, self.y, split=Split((0, 1), OF_NODES)),
            Call(pack, workspace.multipliers, system.constraint_equation, self.y),
        ]  # fmt: skip

    def _ledger(self, system: System) -> list[Task]:
        """Evaluate the ledger of nodes, parts and prescribed motion, and its residual."""
        workspace = system.workspace
        inertia = (workspace.mass, workspace.inertia, workspace.gravity)
        driven = np.array([p.node.index for p in system.model.prescribed], dtype=np.int64)
        of_nodes = system.equation[system.equation >= 0]
        self.longest = np.array([system.coordinates])
        longest = Number(self.longest)
        energy, out = Number(self.numbers, ENERGY), self.numbers[ROUND_OFF:]
        return [
            Call(
                ledger.add_nodes, workspace.x, workspace.x_i, workspace.q_f, *inertia, workspace.step,
                workspace.amounts,
            ),
            *_of_kinds(system, "ledger"),
            Call(ledger.close, driven, workspace.rows, workspace.x, workspace.step, energy, workspace.amounts),
            Call(
                ledger.round_off, workspace.multipliers, workspace.forces, self.diagonal, of_nodes,
                workspace.mass, workspace.q_f, workspace.gravity, longest, workspace.step, out,
            ),
            *_of_kinds(system, "record_contacts"),
        ]  # fmt: skip

    def _accept(self, system: System, state: State) -> list[Task]:
        """Copy the end of the step to the state and to the start of the next step."""
        workspace = system.workspace
        arrays = StateArrays(state.u, state.r, state.v, state.omega, state.slope)
        histories = [kind.history for kind in system.kinds if kind.history is not None]
        return [
            Call(
                nodes.finish_step, workspace.x, workspace.q_f, workspace.r_f, workspace.step, arrays,
                workspace.q_i, workspace.r_i,
                split=Split((0, 1, 2, 4, 5, 6), OF_NODES),
            ),
            *_keep_step(workspace),
            Call(nodes.finish_multipliers, workspace.multipliers, workspace.step, state.multipliers, workspace.lam),
            *_of_kinds(system, "accept"),
            *(Call(copy, _flat(a), _flat(b)) for a, b in zip(histories, state.history, strict=True)),
        ]  # fmt: skip


def _keep_step(workspace: Workspace) -> list[Task]:
    """Calls that keep what outputs read of an accepted step: the next one overwrites it, also when it fails."""
    x, rows, multipliers, clock = workspace.accepted
    of_nodes = Split((0, 1), OF_NODES, 12)
    return [
        Call(copy, _flat(workspace.x), _flat(x), split=of_nodes),
        Call(copy, _flat(workspace.rows), _flat(rows), split=of_nodes),
        Call(copy, _flat(workspace.multipliers), _flat(multipliers)),
        Call(copy, workspace.clock, clock),
    ]


def _of_kinds(system: System, phase: str) -> list[Task]:
    """Calls of all element classes in a phase."""
    return [task for kind in system.kinds for task in kind.tasks(phase, system.workspace)]


def _contacts(system: System) -> tuple[Any, list[Task]]:
    """One array of the records of all contacts, and the calls that fill it."""
    of_kinds = [kind.contact_records() for kind in system.kinds if kind.has_contacts]
    if len(of_kinds) < 2:
        return (of_kinds[0] if of_kinds else np.zeros(0)), []
    contacts = np.concatenate(of_kinds)
    parts = np.split(contacts, np.cumsum([len(records) for records in of_kinds])[:-1])
    return contacts, [Call(copy, _flat(a), _flat(b)) for a, b in zip(of_kinds, parts, strict=True)]


def _cleared(array: Array) -> Call:
    """Call that sets an array (n, ...) of the nodes to zero."""
    return Call(clear, _flat(array), split=Split((0,), OF_NODES, array.size // len(array)))


def _flat(array: Any) -> Array:
    """View of all numbers as one vector."""
    flat = array.view(np.float64)
    flat.shape = (flat.size,)  # raises if a copy were needed
    return flat


UNIT = float(np.finfo(float).eps)  # one unit in the last place of a number near one


def unresolved_work(system: System, f: Array, y: Array, noise: float = UNIT) -> float:
    """Largest change of a step's balance when all positions and rotations change by round-off, J.

    Parameters
    ----------
    system : its workspace contains the end of the step and the tangent there
    f, y : (size,) equations and motion at the end
    noise : relative size of the changes: one unit in the last place, or more where Newton's updates did not get smaller
    """
    workspace, equation = system.workspace, system.equation
    free = equation >= 0
    from scipy.sparse import csr_matrix  # not at the top: few steps need this

    tangent = csr_matrix(
        (workspace.data[:-1], system.indices, system.indptr), shape=(system.size, system.size)
    )
    of_nodes = (f + tangent.T @ y)[equation[free]]
    slope = of_nodes - _inertia(workspace)[free]
    return float(noise * np.abs(slope) @ _sizes(workspace)[free]) / workspace.dt**2


def _inertia(workspace: Workspace) -> Array:
    """(n, 12) dt^2 times the derivative of kinetic energy and velocity jump w.r.t. (a, b, c, e) of every node."""
    start, change = workspace.x[:, :6], workspace.x[:, 6:]
    sum_f, jump = start + change, start - change - workspace.x_i
    momentum, dissipated = (
        np.hstack([workspace.mass[:, None] * v[:, :3], np.einsum("nij,nj->ni", workspace.inertia, v[:, 3:])])
        for v in (sum_f, jump)
    )
    return np.hstack([momentum + dissipated, momentum - dissipated])


def _sizes(workspace: Workspace) -> Array:
    """(n, 12) m and rad, the numbers that have the round-off: positions or motions, and one for rotations."""
    position = np.abs(workspace.q_f[:, 0]).max(axis=1)
    sizes = np.array([position, position, position, *np.ones((3, len(position)))]).T
    return np.maximum(np.hstack([sizes, sizes]), np.abs(workspace.x))


REGULARISATION = 1e-7  # fraction of the constraints' mobility B M^-1 B^T
NEAR_SINGULAR = 1e-11  # smaller one, tried where the first fails


class Scheme:
    """Residual, tangent, ledger and update of a step; `begin` first, then any number of evaluations, then `accept`."""

    def __init__(self, system: System, state: State):
        self.system, self.state = system, state
        self.workspace = system.workspace
        self.calls = StepCalls(system, state)
        self.regularise(REGULARISATION)
        self._begin, self._ledger, self._accept = map(
            CallList, (self.calls.begin, self.calls.ledger, self.calls.accept)
        )
        self.restart()

    @property
    def energy(self) -> float:
        """Energy of the state, J."""
        return float(self.calls.numbers[ENERGY])

    @energy.setter
    def energy(self, amount: float) -> None:
        self.calls.numbers[ENERGY] = amount

    @property
    def round_off(self) -> float:
        """Bound of the part of the residual in the last `ledger` that round-off causes, J."""
        return float(self.calls.numbers[ROUND_OFF])

    # -- before the step ------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Start a run from the present state."""
        self.load_state()
        self.energy = self._initial_energy()

    def load_state(self) -> None:
        """Copy the state into the workspace (at the start, and after a restart)."""
        workspace, state = self.workspace, self.state
        workspace.q_i[:, 0] = state.u
        workspace.q_i[:, 1:] = np.swapaxes(state.r, 1, 2)
        workspace.r_i[:] = state.r
        workspace.lam[:] = state.multipliers.sum(axis=1)
        workspace.t_i = state.time
        workspace.accepted.clock[:] = 0.0
        kinds = [kind for kind in self.system.kinds if kind.history is not None]
        for kind, stored in zip(kinds, state.history, strict=True):
            kind.history[...] = stored

    def begin(self, t_f: float) -> Array:
        """Begin a step to t_f; return the predictor, (size,)."""
        workspace = self.workspace
        workspace.t_i, workspace.t_f, workspace.dt = self.state.time, t_f, t_f - self.state.time
        self._begin()
        self.calls.after_tangent[0] = 0
        return self.calls.y.copy()

    # -- evaluations ----------------------------------------------------------------------------------------

    def residual(self, y: Array, f: Array) -> None:
        """Fill f (size,) with the equations at y."""
        self.calls.y[:] = y
        after = self.calls.after_tangent[0]
        self.calls.lists[1 if after else 0]()
        self.calls.after_tangent[0] = 0
        f[:] = self.calls.f

    def tangent(self) -> Array:
        """Matrix values (CSR order of the system) at the last residual's iterate."""
        self.calls.lists[2]()
        self.calls.after_tangent[0] = 1
        return self.calls.values

    def regularise(self, fraction: float) -> None:
        """Minimum-norm multipliers of redundant constraints: a small -eps on their diagonal of the tangent only.

        The residual is not changed, so constraints are fulfilled as accurately as without; updates of the multipliers,
        which start from zero, stay in the range of the constraint Jacobian, so they have minimum norm.

        The constraints' round-off u L over eps times the mobility enters the multipliers, so eps should not be smaller
        than necessary. An update leaves eps / (eps + sigma) of a constraint's error, sigma being its mobility. At an
        angle phi from a singular position sigma is about phi^2, so steps that end within a few sqrt(eps) of it fail:
        3e-4 rad with the usual number, 3e-6 rad with `near_singular`. The smallest eps above the round-off of the
        factorisation, u times the growth of its pivots (about 1e3), is 1e-12.
        """
        mass = self.workspace.mass
        self.calls.numbers[REGULARISATION_NUMBER] = (
            fraction / float(mass[mass > 0].mean()) if self.system.redundant else 0.0
        )

    @contextlib.contextmanager
    def near_singular(self) -> Iterator[None]:
        """Regularise redundant constraints inside the context as little as round-off allows."""
        self.regularise(NEAR_SINGULAR)
        try:
            yield
        finally:
            self.regularise(REGULARISATION)

    # -- after the step -------------------------------------------------------------------------------------

    def ledger(self) -> Array:
        """The step's row of the energy ledger, shape (len(LEDGER),), at the last residual's iterate."""
        self._ledger()
        return self.workspace.amounts.copy()

    def unresolved_work(self, noise: float = UNIT) -> float:
        """Change of the balance by round-off of positions and rotations at the last residual's iterate, J.

        ``noise`` : its relative size. Called after `ledger`. Evaluates the tangent there, which overwrites the matrix
        values.
        """
        self.calls.lists[2]()
        self.calls.after_tangent[0] = 1
        return unresolved_work(self.system, self.calls.f, self.calls.y, noise)

    def _initial_energy(self) -> float:
        workspace, state, row = self.workspace, self.state, self.workspace.amounts
        row[:] = 0.0
        row[ledger.GRAVITY] = -float(workspace.mass @ (workspace.q_i[:, 0] @ workspace.gravity))
        with np.errstate(over="ignore"):  # energies that are not finite are an error of the run
            spin = np.einsum("ni,nij,nj", state.omega, workspace.inertia, state.omega)
            row[ledger.KINETIC] = 0.5 * float(workspace.mass @ (state.v**2).sum(axis=1) + spin)
        for kind in self.system.kinds:
            kind.initial_energy(workspace)
        self.initial_row = row.copy()
        return float(row[: len(ENERGIES)].sum())

    def before_accepting(self, task: Task) -> None:
        """Do a task at each accepted step, before its end becomes the state; call this before the first step."""
        self.calls.accept.insert(0, task)
        self._accept = CallList(self.calls.accept)

    def accept(self, row: Array) -> None:
        """Copy the end of the step to the state; ``row`` is its ledger row."""
        self._accept()
        self.state.time = self.workspace.t_f
        self.energy = float(row[: len(ENERGIES)].sum())
