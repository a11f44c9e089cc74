"""Static equilibrium of a model: load stepping, paths past limit points, steady rotation."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from fem_mbd.analysis.statics.bordered_newton import DRIVES, LOADS, ROTATION, Branch, Point
from fem_mbd.analysis.statics.held import (
    FrictionForces,
    closed,
    held_by_friction,
    held_by_loads,
    initial_state,
    start_of_transient,
)
from fem_mbd.analysis.statics.path import Path, PathFollower, SingularStart, Stop, unstable_node
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.lazy import Named, attached
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import PartTable, sections_of

DRIVE_TURN, DRIVE_WAY = 0.25, 0.05  # rad, model lengths: first steps of drives on the way to their values


class EquilibriumWarning(FemMbdWarning):
    """The computed equilibrium is probably unstable."""


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium:
    """A static equilibrium; start a transient from it with ``initial=equilibrium.state``.

    Attributes
    ----------
    forces : function of the balanced forces
    state : state of the equilibrium
    load_factor : factor on loads and gravity
    path : path by which it was reached
    """

    forces: StaticForces
    state: State
    load_factor: float
    path: Path

    def __repr__(self) -> str:
        model = self.forces.system.model
        turning = "" if self.spin is None else f", {self.spin.rate:g} rad/s"
        return (
            f"<Equilibrium of model '{model.name}' at load factor {self.load_factor:g}{turning}: "
            f"{len(model.nodes) - 1} nodes; of(part) gives positions and forces of a part, reactions those of supports>"
        )

    @property
    def spin(self) -> Spin | None:
        """The steady rotation, None at rest."""
        return self.forces.spin

    @cached_property
    def outputs(self) -> dict[str, Any]:
        """Outputs as of a transient: position, quaternion, reaction, section_force …
        (`fem_mbd.runs.results.result`).
        """
        system = self.forces.system
        support = [self.reactions[system.model.nodes[k].name] for k in system.supports]
        return self.forces.outputs(self.state) | {"support": np.array(support).reshape(-1, 6)}

    def of(self, part: Any) -> Any:
        """View of one part as from `fem_mbd.Result.of`, without a time axis.

        Parameters
        ----------
        part : its handle or name, a node or a point of the model, or a list of handles of one kind
        """
        return self._view.of(part)

    def loads(self, *names: str) -> dict[str, Any]:
        """Section loads by channel, as from `fem_mbd.Result.loads`, N or N m.

        Parameters
        ----------
        names : of the channels; by default all

        Raises
        ------
        InputError
            When the model has no such channel.
        """
        return attached("Equilibrium.loads")(self, *names)

    @cached_property
    def _view(self) -> SingleState:
        system, time = self.forces.system, self.forces.time
        driven = {} if system.joints is None else system.joints.driven_angles(time)
        return SingleState(PartTable(system.describe(), sections_of(system)), self.outputs, time, driven)

    @cached_property
    def reactions(self) -> dict[str, Array]:
        """(6,) force and moment of each support on its node, at the node's position, global axes, N and N m.

        The keys are the names of the nodes, for a beam called "beam" from "beam.0" at its start; ``reaction`` of
        `outputs` has the reactions of joints. An unknown name is an InputError.
        """
        system, workspace, state = self.forces.system, self.forces.workspace, self.state
        internal, applied = self.forces.forces(state)
        rows = np.where(system.fixed, internal + self.load_factor * applied, 0.0)
        moment = np.einsum("nij,nj->ni", state.r, rows[:, 3:])
        moment += np.cross(np.einsum("nij,nj->ni", state.r, workspace.centre), rows[:, :3])
        reactions = np.concatenate([rows[:, :3], moment], axis=1)
        nodes = system.model.nodes
        supported = np.flatnonzero(system.fixed.any(axis=1))
        return Named("held node", {nodes[k].name: reactions[k] for k in supported if k > 0})


@arguments()
def find_equilibrium(
    model: Model,
    load_factor: float = 1.0,
    *,
    time: float = 0.0,
    spin: Spin | None = None,
    load_steps: int = 8,
    arc_length: bool = False,
    stop: Stop | None = None,
    start: Equilibrium | None = None,
    most_steps: int = 1000,
    friction: bool | None = None,
) -> Equilibrium:
    """The static equilibrium of ``model`` under ``load_factor`` times its loads and gravity.

        model.add(Force(beam.end, (0, 0, -100.0)))
        found = fem_mbd.find_equilibrium(model)
        found.outputs["position"], found.reactions["beam.0"]

    Parameters
    ----------
    model : with its loads
    time : s, at which loads, drivers and prescribed motions are evaluated
    spin : equilibrium in steady rotation; the speed grows first, without loads, then the loads. Structures that only
        rotation or loads hold (hinged blades, a pendulum) are solved at full speed and load directly
    load_steps : number of steps that sets the first step size; further sizes adapt to the iterations
    arc_length : follow the path of equilibria past limit points until the load factor is reached for the first time
    stop : function of load factor and positions (nodes, 3): ends a path (with ``arc_length``) earlier, where it first
        returns True
    start : an equilibrium of the same model to start from, instead of the reference configuration
    most_steps : largest number of steps
    friction : whether static friction acts: the loads are applied in the initial configuration, and the structure
        yields slowly (laws with bristles, at rest; docs/how-to/statics.md, section 7). By default it acts only where
        nothing else holds the structure
    load_factor : factor on loads and gravity

    Raises
    ------
    InputError
        When joints do not close, constraints are redundant, or numbers are invalid.
    SolverFailure
        When no equilibrium is found; the message says at which load factor or speed.

    Warns
    -----
    EquilibriumWarning
        When a bifurcation or a limit point was passed: the computed equilibrium is probably unstable; and when it is
        unstable because the determinant of the stiffness of parts that hang together is negative. An even number of
        motions with a negative stiffness among them, which rotation may hold, is not seen: `fem_mbd.modes` shows it.
    """
    factor = finite(load_factor, "find_equilibrium: load_factor")
    for name, number in (("load_steps", load_steps), ("most_steps", most_steps)):
        whole_number(number, f"find_equilibrium: {name}")
    if friction and (arc_length or spin is not None):
        raise InputError(
            "find_equilibrium: static friction excludes spin and arc_length: leave out one of them"
        )
    search = _Search(model, factor, time, spin, load_steps, arc_length, stop, start, most_steps)
    with one_blas_thread():
        return search.held_by_friction() if friction else search.run(try_friction=friction is None)


@dataclass(frozen=True, eq=False)
class _Search:
    """Checked arguments of `find_equilibrium`, and the searches with and without friction."""

    model: Model
    factor: float
    time: float
    spin: Spin | None
    load_steps: int
    arc_length: bool
    stop: Stop | None
    start: Equilibrium | None
    most_steps: int

    def run(self, try_friction: bool) -> Equilibrium:
        """The equilibrium without friction; with friction where nothing else holds the structure."""
        try:
            return self._without_friction()
        except SingularStart:
            if try_friction and not self.arc_length and self.spin is None:
                with suppress(SolverFailure):
                    return self.held_by_friction()
            raise

    def _without_friction(self) -> Equilibrium:
        path = Path()
        try:
            forces, state, loaded = self._rotating_state(path)
            follower = self._follower(Branch(forces, LOADS), path)
            if self.arc_length:
                last = follower.by_length(state, loaded, self.factor, self.stop)
            else:
                last = follower.by_parameter(state, loaded, self.factor)
        except SingularStart:
            if self.arc_length:
                raise
            path = Path()
            forces = StaticForces(self.model, self.time, self.spin, 1.0)
            held_state = held_by_loads(forces, self._placed(forces))
            if held_state is None:
                raise
            last = self._follower(Branch(forces, LOADS), path).by_parameter(held_state, 1.0, self.factor)
        _warn(path, self.model.name)
        if not (path.limits or path.bifurcations):
            _warn_of_instability(forces, last)
        return _found(forces, last, path)

    def held_by_friction(self) -> Equilibrium:
        """The equilibrium held by friction; SolverFailure when friction does not hold the model."""
        forces = FrictionForces(self.model, self.time)
        state = held_by_friction(forces, self._placed(forces))
        if state is None:
            raise SolverFailure(
                f"friction does not hold model '{self.model.name}' in the initial configuration: it slides, or its "
                "laws have no bristles and so no force at rest; relax(model) finds where it comes to rest"
            )
        path = Path()
        last = self._follower(Branch(forces, LOADS), path).by_parameter(state, 1.0, self.factor)
        return _found(forces, last, path)

    def _rotating_state(self, path: Path) -> tuple[StaticForces, State, float]:
        """Forces at the full speed of ``spin``, the state there, and the load factor already applied."""
        forces = StaticForces(self.model, self.time, self.spin, 0.0)
        state, loaded, share = initial_state(forces, self.start)
        steps = self._drive_steps(forces)
        if steps:
            forces.spin_factor, forces.drive_share = share, 0.0
            follower = self._follower(Branch(forces, DRIVES, loaded), path, steps)
            state = follower.by_parameter(state, 0.0, 1.0).state
            forces.drive_share = 1.0
        if self.spin is not None and self.spin.rate != 0.0:
            forces.spin_factor = share
            follower = self._follower(Branch(forces, ROTATION, loaded), path)
            state = follower.by_parameter(state, share, 1.0).state
        forces.spin_factor = 1.0
        return forces, state, loaded

    def _drive_steps(self, forces: StaticForces) -> int:
        """Number of steps in which the drives of joints go to their values, 0 where they are there already."""
        turn, way = forces.drive_from(self.start.forces.time if self.start is not None else 0.0)
        if turn == way == 0.0:
            return 0
        return max(self.load_steps, ceil(turn / DRIVE_TURN), ceil(way / (DRIVE_WAY * forces.system.length)))

    def _placed(self, forces: StaticForces) -> State:
        """The initial state, with the joints moved to the values of their drives."""
        state = initial_state(forces, self.start)[0]
        steps = self._drive_steps(forces)
        for k in range(1, steps + 1):
            forces.drive_share = k / steps
            state = closed(forces, state)
            forces.count_turns(state)
        forces.drive_share = 1.0
        return state

    def _follower(self, branch: Branch, path: Path, steps: int = 0) -> PathFollower:
        return PathFollower(branch, path, steps or self.load_steps, max(self.most_steps, 2 * steps))


def _found(forces: StaticForces, last: Point, path: Path) -> Equilibrium:
    """The equilibrium at the end of a path, which is within the ranges of all parts."""
    forces.check_ranges(last.state)
    return Equilibrium(forces, start_of_transient(forces, last.state), last.p, path)


def _warn_of_instability(forces: StaticForces, last: Point) -> None:
    """EquilibriumWarning where a part of the structure has a stiffness with a negative determinant."""
    node = unstable_node(forces, last.state, forces.tangent(last.state, last.p))
    if node:
        warnings.warn(
            f"model '{forces.system.model.name}': this equilibrium is unstable: what moves with '{node}' leaves it "
            "after any small disturbance. Build the model nearer to the stable one, or start from an equilibrium at a "
            "higher speed or load (start=); fm.modes shows the motion that grows",
            EquilibriumWarning,
            stacklevel=6,
        )


def _warn(path: Path, name: str) -> None:
    passed = [
        f"{kind} at {', '.join(f'{p:.5g}' for p in factors)}"
        for kind, factors in (("limit points", path.limits), ("bifurcations", path.bifurcations))
        if factors
    ]
    if passed:
        warnings.warn(
            f"model '{name}': the path to this equilibrium passed {' and '.join(passed)} (load factors, or "
            "rad/s): there a real structure leaves the path, by a jump or to another equilibrium, unless "
            "it is guided",
            EquilibriumWarning,
            stacklevel=6,
        )
