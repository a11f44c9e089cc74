"""Distributed loads along a beam by a Python function of position, velocity, orientation and time (aerodynamics).

    def drag(points):                                   # points: BeamPoints, all of the beam at once
        return -0.5 * points.velocity                   # N/m, (n, 3)

    model.add(DistributedLoad(handle, drag))

The points are the Gauss-Lobatto quadrature points of forces, which are the beam's nodes. The function is called for all
of them at once, with the states of one instant:

- `per="iteration"` (default): the middle of the step, x = (x_i + x_f)/2, velocity (x_f - x_i)/dt, R half way from R_i
  to R_f, once in every residual, so that load and motion agree at the end of the step. Second order in dt.
- `per="step"`: the start of the step, once, for codes that are expensive or keep a state of their own. First order.

The force per length w is constant over the step and does the work dt w . v_g on the mean velocity v_g of its point, to
round-off what the energy balance counts as `work_loads`, whatever the function returns. Fixed in space: w in global
axes. Follower load: w in section axes, with which it rotates during the step. Equations: `kernels`.

For Newton's method, and for aerodynamic stiffness and damping in modal analysis, the derivative of w at each point by
the position, velocity, orientation and angular velocity of that point is computed by finite differences
(`derivatives`); the influence of other points (induction) is neglected there, which costs iterations, never accuracy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.loads.distributed_kind import DistributedKind, DistributedSpec
from fem_mbd.elements.loads.loads import node_shares
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class BeamPoints:
    """Argument of the function of a `DistributedLoad`: states of n points, root to tip; the arrays may be stored.

    Attributes
    ----------
    time : s
    s : (n,) fractions of the length
    length : (n,) m, length of the beam that belongs to each point
    position, velocity : (n, 3) of the reference line, global axes, m and m/s
    rotation : (n, 3, 3), columns the section axes in global axes
    omega : (n, 3) angular velocity, global axes, rad/s
    """

    time: float
    s: Array
    length: Array
    position: Array
    velocity: Array
    rotation: Array
    omega: Array


LoadFunction = Callable[[BeamPoints], Any]


@arguments()
@dataclass(frozen=True, eq=False)
class DistributedLoad:
    """A force, or force and moment, per length on a beam, from a function; see the module's docstring.

    Parameters
    ----------
    beam : handle that `Model.add(Beam(…))` returned
    function : of `BeamPoints`; returns (n, 3) N/m, or a pair of (n, 3): N/m and N m/m
    follower : components in section axes instead of global axes
    per : "iteration" or "step", when the function is called
    derivatives : whether the tangent includes finite-difference derivatives of the function, 18 more calls per tangent
    name : shown in messages

    Raises
    ------
    InputError
        When added, for other arguments; when called, naming the load, for values of another shape or not finite.
    """

    beam: BeamHandle
    function: LoadFunction
    _: KW_ONLY
    follower: bool = False
    per: Literal["iteration", "step"] = "iteration"
    derivatives: bool = True
    name: str = "distributed load"

    def build(self, model: Model) -> DistributedLoad:
        """Called by `Model.add`."""
        what = f"distributed load '{self.name}'"
        if not isinstance(self.beam, BeamHandle):
            raise InputError(f"{what}: give the handle that Model.add(Beam(…)) returned")
        model.registry.node_of(self.beam.start, what)
        if not callable(self.function):
            raise InputError(f"{what}: function is {self.function!r}: give a function of BeamPoints")
        if self.per not in ("iteration", "step"):
            raise InputError(f"{what}: per is {self.per!r}: give 'iteration' or 'step'")
        shares = node_shares(self.beam)
        order = sorted(shares)
        spec = DistributedSpec(
            name=model.registry.unique_name(self.name),
            nodes=np.array([self.beam.nodes[k].index for k in order]),
            s=np.array([shares[k][0] for k in order]),
            length=np.array([shares[k][1] for k in order]),
            turn=self.beam.offset_rotation,
            evaluate=self._evaluate,
            follower=self.follower,
            every_iteration=self.per == "iteration",
            derivatives=self.derivatives,
        )
        model.registry.add(DistributedKind, spec)
        return self

    def _evaluate(self, *state: Any) -> Array:
        """(n, 6) force and moment per length at the state: time, s, length, position, velocity, rotation, omega."""
        points = BeamPoints(*state)
        what = f"distributed load '{self.name}' at t = {points.time:g} s"
        try:
            loads = self.function(points)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{what}: its function fails ({type(error).__name__}: {error})") from error
        pair = loads if isinstance(loads, tuple) else (loads, np.zeros((len(points.s), 3)))
        if len(pair) != 2:
            raise InputError(
                f"{what}: its function returns {len(pair)} arrays: give force, or force and moment"
            )
        halves = [np.asarray(half, dtype=float) for half in pair]
        for half in halves:
            if half.shape != (len(points.s), 3):
                raise InputError(f"{what}: its function returns shape {half.shape}, not ({len(points.s)}, 3)")
            if not np.all(np.isfinite(half)):
                k = int(np.flatnonzero(~np.isfinite(half).all(axis=1))[0])
                raise InputError(
                    f"{what}: not finite at point {k} (s = {points.s[k]:.4g}): {half[k].tolist()}"
                )
        return np.concatenate(halves, axis=1)
