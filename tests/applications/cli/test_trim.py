"""`fem-mbd trim`: a case's rotor at one state of flight, a range, and what is refused."""

import json

import pytest

from fem_mbd.applications.cli.main import main


@pytest.mark.slow
def test_trim_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trim", "articulated_rotor", "--set", "advance=0.1", "thrust=15000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["trims"][0]
    assert found["loads"]["thrust"] == pytest.approx(15000.0, rel=1e-5)
    assert found["loads"]["longitudinal_flapping"] == pytest.approx(0.0, abs=1e-6)
    harmonics = [row[2] for row in found["hub_harmonics"]]
    assert harmonics[0] == pytest.approx(15000.0, rel=1e-3)
    # the first section's bending carries the blade beyond it: its range holds its mean
    sections = found["section_loads"]
    assert (sections["beam"], len(sections["at"])) == ("blade1", 2)
    for least, mean, largest in sections["loads"]:
        assert all(a < b < c for a, b, c in zip(least, mean, largest, strict=True))
    # the hub of four equal blades feels their force at multiples of four only
    assert max(harmonics[k] for k in (1, 2, 3, 5, 6, 7)) < 0.05 * harmonics[4]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["trim", "pendulum"], "has no rotor to trim"),
        (["trim", "articulated_rotor", "--over", "advanse=0:1:2"], "no parameter 'advanse'"),
        (["trim", "articulated_rotor", "--over", "advance=0:1"], "write it as advance=0:0.3:7"),
    ],
)
def test_what_is_refused(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert text in capsys.readouterr().err
