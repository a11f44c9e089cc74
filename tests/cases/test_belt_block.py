"""The block on a belt: closed form of stick and slip, LuGre against an independent integration, bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd.cases.belt_block import CASE, Parameters
from fem_mbd.cases.belt_block.laws import LAWS
from fem_mbd.cases.belt_block.results import Block
from fem_mbd.errors import InputError
from fem_mbd.friction import ActiveLawWarning
from fem_mbd.results import Result
from fem_mbd.run import run

ACTIVE = "ignore:LuGre of contact:fem_mbd.friction.ActiveLawWarning"  # bristle damping of the source
pytestmark = pytest.mark.filterwarnings(ACTIVE)
QUANTITIES = ("position", "contact")


def done(p: Parameters) -> Result:
    return run(CASE.build(p), progress=False, quantities=QUANTITIES)


def test_checks_and_figures(tmp_path: Path) -> None:
    p = Parameters(law="coulomb+stiction+liang", dt=5e-3)
    result = done(p)
    checks = CASE.checks(result, p)
    assert len(checks) >= 8 and all(c.passed for c in checks), [c for c in checks if not c.passed]
    assert len(CASE.plot(result, p, tmp_path)) == 6


def test_lugre_against_an_independent_integration() -> None:
    """The source's equations in one dimension, forces in N, by an implicit multistep method."""
    p = Parameters(law="lugre", dt=2e-3, end_time=12.0)
    block = Block(done(p), p, "lugre")

    def rates(_: float, y: np.ndarray) -> list[float]:
        x, v, z = y
        slip = v - p.belt_speed
        g = p.weight * (p.mu_k + (p.mu_s - p.mu_k) * np.exp(-((slip / p.v_s) ** 2)))
        dz = slip - p.sigma_0 * abs(slip) * z / g
        force = p.sigma_0 * z + p.sigma_1 * dz + p.viscosity * slip
        return [v, (-p.stiffness * x - force) / p.mass, dz]

    reference = solve_ivp(
        rates, (0.0, p.end_time), [0.0, p.belt_speed, 0.0], method="BDF", rtol=1e-8, atol=1e-11, max_step=2e-3,
        t_eval=block.time,
    )  # fmt: skip
    assert reference.success and reference.y[0].max() > 0.7
    assert np.abs(block.position - reference.y[0]).max() < 2e-3


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"law": "lugr"}, "no law 'lugr'.*lugre"),
        ({"mass": 0.0}, "mass is 0.0"),
        ({"dt": -1.0}, "dt is -1.0"),
        ({"mu_s": 0.05}, "mu_s is 0.05"),
    ],
)
def test_bad_parameters(changed: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CASE.build(Parameters(**changed))  # type: ignore[arg-type]


def test_every_law_can_be_built() -> None:
    p = Parameters(law="all")
    assert CASE.build(p) is not None and all(entry.make(p) is not None for entry in LAWS.values())


def test_a_run_says_where_the_law_may_give_energy_away() -> None:
    with pytest.warns(ActiveLawWarning, match="LuGre of contact .* faster than 0.014 m/s"):
        CASE.build(Parameters(law="lugre"))
