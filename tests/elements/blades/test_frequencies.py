"""Frequencies of the published blades against a solution of the differential equations, without elements.

Small vibrations of a curved and twisted beam with full section matrices, at rest: with t the tangent, all vectors in
blade axes, C and M the 6 x 6 matrices in these axes,

    (u', theta') = (theta x t, 0) + C^-1 (F, M)        (F', M') = (0, F x t) - omega^2 M (u, theta)

u = theta = 0 at the root and F = M = 0 at the tip. The six solutions with unit forces at the root are integrated to the
tip by a fourth-order Runge-Kutta scheme; at a natural frequency a combination of them has no force there. Only the
tables and the axis from the readers are shared with the beam elements.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd.cases
from fem_mbd import Model, modes
from fem_mbd.core.rotations import skew
from fem_mbd.elements.blades import Blade, read_beamdyn, read_hawc2

DATA = Path(fem_mbd.cases.__file__).parent / "_data"


@cache
def published(name: str) -> Blade:
    if name == "nrel":
        return read_beamdyn(DATA / "nrel5mw" / "bd_primary_nrel_5mw.inp")
    if name == "iea beamdyn":
        return read_beamdyn(DATA / "iea15" / "IEA-15-240-RWT_BeamDyn.dat")
    folder = DATA / "iea15"
    return read_hawc2(
        folder / "IEA_15MW_RWT_Blade_st_FPM.st",
        DATA / "iea15_turbine" / "IEA_15MW_RWT_WTG_bodies_noFPM.htc",
        "blade1",
        radii_at="mass centre",
    )


class Shooting:
    """The forces at the tip as a function of omega."""

    def __init__(self, blade: Blade, finest: float = 0.25):
        edges = np.unique(np.concatenate([blade.axis.bounds, blade.sections.s])) * blade.length
        counts = np.ceil(np.diff(edges) / finest).astype(int)
        pieces = [
            np.linspace(a, b, n, endpoint=False)
            for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
        ends = np.append(np.concatenate(pieces), blade.length)
        self.step = np.diff(ends)
        places = np.concatenate([ends, 0.5 * (ends[1:] + ends[:-1])]) / blade.length
        at_rest, inertia = zip(*(self._matrices(blade, float(s)) for s in places), strict=True)
        self.count = len(ends)
        self.at_rest, self.inertia = np.array(at_rest), np.array(inertia)

    @staticmethod
    def _matrices(blade: Blade, s: float) -> tuple[np.ndarray, np.ndarray]:
        _, rotation = blade.axis.at(s)
        section, both = blade.sections(s), np.kron(np.eye(2), rotation)
        at_rest, inertia = np.zeros((12, 12)), np.zeros((12, 12))
        at_rest[:3, 3:6] = -skew(rotation[:, 0])
        at_rest[:6, 6:] = both @ np.linalg.inv(section.stiffness) @ both.T
        at_rest[9:, 6:9] = -skew(rotation[:, 0])
        inertia[6:, :6] = -both @ section.mass_matrix @ both.T
        return at_rest, inertia

    def __call__(self, omega: float) -> float:
        a = self.at_rest + omega**2 * self.inertia
        h = self.step[:, None, None]
        start, end, middle = a[: self.count - 1], a[1 : self.count], a[self.count :]
        unit = np.eye(12)
        k1 = start
        k2 = middle @ (unit + 0.5 * h * k1)
        k3 = middle @ (unit + 0.5 * h * k2)
        k4 = end @ (unit + h * k3)
        carried = np.concatenate([np.zeros((6, 6)), np.eye(6)])
        for one in unit + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4):
            carried = one @ carried
        left = carried[6:] / np.abs(carried[6:]).max(axis=0)
        return float(np.linalg.det(left))


@pytest.mark.parametrize("name", ["nrel", "iea beamdyn", "iea hawc2"])
def test_first_eight_frequencies(name: str) -> None:
    """One root of the determinant within 5e-4 of each frequency, elements two to a station."""
    blade = published(name)
    stations = blade.sections.s
    bounds = np.sort(np.concatenate([stations, 0.5 * (stations[1:] + stations[:-1])]))
    model = Model()
    blade.add_to(model, elements=bounds)
    found = 2 * np.pi * modes(model, 8, undamped=True).frequencies_hz
    left = Shooting(blade)
    roots = [brentq(left, (1 - 5e-4) * omega, (1 + 5e-4) * omega, xtol=1e-9 * omega) for omega in found]
    assert found == pytest.approx(roots, rel=1e-4)
