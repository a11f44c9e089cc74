"""Every number and flag of a deck is read, named as not read, or refused; and what some of them mean.

ElastoDyn: the azimuth of blade 1 from the upright position is Azimuth - AzimB1Up; the yaw spring has no torque at
YawNeut. HydroDyn measures heights from the mean sea level, above which the still water stands by MSL2SWL.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd.elements.blades.text import as_number
from fem_mbd.machines import LeftOutWarning, Machine, assemble, controlled_turbine, read_openfast_machine
from fem_mbd.machines.readers.openfast.deck import FLAGS, Deck
from fem_mbd.machines.readers.openfast.strips import read_water
from tests.machines.openfast.openfast_files import deck

WINDPACT = Path(__file__).parent.parent / "decks" / "windpact15"
HYDRO = Path(__file__).parent / "files" / "hydro.dat"
LINE = re.compile(r"\s*(\S+)\s+([A-Za-z][\w()]*)\s+- ")


def read(folder: Path, **files: dict[str, Any]) -> Machine:
    return read_openfast_machine(deck(folder, **files))


def keywords(path: Path) -> list[str]:
    """Of the lines with a number or a flag."""
    matches = [LINE.match(line) for line in path.read_text(errors="replace").splitlines()]
    return [
        m.group(2)
        for m in matches
        if m and (as_number(m.group(1)) is not None or m.group(1).lower() in FLAGS)
    ]


@pytest.mark.filterwarnings("ignore::fem_mbd.machines.LeftOutWarning")
@pytest.mark.parametrize("name", ["nrel5mw", "windpact15"])
def test_every_line_is_read_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Looking up a keyword is seen where it happens, at the search in the file."""
    looked_up: dict[str, set[str]] = {}
    find = Deck._find

    def seen(self: Deck, keyword: str, start: int = 0) -> object:
        looked_up.setdefault(self.path.name, set()).add(keyword.lower())
        return find(self, keyword, start)

    monkeypatch.setattr(Deck, "_find", seen)
    if name == "nrel5mw":
        main = deck(tmp_path)
    else:
        shutil.copytree(WINDPACT, tmp_path / name)
        main = next((tmp_path / name).rglob("*.fst"))
    machine = read_openfast_machine(main)
    named = {
        line.split(":")[0]: {word.lower() for word in re.split(r"[\s,]+", line)} for line in machine.ignored
    }
    lines = 0
    for path in sorted(p for p in tmp_path.rglob("*.*") if p.name in looked_up):
        for word in keywords(path):
            lines += 1
            assert word.lower() in looked_up[path.name] | named.get(path.name, set()), f"{path.name}: {word}"
    assert lines > 90
    # and what is named was not read
    elasto = next(file for file in looked_up if file.endswith("ElastoDyn.dat"))
    assert not named[elasto] & looked_up[elasto]


@pytest.mark.parametrize("file", ["main", "elasto"])
def test_gravity_of_the_file(tmp_path: Path, file: str) -> None:
    assert read(tmp_path, **{file: {"Gravity": 3.7}}).gravity == 3.7


def test_azimuth_of_blade_1(tmp_path: Path) -> None:
    """Azimuth 100, AzimB1Up 30 degrees: 70 degrees from the upright position; a controller is told so."""
    machine = read(tmp_path, elasto={"Azimuth": 100.0, "AzimB1Up": 30.0, "BlPitch(2)": 4.0})
    made = controlled_turbine(machine)
    assert made.initial_azimuth == pytest.approx(np.radians(70.0), abs=1e-6)
    # the pitch of the deck is that of the model, as in modes and loads
    assert made.assembly.angles["pitch2"] == pytest.approx(np.radians(4.0))
    assert assemble(machine).angles == machine.start
    turned = controlled_turbine(machine, pitch=0.1, angles={"shaft": np.radians(20.0)})
    assert turned.initial_azimuth == pytest.approx(np.radians(90.0), abs=1e-6)
    assert turned.assembly.angles["pitch2"] == pytest.approx(0.1)


def test_torque_of_the_yaw_spring_is_named(tmp_path: Path) -> None:
    values: dict[str, dict[str, Any]] = {
        "servo": {"YawNeut": 5.0},
        "elasto": {"NacYaw": 20.0, "YawDOF": "True"},
    }
    stiffness = Deck(deck(tmp_path).parent / "NREL_5MW_ServoDyn.dat", "ServoDyn file").number("YawSpr")
    said = rf"YawNeut is 15 deg away from NacYaw: .* {stiffness * np.radians(15.0):.4g} N m"
    with pytest.warns(LeftOutWarning, match=re.escape(said).replace(r"\.\*", ".*")):
        read(tmp_path, **values)


def test_still_water_above_the_mean_sea_level(tmp_path: Path) -> None:
    """5 m more of a pile are wet."""
    file = shutil.copy(HYDRO, tmp_path)
    low, high = (read_water(Deck(file, "HydroDyn file"), 1025.0, level, []) for level in (0.0, 5.0))
    outer = np.interp(2.5, low.heights, low.outer)
    assert high.mass(0.0, 5.0) == pytest.approx(1025.0 * low.added * np.pi / 4 * outer**2 * 5.0, rel=1e-6)
    assert low.mass(0.1, 5.0) == 0.0
