"""Recorded histories as the source of views by part, and interpolation of states between the recorded ones.

The motion of nodes within a step follows from the recorded values at its ends, by the scheme's own polynomials. See
docs/explanation/theory.md, sections 0 and 1. Over a step the velocity v of a node's mass centre (global axes) and
its angular velocity Omega (node axes) are linear from their values at t_j, just after the jump, to those at t_f. The
recorded values at both ends determine them:

    dt v_j = 2 (u_f - u_i) - dt v_f        dt Omega_j = b - e,  dt Omega_f = b + e

with b from the rotation of the step, theta = (1 + mu |b|^2) b + 2 mu b x (dt Omega_f), R_f = R_i cay(theta), mu as in
`fem_mbd.core.scheme.nodes.node_map`. The position
at the fraction s of the step is the integral of the velocity, the rotation the scheme's map over this part of the step:

    u = u_i + dt [v_j s + (v_f - v_j) s^2/2]        b_s = s (b - e) + s^2 e,  e_s = s^2 e

Positions and rotations are continuous and third-order accurate, as at the ends of steps. Velocities are second-order
accurate within a step and jump where a step begins; at the ends of steps everything is as recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.scheme.nodes.node_map import rotation_factor, rotation_factor_rate
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part import MOTION, rotation_matrices
from fem_mbd.runs.results.views.part_access import PartAccess
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.states import extract_quantity, not_recorded

NEWTON_STEPS = 8
MAX_SINGLE_READS = 16  # instants: up to this number they are read one by one from a file


@dataclass(frozen=True)
class Motion:
    """Positions (k, n, 3) of nodes, rotations (k, n, 3, 3), velocities, angular velocities in node axes."""

    position: Array
    rotation: Array
    velocity: Array
    omega: Array

    def shifted(self, centre: Array, sign: float) -> Motion:
        """The same motion at the point offset by ``sign`` times ``centre`` (n, 3), node axes."""
        arm = sign * np.einsum("knij,nj->kni", self.rotation, centre)
        spin = np.einsum("knij,knj->kni", self.rotation, self.omega)
        return Motion(self.position + arm, self.rotation, self.velocity + np.cross(spin, arm), self.omega)


def within_step(before: Motion, after: Motion, dt: Array, fraction: Array, centre: Array) -> Motion:
    """Motion of nodes at the fractions ``fraction`` (k,) of steps of size ``dt`` (k,).

    before, after : recorded motion at the ends of the steps; centre : (n, 3) mass centres, node axes
    """
    dt, s = dt[:, None, None], fraction[:, None, None]
    i, f = before.shifted(centre, +1.0), after.shifted(centre, +1.0)
    v_j = 2 * (f.position - i.position) / dt - f.velocity
    half = 0.5 * (f.velocity - v_j)
    b = _mean_rotation_vector(np.swapaxes(i.rotation, -1, -2) @ f.rotation, dt * f.omega)
    e = dt * f.omega - b
    b_s, e_s = s * (b - e) + s * s * e, s * s * e
    theta = _cayley_vector(b_s, e_s)
    inside = Motion(
        i.position + dt * (v_j * s + half * s * s),
        i.rotation @ _cayley(theta),
        v_j + 2 * half * s,
        (b - e + 2 * s * e) / dt,
    )
    return inside.shifted(centre, -1.0)


def _cayley_vector(b: Array, e: Array) -> Array:
    """theta (…, 3) of the scheme's unknowns b and e (…, 3)."""
    s = (b**2).sum(axis=-1, keepdims=True)
    mu = rotation_factor(s)
    return np.asarray((1 + mu * s) * b + 2 * mu * np.cross(b, e))


def _cayley(theta: Array) -> Array:
    """Rotations (…, 3, 3) of theta (…, 3)."""
    q = np.concatenate([0.5 * theta, np.ones_like(theta[..., :1])], axis=-1)
    return scipy.spatial.transform.Rotation.from_quat(q.reshape(-1, 4)).as_matrix().reshape(*theta.shape, 3)


