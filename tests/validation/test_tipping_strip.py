"""Lateral-torsional buckling of a strip clamped on edge, with a load at its tip.

L. Prandtl, Kipperscheinungen, dissertation, Munich 1899; A. G. M. Michell, Philosophical Magazine 48 (1899) 298-309; S.
P. Timoshenko and J. M. Gere, Theory of Elastic Stability, 2nd ed. (1961), section 6.3. If the bending stiffness in the
plane of the load is much larger than the other one, the twist phi obeys phi'' + P^2 (L - x)^2/(EI GJ) phi = 0, so phi =
sqrt(L - x) J_{-1/4}(P (L - x)^2/(2 sqrt(EI GJ))) and P = 2 z sqrt(EI GJ)/L^2 with z the first zero of J_{-1/4}.

Linear buckling about the straight strip neglects the prebuckling deflection, for any stiffness in the plane.
"""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import jv

from fem_mbd import buckling
from fem_mbd.elements import Force
from tests.validation.cantilevers import clamped, section
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

COEFFICIENT = 4.012599344
LENGTH, EI = 1.3, 2.0
RATIOS = (0.3, 0.7, 1.5)  # GJ/EI


def solve() -> Solution:
    """Six elements; the coefficient P L^2/sqrt(EI GJ) for several ratios of stiffness, and the shape of the last."""
    found, curves = [], []
    for ratio in RATIOS:
        model, beam = clamped(section(1e7, 1e7, ratio * EI, EI, 1e3 * EI), LENGTH, elements=6)
        model.add(Force(beam.end, (0, 1.0, 0)))
        result = buckling(model, 2)
        # up and down are alike
        loads = np.abs(result.load_factors) * LENGTH**2 / (EI * np.sqrt(ratio))
        at = f"GJ/EI = {ratio:g}, P L²/√(EI GJ) "
        found += numbers(
            at, "", {"upwards": COEFFICIENT, "downwards": COEFFICIENT}, loads, 1e-5 * COEFFICIENT
        )
        nodes = [node.index for node in beam.nodes]
        twist = result.shapes[0][nodes, 3]
        twist = twist / twist[-1]
        x = np.array([node.position[0] for node in beam.nodes]) / LENGTH
        found += numbers(at, "", {"largest error of the shape": 0.0}, [np.abs(twist - _twist(x)).max()], 2e-5)
        curves = [ours(x, twist), reference(x[::2], _twist(x[::2]), "Bessel function")]
    return Solution(found, [Picture("x/L", "twist over that of the tip", curves)])


def _twist(x: np.ndarray) -> np.ndarray:
    """Closed form of the twist, one at the tip; x (n,) from 0 to 1."""
    rest = np.maximum(1 - x, 1e-12)
    phi = np.sqrt(rest) * jv(-0.25, 0.5 * COEFFICIENT * rest**2)
    return np.asarray(phi / (np.sqrt(1e-12) * jv(-0.25, 0.5 * COEFFICIENT * 1e-24)))


PROBLEM = Problem(
    name="tipping_strip",
    title="Tipping of a cantilever strip: shapes and several stiffnesses",
    group="Stability",
    source="Prandtl 1899; Michell 1899; Timoshenko & Gere 1961",
    reference="zero of a Bessel function",
    solve=solve,
)


def test_coefficient() -> None:
    assert 2 * brentq(lambda z: jv(-0.25, z), 1.9, 2.1) == pytest.approx(COEFFICIENT, abs=1e-9)
