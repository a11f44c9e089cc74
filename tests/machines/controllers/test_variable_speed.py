"""Controllers of decks: DTU's constants and DISCON.IN files read, operating points, runs at rated power, refusals."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from fem_mbd import InputError, Result
from fem_mbd.applications.cli.main import main
from fem_mbd.cases import _machine_file
from fem_mbd.machines import DisconFile, Machine, PitchActuator, Ratings, VariableSpeed, with_elements
from fem_mbd.machines.controllers.variable_speed import VariableSpeedController
from fem_mbd.machines.steady import SteadyFinder, operation_at, read_operation

FOLDER = Path(__file__).parents[3] / "cases" / "_data" / "iea15_turbine"
DECKS = Path(__file__).parents[1] / "decks"
IEA15 = FOLDER / "IEA_15MW_RWT_FixedSubstructure.htc"
RPM = np.pi / 30.0
POWER, EFFICIENCY, SPEED = 15e6, 0.9655, 0.792  # W, generator_servo, rad/s: constants of the file


def machine() -> Machine:
    return Machine.read(IEA15, radii_at="mass centre")


def test_constants_of_the_dtu_controller() -> None:
    found = machine().controller
    assert isinstance(found, VariableSpeed)
    assert found.ratings.gain * EFFICIENCY == pytest.approx(0.302217e8)  # electrical torque in the file
    assert found.ratings.rated_torque * SPEED * EFFICIENCY == pytest.approx(POWER)
    assert found.schedule == pytest.approx((np.radians(11.95434), np.radians(1.0) ** 2 * 720.25183))
    assert found.actuator.rate == pytest.approx(np.radians(2.0))


def test_table_of_least_pitch() -> None:
    """The IEA 22 MW turbine's, up to 11 m/s the pitch of its .opt file, and filters in revolutions at rated speed."""
    deck = DECKS / "iea22" / "iea22_controlled.htc"
    controller = Machine.read(deck, radii_at="elastic centre").controller
    assert isinstance(controller, VariableSpeed)
    for wind, pitch, _ in np.loadtxt(DECKS / "iea22" / "iea_22mw_rwt.opt")[:9]:
        assert controller.ratings.least_pitch_at(wind) == pytest.approx(np.radians(pitch), rel=1e-9)
    assert controller.ratings.least_pitch_at(60.0) == 0.0
    assert controller.wind == "hub"
    assert controller.wind_filter == pytest.approx(2.0 * 2.0 * np.pi / 0.739436)
    assert controller.ratings.rated_torque * 0.739436 * 0.953 == pytest.approx(22e6)


def test_wind_over_the_rotor(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "deck")
    text = (folder / IEA15.name).read_text()
    hub = "wind free_wind 1 0.0 0.0 -150 "
    (folder / IEA15.name).write_text(text.replace(hub, "aero wsp_rotor_avg 2 1;", 1))
    controller = Machine.read(folder / IEA15.name, radii_at="mass centre").controller
    assert hub in text
    assert isinstance(controller, VariableSpeed)
    assert controller.wind == "rotor"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("winds and pitch\n3 0\n", "number of rows: entry 1"),
        ("1.5 rows\n3 0\n", "begin with the number of rows"),
        ("2 rows\n3.0 0.0\n3.0 1.0\n", "have to ascend"),
        ("3 rows\n3.0 0.0\n4.0 1.0\n", "ends before wind"),
        ("2 rows\n3.0 0.0\n4.0 abc\n", "no number"),
    ],
)
def test_damaged_table(tmp_path: Path, text: str, says: str) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "deck")
    (folder / "wpdata.100").write_text(text)
    with pytest.raises(InputError, match=says):
        Machine.read(folder / IEA15.name, radii_at="mass centre")


def test_missing_table_is_listed(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "deck", ignore=shutil.ignore_patterns("wpdata.*"))
    without = Machine.read(folder / IEA15.name, radii_at="mass centre")
    assert any("wpdata.100" in remark for remark in without.ignored)


class Turbine:
    """A turbine of one blade with the speed that a test sets."""

    pitch, gearbox = ("pitch1",), 1.0

    def __init__(self, speed: float, pitch: float) -> None:
        self.speed, self.time, self.inputs = speed, 0.0, {"pitch1": pitch}

    def rotor_speed(self, sim: Any) -> float:
        return self.speed


RATINGS = Ratings(
    2e6, 0.4, 0.8, 1.5e6, np.array([[5.0, -0.02], [10.0, 0.01], [12.0, 0.09]]), open_limits=0.95
)


def test_least_pitch_follows_the_filtered_wind() -> None:
    """A step of the wind through a filter of first order; below rated speed the pitch is the least one."""
    parameters = VariableSpeed(
        RATINGS, torque_gains=(1e7, 1e6), pitch_gains=(1.0, 0.1), wind_filter=8.0, schedule_filter=4.0
    )
    interval, turbine = 0.1, Turbine(0.6, 0.01)
    law = VariableSpeedController(
        parameters, cast(Any, turbine), interval, lambda time: 10.0 if time == 0.0 else 11.0
    )
    for k in range(200):
        turbine.time = k * interval
        turbine.inputs |= {"pitch1": law(cast(Any, turbine))["pitch1"]}
        assert turbine.inputs["pitch1"] == pytest.approx(0.01 + 0.04 * (1.0 - np.exp(-turbine.time / 8.0)))


@pytest.mark.parametrize(
    ("speed", "low", "high"),
    [
        (0.4, 0.0, 2e6 * 0.4**2),
        (0.5, 5e5, 5e5),
        (0.7, 9.8e5, 9.8e5),
        (0.8, 2e6 * (0.9 * 0.8) ** 2, 1.5e6),
    ],
)
def test_limits_of_the_torque(speed: float, low: float, high: float) -> None:
    """With large gains the torque is at a limit: the upper one above the set-point, the lower one below."""
    parameters = VariableSpeed(RATINGS, torque_gains=(1e20, 0.0), pitch_gains=(0.0, 0.0), low_pass=(1e6, 0.7))
    for error, limit in ((-1e-9, low), (1e-9, high)):
        turbine = Turbine(speed + error, 0.01)
        law = VariableSpeedController(parameters, cast(Any, turbine), 0.1, lambda time: 10.0)
        torque = law(cast(Any, turbine))["generator torque"]
        assert torque == pytest.approx(limit, rel=1e-6, abs=1e-3)


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
    assert partial.pitch == pytest.approx(np.radians(0.000535))  # of its table of least pitch
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
    gain = 0.302217e8 / EFFICIENCY
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
    gains: dict[str, Any] = {"torque_gains": (1.0, 1.0), "pitch_gains": (1.0, 1.0)}
    with pytest.raises(InputError, match="least_pitch"):
        VariableSpeed(replace(RATINGS, least_pitch=np.array([[5.0, 0.0], [4.0, 0.0]])), **gains)
    with pytest.raises(InputError, match="open_limits"):
        VariableSpeed(replace(RATINGS, open_limits=0.6), **gains)
    with pytest.raises(InputError, match="'hub' or 'rotor'"):
        VariableSpeed(RATINGS, wind="nacelle", **gains)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="wind_filter"):
        VariableSpeed(RATINGS, wind_filter=-1.0, **gains)
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
