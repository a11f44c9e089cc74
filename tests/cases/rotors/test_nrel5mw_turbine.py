"""Tests of the NREL 5 MW turbine case: checks of a short run in free rotation, Campbell tracks by name."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import InputError, run
from fem_mbd.cases import nrel5mw_turbine
from fem_mbd.cases.nrel5mw_turbine import Parameters


@pytest.mark.slow
def test_a_short_run_passes_its_checks(tmp_path: Path) -> None:
    p = Parameters(end_time=0.1)
    result = run(nrel5mw_turbine.build(p))
    made = nrel5mw_turbine.checks(result, p)
    assert len(made) == 4 + len(nrel5mw_turbine.TABLE_9_1) and all(check.passed for check in made), made
    assert [path.name for path in nrel5mw_turbine.plot(result, p, tmp_path)] == ["turbine.png"]


def test_campbell_tracks_split_about_the_rotor_s_speed() -> None:
    found = nrel5mw_turbine.family(Parameters(blades="beamdyn")).campbell([0.0, 1.267], number=9)
    names = list(found.names)
    edge = [found.frequencies_hz[:, names.index(f"first edge {s}")] for s in ("backward", "forward")]
    assert edge[1][1] - edge[0][1] == pytest.approx(2 * 1.267 / (2 * np.pi), rel=0.02)


def test_a_locked_generator_is_for_standstill() -> None:
    with pytest.raises(InputError, match="shaft is locked"):
        nrel5mw_turbine.family(Parameters(locked=True)).at(0.5)