def _mean_rotation_vector(r: Array, p: Array) -> Array:
    """b (…, 3) of the step with the rotations r (…, 3, 3) and p = b + e, by Newton's method."""
    rotation = scipy.spatial.transform.Rotation.from_matrix(r.reshape(-1, 3, 3))
    q = rotation.as_quat().reshape(*r.shape[:-2], 4)
    theta = 2 * q[..., :3] / q[..., 3:]
    b, eye = rotation.as_rotvec().reshape(*r.shape[:-1]), np.eye(3)
    for _ in range(NEWTON_STEPS):
        s = (b**2).sum(axis=-1, keepdims=True)
        mu, rate = rotation_factor_rate(s)
        across = np.cross(b, p)
        by_square = 2 * ((mu + rate * s) * b + 2 * rate * across)
        tangent = (1 + mu * s)[..., None] * eye + by_square[..., :, None] * b[..., None, :]
        tangent = tangent + 2 * mu[..., None] * np.cross(eye, p[..., None, :]).swapaxes(-1, -2)
        b = b - np.linalg.solve(tangent, (_cayley_vector(b, p) - theta)[..., None])[..., 0]
    return b


class Recorded(Protocol):
    """Protocol: the part of `Columns` needed here."""

    def __contains__(self, key: object) -> bool: ...

    def __len__(self) -> int: ...

    def select(self, key: str, items: Indices, start: int = 0, stop: int | None = None) -> Array: ...

    def names(self) -> tuple[str, ...]: ...


