"""Static equilibrium: load stepping, paths past limit points, steady rotation."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.analysis.statics.continuation import LOADS, ROTATION, Branch
from fem_mbd.analysis.statics.held_by_friction import FrictionForces, held_by_friction
from fem_mbd.analysis.statics.held_by_loads import held_by_loads
from fem_mbd.analysis.statics.path import NothingToBeginFrom, Path, Stop, Walk
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.attached import attached
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.base.suggestions import Named
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.runs.results.views.answering import OneState
from fem_mbd.runs.results.views.part_table import PartTable


class EquilibriumWarning(FemMbdWarning):
    """The equilibrium found is one that the structure would not stay in."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A static equilibrium; start a transient from it with ``initial=equilibrium.state``.

    Attributes
    ----------
    forces : the forces that are in balance
    state : where
    load_factor : of loads and gravity
    path : how it was reached
    """

    forces: StaticForces
    state: State
    load_factor: float
    path: Path

    @property
    def spin(self) -> Spin | None:
        """The steady rotation, None at rest."""
        return self.forces.spin

    @cached_property
    def outputs(self) -> dict[str, Any]:
        """As those of a transient: position, quaternion, reaction, section_force … (`fem_mbd.runs.results.result`)."""
        system = self.forces.system
        held = [self.reactions[system.model.nodes[k].name] for k in system.supports]
        return self.forces.outputs(self.state) | {"support": np.array(held).reshape(-1, 6)}

    def of(self, part: Any) -> Any:
        """What was found of one part, as `fem_mbd.Result.of` gives it, without an axis for the time.

        Parameters
        ----------
        part : its handle or name, a node or a point of the model, or a list of handles of one kind
        """
        return self._found.of(part)

    def loads(self, *names: str) -> dict[str, Any]:
        """Section loads by channel, as `fem_mbd.Result.loads` gives them of a run, N or N m.

        Parameters
        ----------
        names : of the channels; all when left out

        Raises
        ------
        InputError
            When the model has no such channel.
        """
        return attached("Equilibrium.loads")(self, *names)

    @cached_property
    def _found(self) -> OneState:
        return OneState(PartTable(self.forces.system.describe()), self.outputs, self.forces.time)

    @cached_property
    def reactions(self) -> dict[str, Array]:
        """(6,) force and moment by each support on its held node, at the node's place, global axes, N and N m.

        By the names of the nodes, for a beam called "beam" from "beam.0" at its start; ``reaction`` of `outputs` has
        those of the joints. A name that is not there is an InputError.
        """
        system, work, state = self.forces.system, self.forces.work, self.state
        own, applied = self.forces.forces(state)
        rows = np.where(system.held, own + self.load_factor * applied, 0.0)
        moment = np.einsum("nij,nj->ni", state.r, rows[:, 3:])
        moment += np.cross(np.einsum("nij,nj->ni", state.r, work.centre), rows[:, :3])
        both = np.concatenate([rows[:, :3], moment], axis=1)
        nodes = system.model.nodes
        held = np.flatnonzero(system.held.any(axis=1))
        return Named("held node", {nodes[k].name: both[k] for k in held if k > 0})


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
    time : s, at which loads, drivers and prescribed motions are taken
    spin : equilibrium in steady rotation; the speed grows first, without loads, then the loads. What only rotation or
        loads hold (hinged blades, a pendulum) is found at their full size at once
    load_steps : the first step is one of so many; further ones adapt to the iterations they need
    arc_length : follow the path of equilibria past limit points until the load factor is reached for the first time
    stop : of load factor and places (nodes, 3): ends a path (with ``arc_length``) earlier, where it first is true
    start : an equilibrium of the same model to begin from, instead of the reference configuration
    most_steps : give up after so many
    friction : whether friction holds what it can: the loads are put on where the search begins, and the structure gives
        way slowly (laws with bristles, at rest; statics.md, section 7). Left out, it does only where nothing else
        holds the structure
    load_factor : by which loads and gravity are multiplied

    Raises
    ------
    InputError
        When joints do not close, constraints are redundant, or numbers cannot be.
    SolverFailure
        When equilibrium is lost; the message says at which load factor or speed.

    Warns
    -----
    EquilibriumWarning
        When a bifurcation was passed, or a limit point: what was found is probably unstable.
    """
    factor = finite(load_factor, "find_equilibrium: load_factor")
    whole_number(load_steps, "find_equilibrium: load_steps")
    whole_number(most_steps, "find_equilibrium: most_steps")
    if friction and (arc_length or spin is not None):
        raise InputError(
            "find_equilibrium: friction holds what is at rest, and no path: leave spin and arc_length out, or friction"
        )
    with one_blas_thread():
        if friction:
            return _held_by_friction(model, factor, time, load_steps, start, most_steps)
        try:
            return _found(model, factor, time, spin, load_steps, arc_length, stop, start, most_steps)
        except NothingToBeginFrom:
            if friction is not None or arc_length or spin is not None:
                raise
            with suppress(SolverFailure):
                return _held_by_friction(model, factor, time, load_steps, start, most_steps)
            raise


