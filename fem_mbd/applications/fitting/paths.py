"""Steps of a law along a measured path, such that each row lies in the middle of a step.

A row's force is then the law's mean over its step, which is the force at the middle up to second order, so that rows
need no interpolation. Between two rows there are ``substeps`` step lengths: a half, whole ones, a half. The first and
the last row have half a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import Akima1DInterpolator

from fem_mbd.applications.fitting.data import Measurement
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import whole_number
from fem_mbd.friction.probes.slip_path import drive_path, steady_coefficients


@dataclass(frozen=True)
class Path:
    """Steps (m,): slips in m, durations in s, normal forces in N; ``every``: number of steps per row."""

    slips: Array
    dts: Array
    normals: Array
    every: int

    def force(self, law: Any) -> Array:
        """Friction force (n,) in N of ``law`` at the rows, from a contact without history."""
        mus = drive_path(law, self.slips, self.dts, self.normals).mus
        return np.asarray((mus * self.normals)[:: self.every])


@dataclass(frozen=True)
class SteadyPoints:
    """Speeds (n,) in m/s, each constant until the force is steady, and normal forces (n,) in N."""

    speeds: Array
    normals: Array

    def force(self, law: Any) -> Array:
        """Friction force (n,) in N of ``law`` at the rows."""
        return np.asarray(steady_coefficients(law, self.speeds)[0] * self.normals)


def path_of(data: Measurement, substeps: int) -> Path | SteadyPoints:
    """Path or steady points of ``data``; InputError unless there are 1 to 1000 ``substeps`` between rows."""
    whole_number(substeps, "substeps", 1, 1000)
    if data.time is None:
        assert data.velocity is not None
        return SteadyPoints(data.velocity, data.normal_force)
    time = data.time
    parts = (np.arange(substeps) + 0.5) / substeps
    between = time[:-1, None] + np.diff(time)[:, None] * parts
    ends = np.r_[time[0], between.ravel(), time[-1]]
    dts = np.diff(ends)
    normals = np.interp(0.5 * (ends[1:] + ends[:-1]), time, data.normal_force)
    # the middle of the first and the last step does not coincide with its row
    normals[[0, -1]] = data.normal_force[[0, -1]]
    return Path(np.diff(_travelled(data, time, ends)), dts, normals, substeps)


def _travelled(data: Measurement, time: Array, ends: Array) -> Array:
    """Path (m + 1,) in m at the ends of the steps."""
    if data.displacement is not None:
        return np.asarray(Akima1DInterpolator(time, data.displacement)(ends))
    assert data.velocity is not None
    return np.asarray(Akima1DInterpolator(time, data.velocity).antiderivative()(ends))
