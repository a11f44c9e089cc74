"""Colours of blades by airflow: values at Gauss points against those of the result, ranges, files with a colour."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import InputError, Result, StepControl, simulate
from fem_mbd.aerodynamics import Wind
from fem_mbd.aerodynamics.blade import cosine_stations
from fem_mbd.output.animation.surfaces import SectionColours
from tests.aerodynamics.test_rotor_loads import LENGTH, rotor
from tests.output.animation.test_scene import numbers

BLADES, STATIONS, COLUMNS = 2, 12, 3


@pytest.fixture(scope="module")
def result() -> Result:
    model, _ = rotor(Wind([[0.0, 8.0], [0.2, 11.0]]), blades=BLADES)
    return simulate(model, 0.3, StepControl.fixed(0.05), progress=False)


def test_blades_are_coloured_by_what_the_result_has_at_their_stations(result: Result) -> None:
    scene = result.animate().scene
    sections = {s["title"]: s for s in scene["sections"] if s["output"] == "airflow"}
    assert {name: s["unit"] for name, s in sections.items()} == {
        "thrust": "N/m", "angle_of_attack": "deg", "speed": "m/s",
    }  # fmt: skip
    rows = sections["speed"]["rows"]
    data = numbers(sections["speed"]["data"], len(scene["times"]), rows, COLUMNS)
    at = cosine_stations(STATIONS, 0.0, LENGTH)[0]
    for k in range(BLADES):
        flow, gauss = result.of(f"rotor loads, blade{k}"), LENGTH * result.of(f"blade{k}").gauss_at
        own = [tube for tube in scene["tubes"] if tube["name"] == f"blade{k}"]
        first = own[0]["rows"]["airflow"]
        assert own[1]["rows"]["airflow"] == first + len(gauss) // 2
        for column, values in enumerate((flow.thrust, np.degrees(flow.angle_of_attack), flow.speed)):
            expected = np.array([np.interp(gauss, at, one) for one in values])
            np.testing.assert_allclose(data[1:, first : first + len(gauss), column], expected, rtol=2e-6)
    # the range is that of the outer part; the beam's own forces keep their colours
    outer = data.reshape(len(data), BLADES, -1, COLUMNS)[:, :, 1:]
    assert sections["thrust"]["high"] == pytest.approx(outer[..., 0].max(), rel=1e-6)
    assert sections["speed"]["low"] == pytest.approx(outer[..., 2].min(), rel=1e-6)
    assert "M2" in {s["title"] for s in scene["sections"]}


def test_a_file_with_that_colour(result: Result, tmp_path: Path) -> None:
    animation = result.animate()
    assert animation.save(tmp_path / "rotor.glb", colour="thrust", at=0.2).exists()
    colours = SectionColours(animation.scene, "thrust", 0.2)
    tip = [tube for tube in animation.scene["tubes"] if tube["name"] == "blade0"][-1]
    found = colours.of_rings(tip)
    assert found is not None and np.ptp(found, axis=0).max() > 0.1
    with pytest.raises(InputError, match="angle_of_attack"):
        animation.save(tmp_path / "rotor.glb", colour="angle_of_atack")
