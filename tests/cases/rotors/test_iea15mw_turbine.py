"""Tests of the IEA 15 MW turbine case: checks of a short run in free rotation, bad parameters."""

from pathlib import Path

import pytest

from fem_mbd import find_equilibrium, run
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.cases import iea15mw_turbine
from fem_mbd.cases.iea15mw_turbine import Parameters


@pytest.mark.slow
def test_a_free_rotor_keeps_its_speed_and_the_checks_pass(tmp_path: Path) -> None:
    p = Parameters(end_time=0.25)
    result = run(iea15mw_turbine.build(p))
    made = iea15mw_turbine.checks(result, p)
    assert len(made) == 12 and all(check.passed for check in made), made
    assert [path.name for path in iea15mw_turbine.plot(result, p, tmp_path)] == ["turbine.png"]


def test_the_ground_carries_the_turbine_s_weight() -> None:
    made = iea15mw_turbine.turbine(Parameters(gravity=True), locked=True)
    reaction = find_equilibrium(made.model, load_steps=2).reactions["tower.0"]
    weight = 9.81 * sum(lump.mass for lump in made.model.inertia)
    assert reaction[:3] == pytest.approx([0, 0, weight], rel=1e-8, abs=1e-3 * weight)
    # the overhanging rotor and nacelle pull the tower upwind, about -y
    assert reaction[4] == pytest.approx(weight * 3.745, rel=0.1)


def test_gravity_lowers_the_tower_s_frequencies_and_leaves_the_shaft_free() -> None:
    """The weight of rotor and nacelle compresses the tower: 2.3 % in an independent computation from the same files."""
    with_weight, without = (iea15mw_turbine.family(Parameters(gravity=g)) for g in (True, False))
    found = [modes_of(family.at(0.5), 3) for family in (with_weight, without)]
    assert found[0].frequencies_hz[0] == 0.0 and str(found[0].damping_ratios[0]) == "0.0"
    lower = 1.0 - found[0].frequencies_hz[1:] / found[1].frequencies_hz[1:]
    assert lower == pytest.approx([0.023, 0.023], abs=1.5e-3)
