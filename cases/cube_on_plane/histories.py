"""Friction, normal forces and motion of all cubes over a run."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.cube_on_plane.parameters import PULL_HOLDS, PULL_STARTS, Parameters
from fem_mbd.runs.results.result import Result


class Histories:
    """What the figures and checks look at: all over the accepted steps, cubes in the order of the directions."""

    def __init__(self, result: Result, p: Parameters):
        self.p, self.time = p, result.output_time
        numbers = range(1, len(p.directions) + 1)
        faces = [result.of(f"face {n}") for n in numbers]
        # on the plane (steps, cubes, points, 3)
        self.friction: Array = -np.stack([face.friction_force for face in faces], axis=1)
        self.normal: Array = np.stack([face.normal_force for face in faces], axis=1)
        cubes = result.of([f"cube {n}" for n in numbers])
        self.speed: Array = np.linalg.norm(cubes.velocity[..., :2], axis=2)
        self.position: Array = cubes.position

    @property
    def total(self) -> Array:
        """Magnitude of the total friction force (steps, cubes) in N."""
        return np.linalg.norm(self.friction.sum(axis=2), axis=2)

    @property
    def shares(self) -> Array:
        """Magnitude of each point's friction force (steps, cubes, points) in N."""
        return np.linalg.norm(self.friction, axis=3)

    @property
    def pull(self) -> Array:
        """Pull of each step (steps,), N: that of its middle, as forces are means over steps."""
        middle = self.time - 0.5 * np.diff(self.time, prepend=0.0)
        return self.p.pull * np.clip((middle - PULL_STARTS) / (PULL_HOLDS - PULL_STARTS), 0.0, 1.0)

    def slip_starts(self) -> Array:
        """When each cube's speed exceeds the Stribeck velocity for good, s; nan when it does not."""
        out = np.full(len(self.p.directions), np.nan)
        for cube in range(len(out)):
            still = np.flatnonzero(self.speed[:, cube] <= self.p.v_s)[-1]
            if still + 1 < len(self.time):
                out[cube] = self.time[still]
        return out
