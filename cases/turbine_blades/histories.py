"""Quantities of a run over time, as in the paper's figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases._run_histories import RunHistories
from fem_mbd.cases.turbine_blades.model import PLACES, Parameters
from fem_mbd.cases.turbine_blades.set_up import build_model


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run. Faces: left, right; blades: centre, left, right."""

    @cached_property
    def tips(self) -> Array:
        """(k, 3) displacement of the tips along i1, m."""
        _, blades = build_model(self.parameters)
        return np.asarray(self.result.of([blade.tip.node for blade in blades]).displacement[..., 0])

    @cached_property
    def contacts(self) -> dict[str, Array]:
        """Quantities of the points by name, (k, 2, points) or (k, 2, points, 3)."""
        points = range(1, self.parameters.points + 1)
        faces = [self.result.of([f"{name}.{n}" for n in points]) for name, _ in PLACES[1:]]
        names = ("gap", "normal_force", "friction_force", "slip_velocity", "normal")
        return {name: np.stack([face[name] for face in faces], axis=1) for name in names}

    @cached_property
    def normal_force(self) -> Array:
        """(k, 2) N, of the faces."""
        return self.contacts["normal_force"].sum(axis=2)

    @cached_property
    def friction(self) -> Array:
        """(k, 2, 3) N, of the faces, on the outer blades."""
        return self.contacts["friction_force"].sum(axis=2)

    @cached_property
    def slip(self) -> Array:
        """(k, 2, 3) m/s, mean of a face's points, of the outer blade on the centre one."""
        return self.contacts["slip_velocity"].mean(axis=2)

    @cached_property
    def power(self) -> Array:
        """(k, 2) W dissipated by friction at each face."""
        c = self.contacts
        return -np.einsum("kfpi,kfpi->kf", c["friction_force"], c["slip_velocity"])

    def envelope(self, values: Array, width: float) -> tuple[Array, Array]:
        """Middles (m,) of windows of ``width`` (s), and the largest |value| in each."""
        window = (self.time / width).astype(int)
        count = int(window[-1]) + 1
        peaks = np.zeros(count)
        np.maximum.at(peaks, window, np.abs(values))
        return width * (np.arange(count) + 0.5), peaks
