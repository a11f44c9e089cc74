"""Tests of all commands with a machine's file instead of a case."""

import json
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.cases._blades import DATA
from fem_mbd.errors import InputError
from fem_mbd.machines import MachineFamily, read_openfast_machine
from tests.applications.cli.conftest import Says
from tests.machines.hawc2.decks import DECKS
from tests.machines.hawc2.htc_files import write_machine
from tests.machines.openfast.windpact import WINDPACT

FEW = ["elements=4"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_modal_obeys_what_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    """The first frequencies of OpenFAST's linearisation at 2.6 deg of pitch, with gravity: 0.40459, 0.40751 Hz."""
    found = {}
    for settings in ((), ("gravity=true",), ("gravity=true", "pitch=90"), ("speed=2",)):
        assert main(["modal", str(WINDPACT), "--modes", "5", "--json", "--set", *FEW, *settings]) == 0
        found[settings] = json.loads(capsys.readouterr().out)
    heavy = found["gravity=true",]["frequencies_hz"]
    assert heavy[1:3] == pytest.approx([0.40459, 0.40751], rel=0.01)
    assert heavy[1] < found[()]["frequencies_hz"][1]
    assert abs(found["gravity=true", "pitch=90"]["frequencies_hz"][3] / heavy[3] - 1.0) > 0.01
    assert found["speed=2",]["speed_rad_s"] == 2.0
    assert found["speed=2",]["names"][3].endswith(("backward", "forward"))
    assert found[()]["parameters"]["file"] == str(WINDPACT)


def test_the_other_commands(capsys: pytest.CaptureFixture[str], says: Says) -> None:
    file = str(WINDPACT)
    assert main(["campbell", file, "--speeds", "0:2:2", "--modes", "3", "--no-plot", "--set", *FEW]) == 0
    assert "first tower fore-aft" in capsys.readouterr().out
    reactions = json.loads(says(["static", file, "--json", "--no-plot", "--set", *FEW]).out)["reactions"]
    assert next(iter(reactions.values()))[2] == pytest.approx(202431.8 * 9.80665, rel=1e-5)
    assert main(
        ["linearize", file, "--modes", "3", "--outputs", "tower.end.displacement[x]", "--set", *FEW]
    ) in (0, 2)
    capsys.readouterr()
    assert main(["run", file, "--set", "end_time=0.5", *FEW, "--quiet", "--no-plot", "--out", "r"]) == 0
    assert main(["loads", "r", "--channels", "TwrBsMyt", "--outb"]) == 0
    assert Path("r/loads/loads.outb").is_file()
    assert main(["plot", "r"]) == 0


def test_loads_of_a_file_are_statics(capsys: pytest.CaptureFixture[str]) -> None:
    """The weight of everything above the tower, and of the tower, against the file's masses."""
    names = ["TwrBsFzt", "YawBrFzp", "RootFzc1"]
    assert main(["loads", str(WINDPACT), "--channels", *names, "--set", *FEW]) == 0
    rows = {line.split()[0]: float(line.split()[1]) for line in capsys.readouterr().out.splitlines()[:3]}
    assert rows["TwrBsFzt"] == pytest.approx(-202431.8 * 9.81, rel=1e-3)
    assert rows["YawBrFzp"] == pytest.approx(-(202431.8 - 123046.1) * 9.81, rel=1e-3)
    assert rows["RootFzc1"] < 0.0  # blade 1 is upright
    assert Path("results/WP_Stationary_Linear-loads/loads.csv").is_file()


def test_a_hawc2_file(capsys: pytest.CaptureFixture[str]) -> None:
    file = DATA / "iea15_turbine" / "IEA_15MW_RWT_FixedSubstructure.htc"
    assert main(["modal", str(file), "--modes", "4", "--json", "--set", "radii_at=mass centre"]) == 0
    assert len(json.loads(capsys.readouterr().out)["frequencies_hz"]) == 4


def test_platforms_are_held_on_request(says: Says) -> None:
    file = DECKS / "floating" / "oc3_hywind" / "5MW_OC3Spar_DLL_WTurb_WavesIrr.fst"
    assert "platform surge" in says(["modal", str(file), "--modes", "3", "--no-plot", "--set", *FEW]).out
    assert "position of blade3" in says(["static", str(file), "--no-plot", "--set", *FEW]).out
    assert "(--set platform=held)" in says(["static", str(file), "--set", "gravity=false"], 2).err
    assert main(["modal", str(file), "--modes", "2", "--no-plot", "--set", "platform=held", *FEW]) == 0
    assert main(["import", str(file), "--no-plot", "--platform", "held"]) == 0


def test_blocks_of_hawc2_are_left_out_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], says: Says
) -> None:
    mooring = "  begin constraint;\n  begin dll;\n    dll mooring.dll;\n  end dll;\n"
    file = str(write_machine(tmp_path, "  begin constraint;\n", mooring))
    assert main(["import", file, "--no-plot"]) == 2
    assert "(command line: --leave-out dll, or of other commands" in capsys.readouterr().err
    assert "constraint 'dll'" in says(["import", file, "--no-plot", "--leave-out", "dll", "soil"]).out
    assert main(["static", file, "--no-plot", "--set", "leave_out=dll"]) == 0
    assert (
        "leave_out=hydro changes nothing"
        in says(
            [
                "static",
                str(DATA / "iea15_turbine" / "IEA_15MW_RWT_FixedSubstructure.htc"),
                "--no-plot",
                "--set",
            ]
            + ["radii_at=mass centre", "leave_out=hydro"],
            2,
        ).err
    )
    assert main(["import", str(WINDPACT), "--no-plot", "--leave-out", "dll"]) == 2
    assert "leave_out names blocks of HAWC2's files" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["modal", "campbell", "static", "run", "linearize", "loads", "import"])
