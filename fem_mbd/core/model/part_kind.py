"""Class `PartKind`: interface between the scheme and an element class (beams of three nodes, ideal joints, contacts …).

A kind stores the data of all its parts in flat arrays and evaluates them in compiled loops. It adds

* ambient forces (Q_m, Q_f times dt^2) to `Workspace.force_m`, `force_f` (n, 4, 3), or generalised forces times dt^2
  directly to `Workspace.rows` (n, 12): both are *internal* forces, so loads enter with a minus sign;
* constraint residuals to `Workspace.constraints` (m, 2): value and dt times its rate at t_f;
* tangent blocks to `Workspace.data` through `slots`.

The scheme does not depend on beams or joints; a kind does not depend on solvers or step control.
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
from fem_mbd.core.model.ranges import Range

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from fem_mbd.core.model.internal_states import InternalStates
    from fem_mbd.core.model.time_functions.base import TimeFunction
    from fem_mbd.core.model.workspace import Workspace


class PartKind:
    """Base class of all kinds; a subclass overrides the methods that it needs.

    Attributes
    ----------
    nodes : (n_parts, k) node indices of each part, -1 where a part has fewer
    multipliers : (n_parts,) constraints per part, each with two unknowns
    first_row : (n_parts,) index of each part's first constraint, set by the system
    slots : (n_parts, L, L) indices in the matrix values, L = 12 k + 2 max(multipliers) + 2 r, set by the system; with
        ``slots_by_row`` (n_parts, 12 k, k) those of each node's first unknown in each row, see `node_kernels.add_rows`
    specs : (n_parts,) data registered for each part, immutable
    history : state carried from step to step, any shape, saved and restored with the run (or None)
    read_rows : (n_parts, r) constraints of other kinds whose multipliers a part reads, -1 where it has fewer; None for
        no such constraints. Their unknowns follow the part's own in ``slots``; `find_rows` sets them

    Class attributes
    ----------------
    label : group of its parts in the result file
    applied : its forces are applied loads, which a load factor scales in statics
    resists_rotation : it has stiffness, inertia or constraints against rotation of its nodes, which then need no rotary
        inertia of their own
    one_body : its nodes, in order, belong to one body (used to find the parts that spin with a rotor)
    turns_with_nodes : its stiffness hardly changes in the axes of its nodes, but turns with them in global axes
    unilateral : its constraints, one per part, are active only while they are closed, and impacts close them
        (`fem_mbd.core.solver.impacts`)
    has_contacts : it fills `contact_records`
    counts_turns : ``history`` is no more than the whole revolutions of its angles; statics stores it along a path
    slots_by_row : for kinds with many parts without multipliers: a tenth of the memory
    has_states : its ``history`` obeys rates, see `internal_states`: its stiffness is that at fixed states
    relaxes : ``history`` has strains that relax, see `internal_states` and `relax`
    reads_all : its forces depend on more nodes than `nodes_read` has, and its tangent leaves these terms out
    turns_with_mean : its damping acts in axes that rotate with the mean speed of its two bodies (films of oil)
    recorded : its outputs
    ranges : ranges of validity of its formulas; `evaluate_measures` fills ``measures`` (len(ranges), rows), which its
        constructor makes: one row for each part, or several (of elements, of ends), see `measured_parts`
    view : view of its parts in `Result.of`; "part" gives every quantity of ``recorded`` by its name
    drawn : "line" for parts that are drawn and exported as lines through their nodes (at ``nodes_at`` of `describe`,
        natural coordinates from -1 to 1, evenly spaced by default); empty: its nodes are drawn as points
    """

    label: ClassVar[str] = "part"
    applied: ClassVar[bool] = False
    resists_rotation: ClassVar[bool] = False
    one_body: ClassVar[bool] = False
    turns_with_nodes: ClassVar[bool] = False
    unilateral: ClassVar[bool] = False
    has_contacts: ClassVar[bool] = False
    counts_turns: ClassVar[bool] = False
    slots_by_row: ClassVar[bool] = False
    has_states: ClassVar[bool] = False
    relaxes: bool = False
    reads_all: bool = False
    turns_with_mean: ClassVar[bool] = False
    recorded: tuple[Output, ...] = ()
    ranges: tuple[Range, ...] = ()
    view: ClassVar[str] = "part"
    drawn: ClassVar[str] = ""

    nodes: Indices
    multipliers: Indices
    first_row: Indices
    slots: NDArray[np.int32]
    specs: Sequence[Any]
    history: Any = None
    measures: Array
    read_rows: Indices | None = None
    _phases: Mapping[str, Sequence[Task]] | None = None
    _phases_of: Workspace | None = None

    def __init__(self, specs: list[Any], workspace: Workspace):
        raise TypeError("PartKind is abstract")

    def phases(self, workspace: Workspace) -> Mapping[str, Sequence[Task]]:
        """The phases of a step that consist of calls of kernels, by the name of the method.

        They are `begin_step`, `residual`, `extrapolate`, `tangent`, `ledger`, `record_contacts`, `accept`,
        `evaluate_outputs` and `evaluate_measures`. A phase listed here needs no method of its own, and a run makes its
        calls without Python (except for Python functions of time, and the like, among the calls). The arrays belong to
        the kind, or to ``workspace``, and are never replaced.
        """
        return {}

    def tasks(self, phase: str, workspace: Workspace) -> Sequence[Task]:
        """The calls of a phase, or the kind's own method for it."""
        if phase in self._calls(workspace):
            return self._calls(workspace)[phase]
        if getattr(type(self), phase) is getattr(PartKind, phase):
            return ()
        return (partial(getattr(self, phase), workspace),)

    def _calls(self, workspace: Workspace) -> Mapping[str, Sequence[Task]]:
        if self._phases is None or self._phases_of is not workspace:
            self._phases, self._phases_of = self.phases(workspace), workspace
        return self._phases

    def _run(self, phase: str, workspace: Workspace) -> None:
        for call in self._calls(workspace).get(phase, ()):
            call()

    def nodes_read(self) -> Indices:
        """(n_parts, k) nodes that each part reads and adds forces to, -1 where it has fewer.

        They are ``nodes``, unless its tangent has fewer.
        """
        return self.nodes

    def nodes_followed(self) -> Indices:
        """(n_parts, k) further nodes whose motion at the start of the step each part reads when it begins."""
        return np.zeros((len(self.nodes), 0), dtype=np.int64)

    def history_parts(self) -> Indices:
        """(rows,) part of each row of ``history``."""
        return np.arange(len(self.nodes))

    def history_read(self) -> Flags:
        """(rows, …) which numbers of ``history`` later steps may depend on; all by default."""
        return np.ones((len(self.history), self.history.nbytes // 8 // max(len(self.history), 1)), dtype=bool)

    def find_rows(self, kinds: Sequence[PartKind]) -> None:
        """Set ``read_rows`` of a kind that reads multipliers of others; called when all constraints are numbered."""

    def are_lengths(self) -> Flags:
        """(rows,) whether the value of each constraint is a length, m; if not it is a pure number."""
        return np.ones(int(self.multipliers.sum()), dtype=bool)

    def check_closure(self, q: Array, length: float) -> None:
        """Check that the constraints are fulfilled at q (nodes, 4, 3); called once before a run.

        length : m, the scale of errors that are lengths: of the model, or larger where that is below round-off

        Raises
        ------
        InputError
            When one of them is not; the message names the part.
        """

    def warn_before_run(self) -> None:
        """Warn of what a run of the model will show; called once when a simulation is created."""

    def velocity_jacobian(self, q: Array) -> Array:
        """(rows, k, 6) derivative of its constraint rates with respect to (v, Omega) of each part's k nodes.

        At q (nodes, 4, 3); v of the mass centre in global axes, Omega in node axes; one row for each multiplier.
        """
        raise TypeError(f"{type(self).__name__} has no constraints")

    def jacobian_tasks(self, q: Array, out: Array) -> Sequence[Task]:
        """Calls that fill ``out`` with `velocity_jacobian` at q in every step; without any it does not change."""

        def fill() -> None:
            out[...] = self.velocity_jacobian(q)

        return (fill,)

    def velocity_target(self, q: Array) -> Array:
        """(rows,) required value of `velocity_jacobian` times the velocities: zero unless a constraint is driven."""
        return np.zeros(int(self.multipliers.sum()))

    def take_middle_of_step(self) -> None:
        """Evaluate forces at the middle of a step, with all their derivatives; called once before statics and linear
        analyses.

        For kinds that a run evaluates at the start or at the end of a step: what that adds is no property of the part.
        """

    def follow_configuration(self) -> None:
        """Let history that sums up what the configuration says be no state of its own; called once before shooting."""

    def neglect_friction(self) -> None:
        """Omit forces that depend on how a configuration was reached; called once before statics."""

    def neglect_friction_inactive_in_statics(self) -> None:
        """Omit friction that is declared to act in runs only; called once before statics with friction."""

    def rotate_axes(self, omega: Array, pole: Array) -> None:
        """Take the axes as those of a steady rotation, omega (3,) rad/s about a point (3,) m; called before statics."""

    def take_speed(self, rate: float) -> bool:
        """Take coefficients that depend on a rotor's speed at ``rate`` (rad/s), for linear models of round rotors.

        Returns whether it has such coefficients.
        """
        return False

    def friction_records(self) -> Sequence[Any]:
        """Records of the friction laws of all parts, of dtype ``FRICTION_LAW``."""
        return ()

    def begin_step(self, workspace: Workspace) -> None:
        """Compute quantities that are constant over the step (strains at t_i, loads and drivers at both ends)."""
        self._run("begin_step", workspace)

    def residual(self, workspace: Workspace) -> None:
        """Add the part's forces and constraint residuals at the current iterate."""
        self._run("residual", workspace)

    def extrapolate(self, workspace: Workspace) -> None:
        """Extrapolate stresses for the geometric stiffness from the last tangent's iterate (theory.md, 6)."""
        self._run("extrapolate", workspace)

    def extrapolated(self) -> list[Any]:
        """Arrays of the stresses that `extrapolate` fills; statics sets them for its own Newton steps."""
        return []

    def strain_share(self, stresses: Sequence[Any]) -> float:
        """Largest strain that stresses, arrays as of `extrapolated`, mean by its linear law, over the law's limit."""
        return 0.0

    def too_stiff_to_buckle(self, stresses: Sequence[Any]) -> list[str]:
        """What is too coarse to buckle under stresses, as of `extrapolated`, with what is needed; for messages."""
        return []

    def too_coarse_to_vibrate(self, q: Array, rate: float) -> list[str]:
        """What is too coarse for waves of a frequency (rad/s) at q (nodes, 4, 3), with what is needed; for messages."""
        return []

    def tangent(self, workspace: Workspace) -> None:
        """Add the part's tangent blocks, and its extrapolated ambient forces to `workspace.lin_m`, `lin_f`."""
        self._run("tangent", workspace)

    def far_damping(self, workspace: Workspace, only: Flags | None = None) -> csr_matrix | None:
        """(6 n, 6 n) damping that `tangent` omits, at rest: displacement, then rotation in node axes, of all nodes.

        only : (n_parts,) parts to include; all by default
        """
        return None

    def relax(self, allowed: bool) -> None:
        """Whether strains that relax do so in a step, or follow it as in no time: linear models have them as states."""

    def internal_states(self, workspace: Workspace, free: Indices) -> InternalStates | None:
        """States with rates about a steady state, for linear models; after `begin_step` there.

        free : (nodes, 6) number of each unknown of the nodes, -1 where it is held
        """
        return None

    def eccentricities(self, q: Array) -> Array:
        """(n_parts,) m, distance of the axes of its two bodies at q (nodes, 4, 3), for ``turns_with_mean``."""
        return np.zeros(len(self.nodes))

    def one_sided_damping(self, q: Array) -> Array:
        """(n_parts, 2) least and largest resistance to leaving rest at q (nodes, 4, 3) over the directions that do so,
        as multiples of their mean; ones where the force has a derivative at rest.
        """
        return np.ones((len(self.nodes), 2))

    def ledger(self, workspace: Workspace) -> None:
        """Add the part's energies at t_f, dissipations and works of the converged step to `workspace.ledger`."""
        self._run("ledger", workspace)

    def accept(self, workspace: Workspace) -> None:
        """Update the history with the converged step."""
        self._run("accept", workspace)

    def initial_energy(self, workspace: Workspace) -> None:
        """Add the part's energies in the state at the start of the run to `workspace.ledger`."""

    def evaluate_outputs(self, workspace: Workspace) -> None:
        """Fill the kind's `output_arrays` in the accepted state."""
        self._run("evaluate_outputs", workspace)

    def evaluate_measures(self, workspace: Workspace) -> None:
        """Fill ``measures``, not negative, for the converged step, after `ledger` and before `accept`."""
        self._run("evaluate_measures", workspace)

    def range_limits(self) -> Array:
        """(len(ranges), rows) limits of the measures: those of ``ranges``; inf for a row without a limit."""
        return np.repeat([[declared.limit] for declared in self.ranges], self.measures.shape[1], axis=1)

    def measured_parts(self) -> Indices:
        """(rows,) part of each column of ``measures``; by default each part has one."""
        return np.arange(len(self.specs))

    def part_names(self) -> Sequence[str]:
        """Names of the parts, for messages."""
        return [str(part["name"]) for part in self.describe()]

    def outputs(self, workspace: Workspace) -> dict[str, Array]:
        """Quantities of the accepted state to record: a new array (rows, numbers) for each output of ``recorded``.

        Called after `evaluate_outputs`. Copies of `output_arrays`, unless the kind computes them here.
        """
        return {name: values.copy() for name, values in self.output_arrays().items()}

    def output_arrays(self) -> dict[str, Array]:
        """The arrays that `evaluate_outputs` fills, by the names of the outputs; they are never replaced."""
        return {}

    def row_counts(self, output: Output) -> Sequence[int]:
        """(n_parts,) number of rows of each part in an output."""
        return [1] * len(self.nodes)

    def record_contacts(self, workspace: Workspace) -> None:
        """Fill the array of `contact_records` for the converged step."""
        self._run("record_contacts", workspace)

    def contact_records(self) -> Any:
        """The step's contacts, dtype `fem_mbd.core.stepping.step_record.CONTACT_RECORD`, one or more for each part.

        The array that `record_contacts` fills, which is never replaced.
        """
        raise TypeError(f"{type(self).__name__} has no contacts")

    def jumps(self) -> tuple[float, ...]:
        """Times (s) at which prescribed motions jump: the steps that begin there carry the jumps out."""
        return ()

    def time_functions(self) -> Sequence[TimeFunction]:
        """The functions of time of loads or drivers: steps end at their breakpoints, inputs are found in them."""
        return ()

    def describe(self) -> list[dict[str, Any]]:
        """Plain data about each part for the result file, with at least its ``name``.

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