def _found(
    model: Model,
    factor: float,
    time: float,
    spin: Spin | None,
    load_steps: int,
    arc_length: bool,
    stop: Stop | None,
    start: Equilibrium | None,
    most_steps: int,
) -> Equilibrium:
    path = Path()
    try:
        forces, state, loaded = _turning(model, time, spin, start, path, load_steps, most_steps)
        walk = Walk(Branch(forces, LOADS), path, load_steps, most_steps)
        if arc_length:
            last = walk.by_length(state, loaded, factor, stop)
        else:
            last = walk.by_parameter(state, loaded, factor)
    except NothingToBeginFrom:
        if arc_length:
            raise
        path = Path()
        forces = StaticForces(model, time, spin, 1.0)
        found = held_by_loads(forces, _beginning(forces, start)[0])
        if found is None:
            raise
        state = found
        last = Walk(Branch(forces, LOADS), path, load_steps, most_steps).by_parameter(state, 1.0, factor)
    _warn(path, model.name)
    return Equilibrium(forces, _finished(forces, last.state), last.p, path)


def _held_by_friction(
    model: Model,
    factor: float,
    time: float,
    load_steps: int,
    start: Equilibrium | None,
    most_steps: int,
) -> Equilibrium:
    """SolverFailure when friction does not hold the model."""
    forces = FrictionForces(model, time)
    state = held_by_friction(forces, _beginning(forces, start)[0])
    if state is None:
        raise SolverFailure(
            f"friction does not hold model '{model.name}' in the configuration that the search begins from: it slides, "
            "or its laws have no bristles and so no force at rest; relax(model) finds where it comes to rest"
        )
    path = Path()
    last = Walk(Branch(forces, LOADS), path, load_steps, most_steps).by_parameter(state, 1.0, factor)
    return Equilibrium(forces, _finished(forces, last.state), last.p, path)


def _turning(
    model: Model,
    time: float,
    spin: Spin | None,
    start: Equilibrium | None,
    path: Path,
    load_steps: int,
    most_steps: int,
) -> tuple[StaticForces, State, float]:
    """Forces at the full speed of ``spin``, the state there, and the load factor that it carries already."""
    forces = StaticForces(model, time, spin, 0.0)
    state, loaded, share = _beginning(forces, start)
    if spin is not None and spin.rate != 0.0:
        forces.spin_factor = share
        walk = Walk(Branch(forces, ROTATION, loaded), path, load_steps, most_steps)
        state = walk.by_parameter(state, share, 1.0).state
    forces.spin_factor = 1.0
    return forces, state, loaded


def _beginning(forces: StaticForces, start: Equilibrium | None) -> tuple[State, float, float]:
    """State, load factor and share of the centrifugal forces to begin from."""
    state = forces.start()
    if start is None:
        return state, 0.0, 0.0
    if start.state.u.shape != state.u.shape or start.state.multipliers.shape != state.multipliers.shape:
        raise InputError("find_equilibrium: start is an equilibrium of another model")
    held = forces.system.held.all(axis=1)
    begun = start.state.copy()
    begun.u[held], begun.r[held] = state.u[held], state.r[held]
    if forces.spin is None or forces.spin.rate == 0.0:
        return begun, start.load_factor, 0.0
    before = 0.0 if start.spin is None else start.spin.rate
    return begun, start.load_factor, (before / forces.spin.rate) ** 2


def _finished(forces: StaticForces, state: State) -> State:
    """With what a transient begins from: histories, velocities of the rotation, their slope, the time."""
    forces.settle(state)
    state.time = forces.time
    state.v[:], state.omega[:], state.slope[:] = 0.0, 0.0, 0.0
    if forces.spin is not None:
        state.v, state.omega = forces.spin.velocities(state)
        state.v[forces.system.held[:, :3]] = 0.0
        state.omega[forces.system.held[:, 3:]] = 0.0
        for motion in forces.system.model.prescribed:
            k = motion.node.index
            _, state.v[k], _, state.omega[k] = motion.frame(forces.time, +1, forces.work.centre[k])
        state.slope[:, :3] = np.cross(forces.spin.omega, state.v)
    return state


def _warn(path: Path, name: str) -> None:
    passed = [
        f"{what} at {', '.join(f'{p:.5g}' for p in places)}"
        for what, places in (("limit points", path.limits), ("bifurcations", path.bifurcations))
        if places
    ]
    if passed:
        warnings.warn(
            f"model '{name}': the path to this equilibrium passed {' and '.join(passed)} (load factors, or rad/s): "
            "there a structure leaves the path, by a jump or to another equilibrium, unless something guides it",
            EquilibriumWarning,
            stacklevel=4,
        )
