"""`fem-mbd campbell FILE --winds`: the modes of Python, refusals."""

import json

import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.cases._blades import DATA

DECK = str(DATA / "nrel5mw" / "NREL_5MW.fst")


def test_modes_over_the_wind(capsys: pytest.CaptureFixture[str]) -> None:
    given = [
        DECK,
        "--winds",
        "8:10:2",
        "--modes",
        "4",
        "--json",
        "--no-plot",
        "--set",
        "speed=0.95",
        "elements=3",
    ]
    assert main(["campbell", *given]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["winds_m_s"] == [8.0, 10.0]
    assert "first tower fore-aft" in data["names"]
    fore_aft = data["names"].index("first tower fore-aft")
    # the rotor's thrust damps the tower: 0.2 % without wind
    assert all(0.03 < row[fore_aft] < 0.12 for row in data["damping_ratios"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--winds", "8:10:2"], "give the rotor's speed"),
        (["--frozen-wake"], "belong to --winds"),
        (["--winds", "8:10:2", "--speeds", "0:1:2", "--set", "speed=0.95"], "goes without --speeds"),
    ],
)
def test_refusals(given: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["campbell", DECK, *given]) == 2
    assert message in capsys.readouterr().err