def test_files_that_are_not_there(command: str, says: Says) -> None:
    assert "no.fst" in says([command, "no.fst"], 2).err


def test_parameters_that_there_are_not(says: Says) -> None:
    assert "did you mean 'pitch'" in says(["modal", str(WINDPACT), "--set", "pich=1"], 2).err


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        ("modal", "end_time=1"),
        ("static", "locked=true"),
        ("static", "shape=equilibrium"),
        ("run", "speed=1"),
        ("campbell", "speed=1"),
        ("loads", "damped=false"),
        ("modal", "wind=8"),
        ("steady", "gravity=true"),
    ],
)
def test_settings_of_other_commands_are_refused(command: str, setting: str, says: Says) -> None:
    name = setting.partition("=")[0]
    said = says([command, str(WINDPACT), "--set", setting], 2).err
    assert f"--set {name}: {command} does not read it" in said


@pytest.mark.parametrize("setting", ["platform=held", "radii_at=mass centre", "shear=0.2"])
def test_settings_that_change_nothing_of_the_machine_are_refused(setting: str, says: Says) -> None:
    """A turbine on the ground, a file without radii of gyration, a run without wind."""
    said = says(["run", str(WINDPACT), "--no-plot", "--out", "out", "--set", *FEW, setting], 2).err
    assert "changes nothing of this machine" in said or "shear is of a wind given by its speed" in said


def test_three_lines_of_python() -> None:
    machine = fm.Machine.read(WINDPACT)
    found = machine.modes(number=4, gravity=9.80665, elements=4)
    assert dict(zip(found.names, found.frequencies_hz, strict=True))["first tower fore-aft"] == pytest.approx(
        0.40459, rel=0.01
    )
    diagram = machine.campbell([0.0, 1.0], number=3, elements=4)
    assert diagram.frequencies_hz.shape == (2, 3)
    loads = machine.loads(azimuth=90.0, elements=4)
    standing = machine.loads(elements=4)
    # the blade is horizontal, and its weight bends it edgewise; there is no other load
    assert abs(loads["RootMxc1"]) > 100 * abs(standing["RootMxc1"])
    assert loads["TwrBsFzt"] == pytest.approx(standing["TwrBsFzt"], rel=1e-6)


def test_other_endings_are_refused() -> None:
    with pytest.raises(InputError, match="has an unknown ending"):
        fm.Machine.read("turbine.txt")


def test_modes_of_something_else_say_what_to_call() -> None:
    machine = read_openfast_machine(WINDPACT)
    family = MachineFamily(machine)
    for thing, call in (
        (family.at(0.0), "modes_of(linear, number)"),
        (family, "family.at(speed)"),
        (machine, "machine.modes(speed, number)"),
        (np.zeros(3), "it with the model that it belongs to"),
    ):
        with pytest.raises(InputError) as caught:
            fm.modes(thing)  # type: ignore[arg-type]
        assert call in str(caught.value)
