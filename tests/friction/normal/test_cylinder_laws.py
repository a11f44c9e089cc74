"""Cylinder laws: the implicit equation as printed, its solution from small forces to the end of range, beyond."""

from collections.abc import Callable
from decimal import Decimal, getcontext

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from fem_mbd.errors import InputError
from fem_mbd.friction import CylinderLaw, Goldsmith, Johnson, LankaraniNikravesh
from fem_mbd.friction.normal.dispatch import normal_force, normal_potential
from tests.friction.law_calls import BEARING, CYLINDERS, STEEL

getcontext().prec = 40
OUTER, INNER, LENGTH = 5e-3, 4.5e-3, 15e-3
H = 2 * (1 - 0.3**2) / 207e9  # sum of (1 - nu^2)/E
PI = np.pi


def radzimovsky(f: float) -> float:
    b = 1.6 * np.sqrt(f / LENGTH * H * OUTER * INNER / (OUTER - INNER))
    return f * H / (PI * LENGTH) * (2 / 3 + np.log(4 * OUTER / b) + np.log(4 * INNER / b))


def dubowsky(f: float, m: int) -> float:
    s = H / PI
    return f * s / LENGTH * (np.log(LENGTH**m * (OUTER - INNER) / (f * OUTER * INNER * s)) + 1)


PRINTED: dict[str, Callable[[float], float]] = {
    "Johnson": lambda f: f * H / (PI * LENGTH) * (np.log(4 * PI * (OUTER - INNER) * LENGTH / (f * H)) - 1),
    "Radzimovsky": radzimovsky,
    "DubowskyFreudenstein": lambda f: dubowsky(f, 3),
    "Goldsmith": lambda f: dubowsky(f, 1),
    "Esdu78035": lambda f: f * H / (PI * LENGTH) * (np.log(4 * LENGTH * (OUTER - INNER) / (f * H / PI)) + 1),
}


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.parametrize("force", [1e-9, 1.0, 1e3, 2e4, 3e5])
def test_force_solves_the_printed_equation(name: str, force: float) -> None:
    record = CYLINDERS[name].record()[()]
    depth = PRINTED[name](force)
    assert 0 < depth < CYLINDERS[name].deepest
    assert normal_force(record, -depth, -depth, 1e-4)[0] == pytest.approx(force, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("name", PRINTED)
def test_where_the_logarithm_ends(name: str) -> None:
    """The printed indentation has a largest value, at F = B/e: no force belongs to a larger one."""
    law = CYLINDERS[name]
    top = minimize_scalar(
        lambda x: -PRINTED[name](np.exp(x)), bracket=(np.log(1e-3 * law.scale), np.log(law.scale))
    )
    assert np.exp(top.x) == pytest.approx(law.scale / np.e, rel=1e-6)
    assert -top.fun == pytest.approx(law.compliance * law.scale / np.e, rel=1e-12, abs=0.0)
    assert 0.8 * -top.fun < law.deepest < -top.fun


def test_johnson_from_the_half_width_of_hertz() -> None:
    """Johnson, Contact Mechanics, eq. 4.43 and section 5.6: each body gives F/(pi E L) (1 - nu**2) (2 ln(4R/a) - 1)."""
    for force in (10.0, 1e3, 1e5):
        a = np.sqrt(4 * force / LENGTH * OUTER * INNER / (OUTER - INNER) * H / PI)
        parts = (force / LENGTH * (H / 2) / PI * (2 * np.log(4 * r / a) - 1) for r in (OUTER, INNER))
        assert sum(parts) == pytest.approx(PRINTED["Johnson"](force), rel=1e-13, abs=0.0)


@pytest.mark.parametrize("depth", [1e-280, 1e-100, 1e-20, 1e-9, 1e-5, 1e-4])
def test_force_in_forty_digits(depth: float) -> None:
    """Residual of a F ln(B/F) = d in decimal arithmetic, as a relative error of F."""
    law = Johnson(*BEARING)
    force = normal_force(law.record()[()], -depth, -depth, 1e-4)[0]
    a, b, f = Decimal(law.compliance), Decimal(law.scale), Decimal(float(force))
    slope = a * ((b / f).ln() - 1)
    assert abs((a * f * (b / f).ln() - Decimal(depth)) / (slope * f)) < 1e-14


@pytest.mark.parametrize("name", CYLINDERS)
def test_beyond_its_end_the_force_follows_the_tangent(name: str) -> None:
    law: CylinderLaw = CYLINDERS[name]
    record, end = law.record()[()], law.deepest

    def force(depth: float) -> float:
        return float(normal_force(record, -depth, -depth, 1e-4)[0])

    slope = (force(1.5 * end) - force(1.2 * end)) / (0.3 * end)
    assert slope == pytest.approx((force(1000 * end) - force(end)) / (999 * end), rel=1e-12)
    assert force(end * (1 + 1e-9)) == pytest.approx(force(end * (1 - 1e-9)), rel=1e-8)
    assert slope == pytest.approx((force(end) - force(end * (1 - 1e-6))) / (1e-6 * end), rel=1e-5)


@pytest.mark.parametrize("name", CYLINDERS)
@pytest.mark.parametrize("ends", [(0.3, 0.9), (0.999, 1.001), (0.2, 3.0), (1.5, 1.5000001), (2.0, 5.0)])
def test_work_across_the_end(name: str, ends: tuple[float, float]) -> None:
    law = CYLINDERS[name]
    record = law.record()[()]
    q_i, q_f = (-law.deepest * x for x in ends)
    for a, b in ((q_i, q_f), (q_f, q_i)):
        work = normal_force(record, a, b, 1e-4)[1] * (a - b)
        change = normal_potential(record, b) - normal_potential(record, a)
        assert work == pytest.approx(change, abs=1e-13 * normal_potential(record, q_f))
        h = 1e-6 * law.deepest
        slope = (normal_force(record, a, b + h, 1e-4)[0] - normal_force(record, a, b - h, 1e-4)[0]) / (2 * h)
        assert normal_force(record, a, b + 1e-30j, 1e-4)[0].imag / 1e-30 == pytest.approx(slope, rel=1e-4)


def test_bad_cylinders() -> None:
    with pytest.raises(
        InputError, match=r"Johnson: radius_l = 0\.005 m does not fit into radius_k = 0\.005 m"
    ):
        Johnson(5e-3, 5e-3, 0.01, STEEL, STEEL)
    with pytest.raises(InputError, match="Goldsmith length is 0: it must be above zero"):
        Goldsmith(5e-3, 4e-3, 0.0, STEEL, STEEL)


def test_damped_cylinder_warns_at_the_end_of_its_range() -> None:
    law = Johnson(*BEARING)
    assert LankaraniNikravesh(law, 0.9).deepest == law.deepest
    assert law.speed_limit == pytest.approx(1e-5 * np.sqrt(207e9 / 7850))
