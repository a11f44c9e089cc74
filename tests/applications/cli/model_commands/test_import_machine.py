"""Tests of `fem-mbd import`: table, JSON, picture, bad input."""

import json
from pathlib import Path

import pytest

from fem_mbd.applications.cli.reports import BAD_INPUT
from fem_mbd.cases._blades import DATA
from tests.applications.cli.conftest import Says
from tests.machines.hawc2.htc_files import write_machine


def test_import_tells_what_was_read(tmp_path: Path, says: Says) -> None:
    file = write_machine(tmp_path)
    text = says(["import", str(file), "--out", str(tmp_path / "out")]).out
    assert "tower" in text and "pitch3" in text and "block 'wind'" in text
    assert (tmp_path / "out" / "machine.png").stat().st_size > 10_000


def test_import_as_json(tmp_path: Path, says: Says) -> None:
    data = json.loads(says(["import", str(write_machine(tmp_path)), "--json"]).out)
    # tower and shaft 200 kg/m over 20 and 3 m, three blades of 22.5 kg/m over 8 m, the shaft's lump
    assert data["mass_kg"] == pytest.approx(200 * 23 + 3 * 22.5 * 8 + 1000, rel=1e-9)
    assert [m["name"] for m in data["members"]] == ["tower", "shaft", "blade1", "blade2", "blade3"]
    assert data["members"][0]["end"] == pytest.approx([0, 0, 22], abs=1e-9)
    assert data["links"][1] == {"name": "rot", "kind": "free", "first": "tower", "second": "shaft"}
    assert data["figures"] == []


def test_import_of_openfast_files(tmp_path: Path, says: Says) -> None:
    data = json.loads(says(["import", str(DATA / "nrel5mw" / "NREL_5MW.fst"), "--json"]).out)
    assert [m["name"] for m in data["members"]][:3] == ["tower", "nacelle", "shaft"]
    assert data["members"][2]["end"] == pytest.approx([-5.0, 0.0, 90.0], abs=1e-3)


def test_bad_files(tmp_path: Path, says: Says) -> None:
    assert ".htc" in says(["import", str(tmp_path / "machine.txt")], BAD_INPUT).err
    assert "cannot be read" in says(["import", str(tmp_path / "no.htc")], BAD_INPUT).err
