"""Controllers of decks: DTU's constants and DISCON.IN files read, operating points, runs at rated power, refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Result
from fem_mbd.applications.cli.main import main
from fem_mbd.cases import _machine_file
from fem_mbd.machines import DisconFile, Machine, PitchActuator, Ratings, VariableSpeed, with_elements
from fem_mbd.machines.steady import SteadyFinder, operation_at, read_operation

FOLDER = Path(__file__).parents[3] / "cases" / "_data" / "iea15_turbine"
IEA15 = FOLDER / "IEA_15MW_RWT_FixedSubstructure.htc"
RPM = np.pi / 30.0
POWER, EFFICIENCY, SPEED = 15e6, 0.9655, 0.792  # W, generator_servo, rad/s: constants of the file


def machine() -> Machine:
    return Machine.read(IEA15, radii_at="mass centre")


def test_constants_of_the_dtu_controller() -> None:
    found = machine().controller
    assert isinstance(found, VariableSpeed)
    assert found.ratings.gain == 0.302217e8
    assert found.ratings.rated_torque * SPEED * EFFICIENCY == pytest.approx(POWER)
    assert found.schedule == pytest.approx((np.radians(11.95434), np.radians(1.0) ** 2 * 720.25183))
    assert found.actuator.rate == pytest.approx(np.radians(2.0))


def test_states_against_hawcstab2() -> None:
    """Thrust and power of HAWCStab2 at its pitch and speed, 9 and 13 m/s: IEA_15MW_RWT_Onshore.opt."""
    table = read_operation(FOLDER / "IEA_15MW_RWT_Onshore.opt")
    rows = np.loadtxt(FOLDER / "IEA_15MW_RWT_Onshore.opt", skiprows=1)
    finder = SteadyFinder(with_elements(machine(), 12))
    for wind in (9.0, 13.0):
        k = int(np.flatnonzero(table[:, 0] == wind)[0])
        state = finder.at(*table[k])
        assert state.thrust / 1e3 == pytest.approx(rows[k, 4], rel=0.015)
        assert state.power / 1e3 == pytest.approx(rows[k, 3], rel=0.02)


def test_operating_points() -> None:
    """In partial load the torque is K times speed squared, in full load the rated one; the run keeps both."""
    found, finder = machine().controller, SteadyFinder(with_elements(machine(), 6))
    assert isinstance(found, VariableSpeed)
    partial, full = (operation_at(finder, found.ratings, wind) for wind in (8.0, 14.0))
    assert partial.pitch == 0.0
    assert partial.torque == pytest.approx(found.ratings.gain * partial.speed**2, rel=1e-4)
    assert full.speed == SPEED
    assert full.power == pytest.approx(POWER / EFFICIENCY, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("wind", [8.0, 14.0])
def test_run_stays_at_the_operating_point(tmp_path: Path, wind: float) -> None:
    """Without weight; the shaft is tilted by 6 deg, so that speed and torque are those of a slightly skewed flow."""
    given = ["radii_at=mass centre", "elements=6", "gravity=no", "end_time=40", "dt=0.1"]
    words = [
        "run",
        str(IEA15),
        "--wind",
        str(wind),
        "--out",
        str(tmp_path),
        "--quiet",
        "--no-plot",
        "--set",
        *given,
    ]
    assert main(words) == 0
    result = Result.open(tmp_path / "results.h5")
    late = result.output_time > 25.0
    speed = result.of("shaft_rot").angular_velocity[late, 2]
    torque = result.loads("RotTorq")["RotTorq"][late]
    gain = 0.302217e8
    if wind < 10.0:
        assert torque.mean() == pytest.approx(gain * speed.mean() ** 2, rel=0.02)
    else:
        assert speed.mean() == pytest.approx(SPEED, rel=2e-3)
        assert (speed * torque).mean() == pytest.approx(POWER / EFFICIENCY, rel=5e-3)


def test_discon_file(tmp_path: Path) -> None:
    file = tmp_path / "DISCON.IN"
    file.write_text(
        "! a comment\n97.0 ! WE_GearboxRatio - ratio\n122.9 ! PC_RefSpd - rad/s\n43093.55 ! VS_RtTq - N m\n"
        "2.31 ! VS_Rgn2K - gain\n70.16 ! VS_MinOMSpd - rad/s\n0.01 ! PC_FinePit - rad\n0.1 0.2 ! PC_GS_angles - list\n"
    )
    found = DisconFile(file).ratings
    assert found.rated_speed == pytest.approx(122.9 / 97.0)
    assert found.rated_torque == pytest.approx(43093.55 * 97.0)
    assert found.gain == pytest.approx(2.31 * 97.0**3)
    with pytest.raises(InputError, match="VS_Missing"):
        DisconFile(file).number("VS_Missing")


def test_refusals(tmp_path: Path) -> None:
    ratings = Ratings(1e6, 0.8, 0.5, 1e6)
    with pytest.raises(InputError, match="not below the rated one"):
        VariableSpeed(ratings, torque_gains=(1.0, 1.0), pitch_gains=(1.0, 1.0))
    with pytest.raises(InputError, match="smaller limit first"):
        PitchActuator(1.0, 0.5)
    parameters = _machine_file.machine_case(IEA15).parameters
    common: dict[str, Any] = {"radii_at": "mass centre", "elements": 4}
    refused: list[tuple[dict[str, Any], str]] = [
        ({"controller": "none"}, "runs in the wind"),
        ({"wind": "8", "controller": str(tmp_path / "none.IN")}, "does not exist"),
        ({"wind": "8", "library": "lib.so"}, "for a controller's file"),
    ]
    for given, says in refused:
        with pytest.raises(InputError, match=says):
            _machine_file.build(parameters(**common, **given))
