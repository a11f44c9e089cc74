"""A deep circular arch, clamped at one end and hinged at the other, that buckles sideways under a load on its crown.

D. A. Da Deppo and R. Schmidt, Instability of clamped-hinged circular arches subjected to a point load, Journal of
Applied Mechanics 42 (1975) 894-896: the arch of 215 degrees carries 8.97 EI/R^2 (inextensible). R = 100, EI = 1e6, EA =
GA = 1e8 as in J. C. Simo and L. Vu-Quoc, Computer Methods in Applied Mechanics and Engineering 58 (1986) 79-116, whose
40 elements gave 905.28. LIMIT and CURVE are from the boundary value problem of the same rod by shooting (integration to
1e-11), for a given displacement of the crown, without beam code.
"""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd import EquilibriumWarning, Model, find_equilibrium
from fem_mbd.elements import Arc, Beam, Force, Section
from fem_mbd.joints import Revolute
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

RADIUS, HALF = 100.0, np.radians(107.5)
LIMIT, LIMIT_DROP = 897.28913, 113.731
# way down of the crown: load
CURVE = {
    10: 223.120183, 20: 348.491771, 40: 497.553748, 60: 607.491784, 80: 715.088418, 100: 832.725434, 110: 887.940380,
    116: 890.155589,
}  # fmt: skip


def arch(load: float, elements: int) -> tuple[Model, int]:
    """The arch and its crown; twenty times as stiff out of its plane."""
    foot = np.array([-RADIUS * np.sin(HALF), 0, 0])
    tangent, inwards = (np.cos(HALF), np.sin(HALF), 0), (np.sin(HALF), -np.cos(HALF), 0)
    part = Section(np.diag([1e8, 1e8, 1e8, 2e7, 2e7, 1e6]), 1.0, np.diag([2.0, 1.0, 1.0]))
    model = Model()
    beam = model.add(Beam(part, line=Arc(foot, tangent, inwards, RADIUS, 2 * HALF), elements=elements))
    model.add(Revolute(model.ground, beam.start, axis=(0, 0, 1), at=foot))
    model.fix(beam.end)
    crown = beam.nodes[len(beam.nodes) // 2]
    model.add(Force(crown, (0, -load, 0)))
    return model, crown.index


def solve() -> Solution:
    """24 elements; the path by arc length to a load beyond the limit that it never reaches on this side."""
    model, crown = arch(1.0, 24)
    height = RADIUS * (1 - np.cos(HALF))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EquilibriumWarning)
        path = find_equilibrium(
            model, 1000.0, arc_length=True, load_steps=40, stop=lambda _, x: x[crown, 1] < height - 116.5
        ).path
    drop = height - np.array([places[crown, 1] for places in path.positions])
    found = numbers("", "", {"limit load": LIMIT}, path.limits, 0.02)
    found += numbers("", "", {"limit load, Da Deppo & Schmidt": 897.0}, path.limits, 0.5)
    shape = path.positions[int(np.argmax(path.load_factors))]
    crowns = np.array(list(CURVE))
    return Solution(
        found,
        [
            Picture(
                "way down of the crown",
                "load",
                [ours(drop, path.load_factors), reference(crowns, list(CURVE.values()))],
            ),
            Picture(
                "x",
                "y",
                [ours(shape[1:, 0], shape[1:, 1], "at the limit"), ours(*_start(model), "unloaded")],
                equal=True,
            ),
        ],
    )


def _start(model: Model) -> tuple[np.ndarray, np.ndarray]:
    places = np.array([node.position for node in model.nodes[1:]])
    return places[:, 0], places[:, 1]


PROBLEM = Problem(
    name="deep_arch",
    title="Deep arch, clamped and hinged, to its limit load",
    group="Stability",
    source="Da Deppo & Schmidt 1975; Simo & Vu-Quoc 1986",
    reference="published limit load; boundary value problem by shooting",
    solve=solve,
)


def shoot(drop: float, guess: tuple[float, float, float, float]) -> float:
    """The load for a way down of the crown; guess: angle, forces along x and y at the hinge and load, these in 100."""

    def half(start: np.ndarray, fx: float, fy: float) -> np.ndarray:
        def slope(_: float, y: np.ndarray) -> list[float]:
            c, s = np.cos(y[2]), np.sin(y[2])
            stretch, shear = 1 + (fx * c + fy * s) / 1e8, (fy * c - fx * s) / 1e8
            x, z = stretch * c - shear * s, stretch * s + shear * c
            return [x, z, y[3] / 1e6 - 1 / RADIUS, z * fx - x * fy]

        found = solve_ivp(slope, (0, RADIUS * HALF), start, method="DOP853", rtol=1e-11, atol=1e-11)
        return np.asarray(found.y[:, -1])

    def miss(w: np.ndarray) -> np.ndarray:
        crown = half(np.array([0, 0, w[0], 0]), 100 * w[1], 100 * w[2])
        x, y, angle, _ = half(crown, 100 * w[1], 100 * (w[2] + w[3]))
        height = RADIUS * (1 - np.cos(HALF)) - drop
        return np.array(
            [x / RADIUS - 2 * np.sin(HALF), y / RADIUS, angle + HALF, (crown[1] - height) / RADIUS]
        )

    w = np.array(guess)
    for _ in range(8):
        slope = np.transpose([(miss(w + e) - miss(w - e)) / 2e-4 for e in 1e-4 * np.eye(4)])
        w = w - np.linalg.solve(slope, miss(w))
    assert np.abs(miss(w)).max() < 1e-9
    return float(100 * w[3])


def test_table_by_shooting() -> None:
    """Integration from the hinge to the clamp, Newton on what misses there: one row of the table."""
    assert shoot(60, (3.07, -0.27, -3.96, 6.07)) == pytest.approx(CURVE[60], rel=1e-8)


def test_loads_along_the_path() -> None:
    """Equilibria at the loads of the table: the crown is where shooting had put it."""
    model, crown = arch(1.0, 16)
    height = RADIUS * (1 - np.cos(HALF))
    found = None
    for drop, load in list(CURVE.items())[:6]:
        found = find_equilibrium(model, load, load_steps=4, start=found)
        assert abs(height - found.outputs["position"][crown, 1] - drop) < 0.02