class History(PartAccess):
    """All recorded states of a run.

    times : (m,) s; index : (m,) their step numbers; begin : s, time of ``initial``, the state before the first step
    """

    def __init__(
        self,
        table: PartTable,
        outputs: Recorded,
        times: Array,
        index: Indices,
        begin: float,
        initial: Mapping[str, Array],
    ) -> None:
        self.table, self.outputs, self.times, self.index = table, outputs, times, index
        self.begin, self.initial = begin, initial

    def values(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        self.check(output)
        return extract_quantity(self.outputs.select(output.name, rows), output, quantity)

    def at(self, time: ArrayLike) -> Instants:
        """States at one time or several (k,); InputError outside the run and between thinned records."""
        return Instants(self, time)

    def check(self, output: Output) -> None:
        """Raise InputError when an output was not recorded."""
        if output.name not in self.outputs:
            raise not_recorded(output.name, self.outputs.names())

    def recorded(self, name: str, records: Indices, rows: Indices) -> Array:
        """(k, rows, …) at the records (k,), counted from 0; -1 is the state before the first."""
        needed = np.unique(records[records >= 0])
        # the state before the first step is read only on demand: it may be damaged
        needs_initial = bool((records < 0).any()) or not len(needed)
        first = (
            self.initial[name][rows]
            if needs_initial
            else self.outputs.select(name, rows, int(needed[0]), int(needed[0]) + 1)[0]
        )
        values = np.empty((len(records), *first.shape), first.dtype)
        values[records < 0] = first
        if not len(needed):
            return values
        if len(needed) <= MAX_SINGLE_READS:
            for record in needed:
                values[records == record] = self.outputs.select(name, rows, int(record), int(record) + 1)[0]
        else:
            whole = self.outputs.select(name, rows, int(needed[0]), int(needed[-1]) + 1)
            values[records >= 0] = whole[records[records >= 0] - needed[0]]
        return values


class FromStart(PartAccess):
    """All recorded states of a run and, as the first, the state before the first step.

    times : (m + 1,) s
    """

    def __init__(self, history: History) -> None:
        self.history, self.table = history, history.table
        self.times = np.concatenate([[history.begin], history.times])

    def values(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        self.history.check(output)
        first = extract_quantity(self.history.initial[output.name][rows], output, quantity)
        return np.concatenate([first[None], self.history.values(output, quantity, rows)])

    def at(self, time: ArrayLike) -> Instants:
        """The states at other times."""
        return Instants(self.history, time)


class Instants(PartAccess):
    """States at given times: recorded values at the ends of steps, the scheme's polynomials within steps.

    times : (k,) s, or () for a single time
    """

    def __init__(self, history: History, time: ArrayLike) -> None:
        self.history, self.table = history, history.table
        self.times = np.asarray(time, dtype=float)
        requested, ends = np.atleast_1d(self.times), history.times
        last = float(ends[-1]) if len(ends) else history.begin
        wrong = ~((requested >= history.begin) & (requested <= last))
        if requested.ndim > 1 or wrong.any():
            which = f"t = {float(requested[wrong].flat[0]):.9g} s" if wrong.any() else "times of this shape"
            raise InputError(f"{which}: the run goes from {history.begin:.9g} to {last:.9g} s")
        # record at the end of the step that contains the time; -1 at the start
        self._record = np.where(requested == history.begin, -1, np.searchsorted(ends, requested, side="left"))
        grid = np.concatenate([[history.begin], ends])
        self._dt = np.where(self._record < 0, 1.0, grid[self._record + 1] - grid[self._record])
        self._fraction = np.where(self._record < 0, 1.0, (requested - grid[self._record]) / self._dt)
        self._fraction[requested == grid[self._record + 1]] = 1.0
        self._check_steps(requested)

    def at(self, time: ArrayLike) -> Instants:
        """The same run at other times."""
        return Instants(self.history, time)

    def recorded_states(self) -> tuple[History, Indices]:
        return self.history, self._record if self.times.ndim else self._record[0]

    def values(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        self.history.check(output)
        if quantity.within == "scheme" and (self._fraction < 1.0).any():
            selected = self._of_nodes(output.name, rows)
        else:
            selected = self._between(output, quantity, rows)
        return selected if self.times.ndim else selected[0]

    def _check_steps(self, requested: Array) -> None:
        """Raise InputError for a time between records that are more than one step apart."""
        steps = np.concatenate([[0], self.history.index])
        apart = np.diff(steps)[np.maximum(self._record, 0)] if len(steps) > 1 else np.ones(1)
        inside = (self._fraction < 1.0) & (apart > 1)
        if inside.any():
            raise InputError(
                f"t = {float(requested[inside][0]):.9g} s lies between recorded states that are "
                f"{int(apart[inside][0])} steps apart; states between them are unknown: run with "
                "record_every=1, or choose one of output_time"
            )

    def _between(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        after_all: Any = self.history.recorded(output.name, self._record, rows)
        after = extract_quantity(after_all, output, quantity)
        if quantity.within != "linear" or not (self._fraction < 1.0).any():
            return after
        if quantity.start:
            before = after_all[quantity.start]
        else:
            previous = self.history.recorded(output.name, np.maximum(self._record - 1, -1), rows)
            before = extract_quantity(previous, output, quantity)
        fraction = self._fraction.reshape(-1, *(1,) * (after.ndim - 1))
        return np.asarray(np.where(fraction < 1.0, before + fraction * (after - before), after))

    def _of_nodes(self, name: str, rows: Indices) -> Array:
        for needed in MOTION:
            self.history.check(self.table.outputs[needed])
        centre = np.array([self.table.model["nodes"][n].get("centre", (0.0, 0.0, 0.0)) for n in rows])
        before = self._motion(np.maximum(self._record - 1, -1), rows)
        inside = within_step(
            before, self._motion(self._record, rows), self._dt, self._fraction, centre.reshape(-1, 3)
        )
        exact = self.history.recorded(name, self._record, rows)
        if name == "quaternion":
            q = (
                scipy.spatial.transform.Rotation.from_matrix(inside.rotation.reshape(-1, 3, 3))
                .as_quat()
                .reshape(exact.shape)
            )
            values = np.roll(q, 1, axis=-1)
            values = np.where(values[..., :1] < 0, -values, values)
        else:
            values = getattr(inside, name)
        at_end = (self._fraction == 1.0).reshape(-1, 1, 1)
        return np.asarray(np.where(at_end, exact, values))

    def _motion(self, records: Indices, rows: Indices) -> Motion:
        position, quaternion, velocity, omega = (self.history.recorded(n, records, rows) for n in MOTION)
        return Motion(position, rotation_matrices(quaternion), velocity, omega)
