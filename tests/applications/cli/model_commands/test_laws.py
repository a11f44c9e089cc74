"""Tests of `fem-mbd laws`: text, JSON, figures, errors."""

import json
from pathlib import Path

import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.friction.probes.feature_probes import FEATURES
from fem_mbd.friction.probes.gallery import CONTACT_ENTRIES as CONTACT, ENTRIES


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["laws", *arguments]) == 0
    return capsys.readouterr().out


def test_table_as_text_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys).splitlines()
    found = json.loads(printed(capsys, "--json"))["friction"]
    assert list(found) == [entry.name for entry in ENTRIES]
    for entry, line in zip(ENTRIES, lines[1:], strict=False):
        features = found[entry.name]
        assert tuple(features) == FEATURES
        assert line.startswith(entry.name)
        assert line.removeprefix(entry.name).split() == ["yes" if features[f] else "-" for f in FEATURES]
        assert len(line) == len(lines[0])


def test_contact_laws_are_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys)
    found = json.loads(printed(capsys, "--json"))["contact"]
    assert list(found) == [entry.name for entry in CONTACT]
    (line,) = [line for line in text.splitlines() if line.startswith("Flores ")]
    assert line.split()[1:] == ["0.8939", "0.8939", "0.8939", "0.4704", "0", "-", "0.0514", "-"]
    assert found["Flores"]["restitution_for"]["0.5"] == pytest.approx(0.4704, abs=1e-4)
    text = printed(capsys, "johnson")
    assert (
        "radius_k                                 0.0051  m" in text
        and "d = a F [ln(4 pi E* L dR / F) - 1]" in text
    )
    assert json.loads(printed(capsys, "Hertz", "--json"))["Hertz"]["deepest_m"] is None


def test_one_law_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "karnopp")
    for expected in (
        "Karnopp, J. Dynamic Systems",
        "D_v",
        "0.001  m/s",
        "sticks, stiction",
        "mu_s at most while v < D_v",
    ):
        assert expected in text
    found = json.loads(printed(capsys, "BlimanSorine", "--json"))
    assert list(found) == ["BlimanSorine 1", "BlimanSorine 2"]
    assert found["BlimanSorine 2"]["parameters"]["eps_f"] == {
        "value": 1e-5,
        "unit": "m",
        "meaning": "path of the slow part",
        "range": "above 0",
    }
    assert (
        found["BlimanSorine 2"]["features"]["stiction"]
        and not found["BlimanSorine 1"]["features"]["stiction"]
    )


def test_figures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    printed(capsys, "leuven original", "--plot", str(tmp_path / "new" / "folder"))
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["Leuven_original.png"]
    printed(capsys, "blimansorine", "--plot", str(tmp_path))
    assert {path.name for path in tmp_path.glob("*.png")} == {"BlimanSorine_1.png", "BlimanSorine_2.png"}
    printed(capsys, "flores", "--plot", str(tmp_path))
    assert (tmp_path / "Flores.png").exists()
    assert all(path.stat().st_size > 10_000 for path in tmp_path.glob("*.png"))


def test_unknown_law(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["laws", "Karnop"]) == 2
    assert "there is no friction or contact law 'Karnop': did you mean 'Karnopp'?" in capsys.readouterr().err
