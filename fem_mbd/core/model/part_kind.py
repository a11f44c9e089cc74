"""What the scheme asks of a kind of part (all beams with three nodes, all ideal joints, all contacts …).

A kind gathers the data of its parts in flat arrays and computes them in compiled loops. It adds

* ambient forces (Q_m, Q_f times dt^2) to `Workspace.force_m`, `force_f` (n, 4, 3), or generalised forces times dt^2
  directly to `Workspace.rows` (n, 12): both are *internal* forces, so loads enter with a minus sign;
* constraint residuals to `Workspace.constraints` (m, 2): value and dt times its rate at t_f;
* tangent blocks to `Workspace.data` through `slots`.

The scheme knows nothing of beams or joints; a kind knows nothing of solvers or step control.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.model.output import Output

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from fem_mbd.core.model.time_functions.base import TimeFunction
    from fem_mbd.core.model.workspace import Workspace


class PartKind:
    """Base of all kinds; a subclass overrides what applies to it.

    Attributes
    ----------
    nodes : (n_parts, k) node indices of each part, -1 where a part has fewer
    multipliers : (n_parts,) constraints per part, each bringing two unknowns
    first_row : (n_parts,) index of each part's first constraint, set by the system
    slots : (n_parts, L, L) positions in the matrix values, L = 12 k + 2 max(multipliers) + 2 r, set by the system; with
        ``slots_by_row`` (n_parts, 12 k, k) those of each node's first unknown in each row, see `node_kernels.add_rows`
    specs : (n_parts,) what the model registered of each part, immutable
    history : state carried from step to step, any shape, saved and restored with the run (or None)
    read_rows : (n_parts, r) constraints of other kinds whose multipliers a part reads, -1 where it has fewer; None for
        none. Their unknowns stand behind the part's own in ``slots``; `find_rows` sets them

    What a kind declares
    --------------------
    label : under which its parts stand in the result file
    applied : its forces are applied ones, which a load factor scales in statics
    resists_turning : it has stiffness, inertia or constraints to offer against the turn of its nodes, which then need
        no rotary inertia of their own
    one_body : its nodes, in order, belong to one body (what spins with a rotor is found through it)
    unilateral : its constraints, one a part, hold only while they are closed, and impacts close them
        (`fem_mbd.core.solver.impacts`)
    has_contacts : it fills `contact_records`
    slots_by_row : for kinds of many parts without multipliers: a tenth of the memory
    recorded : the outputs that it gives
    view : how `Result.of` shows its parts; "part" gives every quantity of ``recorded`` by its name
    drawn : "line" for parts that are drawn and exported as lines through their nodes (at ``nodes_at`` of `describe`,
        natural coordinates from -1 to 1, evenly spaced when left out); empty: its nodes are drawn as points
    """

    label: ClassVar[str] = "part"
    applied: ClassVar[bool] = False
    resists_turning: ClassVar[bool] = False
    one_body: ClassVar[bool] = False
    unilateral: ClassVar[bool] = False
    has_contacts: ClassVar[bool] = False
    slots_by_row: ClassVar[bool] = False
    recorded: tuple[Output, ...] = ()
    view: ClassVar[str] = "part"
    drawn: ClassVar[str] = ""

    nodes: Indices
    multipliers: Indices
    first_row: Indices
    slots: NDArray[np.int32]
    specs: Sequence[Any]
    history: Any = None
    read_rows: Indices | None = None
    _phases: Mapping[str, Sequence[Task]] | None = None
    _phases_of: Workspace | None = None

    def __init__(self, specs: list[Any], work: Workspace):
        raise TypeError("PartKind is abstract")

    def phases(self, work: Workspace) -> Mapping[str, Sequence[Task]]:
        """The phases of a step that are made of kernels, by the name of the method.

        They are `begin_step`, `residual`, `extrapolate`, `tangent`, `ledger`, `record_contacts`, `accept` and
        `measure`. A phase that stands here
        needs no method of its own, and a run does it without Python (but for functions of time, and the like, among
        the calls). The arrays belong to the kind, or to ``work``, and are never replaced.
        """
        return {}

    def tasks(self, phase: str, work: Workspace) -> Sequence[Task]:
        """What a phase consists of: its calls, or the kind's own method where it has written one."""
        if phase in self._bound(work):
            return self._bound(work)[phase]
        if getattr(type(self), phase) is getattr(PartKind, phase):
            return ()
        return (partial(getattr(self, phase), work),)

    def _bound(self, work: Workspace) -> Mapping[str, Sequence[Task]]:
        if self._phases is None or self._phases_of is not work:
            self._phases, self._phases_of = self.phases(work), work
        return self._phases

    def _do(self, phase: str, work: Workspace) -> None:
        for call in self._bound(work).get(phase, ()):
            call()

    def find_rows(self, kinds: Sequence[PartKind]) -> None:
        """Called once when all constraints are numbered: a kind that reads multipliers of others finds them."""

    def check_closure(self, q: Array, length: float) -> None:
        """Called once before a run, for kinds with multipliers: do the constraints hold at q (nodes, 4, 3)?

        length : of the model, m, which the error is held against

        Raises
        ------
        InputError
            When one of them does not; the message names the part.
        """

    def velocity_jacobian(self, q: Array) -> Array:
        """Derivative (rows, k, 6) of its constraints by (v, Omega) of each part's k nodes, at q (nodes, 4, 3).

        v of the mass centre in global axes, Omega in node axes; rows as many as the kind has multipliers.
        """
        raise TypeError(f"{type(self).__name__} has no constraints")

    def velocity_target(self, q: Array) -> Array:
        """(rows,) what `velocity_jacobian` times the velocities has to be: zero unless a constraint is driven."""
        return np.zeros(int(self.multipliers.sum()))

    def neglect_friction(self) -> None:
        """Called once before statics: leave out forces that depend on how a configuration was reached."""

    def neglect_friction_inactive_in_statics(self) -> None:
        """Called once before statics with friction: leave out that which is to act in runs only."""

    def friction_records(self) -> Sequence[Any]:
        """Records of the friction laws of all parts, of dtype ``FRICTION_LAW``."""
        return ()

    def begin_step(self, work: Workspace) -> None:
        """Anything constant over the step (strains at t_i, loads and drivers at both ends)."""
        self._do("begin_step", work)

    def residual(self, work: Workspace) -> None:
        """Add the part's forces and constraint residuals at the current iterate."""
        self._do("residual", work)

    def extrapolate(self, work: Workspace) -> None:
        """Stresses for the geometric stiffness, extrapolated from the last tangent's iterate (theory.md, 6)."""
        self._do("extrapolate", work)

    def extrapolated(self) -> list[Any]:
        """Arrays of the stresses that `extrapolate` fills; statics sets them for its own Newton steps."""
        return []

    def tangent(self, work: Workspace) -> None:
        """Add the part's tangent blocks, and its extrapolated ambient forces to `work.lin_m`, `lin_f`."""
        self._do("tangent", work)

    def far_damping(self, work: Workspace, only: Flags | None = None) -> csr_matrix | None:
        """(6 n, 6 n) damping that `tangent` leaves out, at rest: displacement, then turn in node axes, of all nodes.

        only : (n_parts,) which of the parts count; all when left out
        """
        return None

    def ledger(self, work: Workspace) -> None:
        """Add the part's energies at t_f, dissipations and works of the converged step to `work.ledger`."""
        self._do("ledger", work)

    def accept(self, work: Workspace) -> None:
        """Take over the history of the converged step."""
        self._do("accept", work)

    def initial_energy(self, work: Workspace) -> None:
        """Add the part's energies in the state at the start of the run to `work.ledger`."""

    def measure(self, work: Workspace) -> None:
        """Fill the kind's arrays from which `outputs` is taken, in the accepted state."""
        self._do("measure", work)

    def outputs(self, work: Workspace) -> dict[str, Array]:
        """Quantities of the accepted state to record: a new array (rows, numbers) for each output of ``recorded``.

        `measure` has been called. They are copies of what is `measured`, unless the kind computes them here.
        """
        return {name: values.copy() for name, values in self.measured().items()}

    def measured(self) -> dict[str, Array]:
        """The arrays that `measure` has filled, by the names of the outputs; they are never replaced."""
        return {}

    def row_counts(self, output: Output) -> Sequence[int]:
        """(n_parts,) rows that each part has in an output."""
        return [1] * len(self.nodes)

    def record_contacts(self, work: Workspace) -> None:
        """Fill the array that `contact_records` gives, of the converged step."""
        self._do("record_contacts", work)

    def contact_records(self) -> Any:
        """The step's contacts, dtype `fem_mbd.core.stepping.step_record.CONTACT_RECORD`, one or more for each part.

        The array that `record_contacts` fills, which is never replaced.
        """
        raise TypeError(f"{type(self).__name__} has no contacts")

    def jumps(self) -> tuple[float, ...]:
        """Instants (s) at which given motions jump: the steps that begin there carry the jumps out."""
        return ()

    def given_functions(self) -> Sequence[TimeFunction]:
        """The functions of time of loads or drivers: steps end at their breakpoints, inputs are found in them."""
        return ()

    def describe(self) -> list[dict[str, Any]]:
        """Plain data about each part, its ``name`` first of all, kept in the result file.

        ``quantities`` renames quantities of ``recorded`` for this part: {"value": {"name": "angle", "unit": "rad"}}.
        """
        return [{"name": spec.name} for spec in self.specs]


def pair_data(spec: Any, *names: str) -> dict[str, Any]:
    """Name, nodes k and l and the attributes ``names`` of a part between two points, as `PartKind.describe` gives."""
    values = {name: getattr(spec, name) for name in names}
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()
    }
    return {"name": spec.name, "k": spec.k.node.name, "l": spec.l.node.name} | plain
