"""ROSCO leads the NREL 5 MW turbine in its region of constant tip speed ratio, where it demands K times speed squared.

ROSCO brings some eighty packages, so it is not among those of the tests: `pip install --no-deps rosco` is enough here.
"""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.cases import nrel5mw_turbine
from fem_mbd.elements import Moment
from fem_mbd.machines import BladedController, controlled_turbine

GEARBOX, GAIN = 97.0, 2.31055  # VS_Rgn2K of ROSCO's input, N m/(rad/s)^2
DECK = Path(__file__).parents[3] / "cases" / "_data" / "nrel5mw" / "NREL_5MW.fst"
TORQUE, STEP = 2e6, 0.05  # N m of the rotor; s


@pytest.mark.slow
@pytest.mark.skipif(find_spec("rosco") is None, reason="pip install --no-deps rosco")
def test_rosco_holds_the_steady_speed_of_its_torque_law(tmp_path: Path) -> None:
    """K N (N w)^2 = T."""
    found = find_spec("rosco")
    assert found is not None
    assert found.origin is not None
    place = Path(found.origin).parents[1]
    for name in ("DISCON.IN", "Cp_Ct_Cq.NREL5MW.txt"):
        shutil.copy(place / "Examples/Test_Cases/NREL-5MW" / name, tmp_path)
    text = (tmp_path / "DISCON.IN").read_text()
    text, changed = re.subn(r"^2 +(?=! VS_ControlMode)", "1 ", text, flags=re.MULTILINE)
    assert changed == 1
    (tmp_path / "DISCON.IN").write_text(text)

    steady = np.sqrt(TORQUE / (GAIN * GEARBOX**3))
    machine = nrel5mw_turbine.machine(nrel5mw_turbine.Parameters().blades)
    made = controlled_turbine(machine, GEARBOX, speed=float(steady))
    hub, axis = made.assembly.rotor.hub, made.assembly.rotor.axis
    made.model.add(Moment(hub, hub.rotation.T @ axis * TORQUE, follower=True))
    sim = fm.Simulation(made.model, 30.0, fm.StepControl.fixed(STEP))
    library, infile, outname = place / "rosco/lib/libdiscon.so", tmp_path / "DISCON.IN", str(tmp_path / "out")
    with BladedController(
        library, made, STEP, infile=infile, outname=outname, wind=lambda t: 8.0
    ) as controller:
        result = fm.run(fm.Controlled(sim, controller, STEP), progress=False)
    assert result.status == "complete", result.reason
    speed = result.of(made.shaft).angular_velocity[:, 2]
    # drivetrain and blades are at rest at first and swing, as the torques begin to twist and bend them
    late = speed[result.time > 15.0]
    assert late.mean() == pytest.approx(steady, rel=1e-3)
    assert sim.inputs["generator torque"] == pytest.approx(GAIN * (GEARBOX * steady) ** 2, rel=5e-3)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("rosco") is None, reason="pip install --no-deps rosco")
def test_openfast_deck_runs_in_wind_at_rated_power(tmp_path: Path) -> None:
    """NREL 5 MW at 14 m/s: 12.1 rev/min and 5.297 MW at the shaft (NREL/TP-500-38060, table 1-1 and section 7)."""
    found = find_spec("rosco")
    assert found is not None
    assert found.origin is not None
    place = Path(found.origin).parents[1] / "Examples/Test_Cases/NREL-5MW"
    for name in ("DISCON.IN", "Cp_Ct_Cq.NREL5MW.txt"):
        shutil.copy(place / name, tmp_path)
    words = [
        "run",
        str(DECK),
        "--wind",
        "14",
        "--out",
        str(tmp_path / "run"),
        "--quiet",
        "--no-plot",
        "--set",
    ]
    words += [f"controller={tmp_path / 'DISCON.IN'}", "elements=6", "end_time=40", "dt=0.1"]
    assert main(words) == 0
    result = fm.Result.open(tmp_path / "run" / "results.h5")
    late = result.output_time > 25.0
    loads = result.loads("RtSpeed", "RotTorq")
    assert loads["RtSpeed"][late].mean() == pytest.approx(12.1, rel=0.01)
    power = loads["RotTorq"][late] * loads["RtSpeed"][late] * np.pi / 30.0
    assert power.mean() == pytest.approx(5.297e6, rel=0.015)
