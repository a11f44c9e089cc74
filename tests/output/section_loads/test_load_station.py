"""Tests of load stations on user-defined beams: statics of a cantilever, names, tables, bad input."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Beam, Force, LoadStation, Material, Section
from fem_mbd.errors import InputError

LENGTH, LOAD = 4.0, np.array([300.0, 20.0, -50.0])


def cantilever() -> tuple[fm.Model, Any]:
    """A stiff beam along x, clamped at its start, with a slowly applied force at its end."""
    model = fm.Model(name="cantilever")
    section = Section.rectangle(0.2, 0.2, Material(2e11, 0.3, 1.0))
    beam = model.add(Beam(section, start=(0, 0, 0), end=(LENGTH, 0, 0), elements=4, name="arm"))
    model.fix(beam.start)
    model.add(Force(beam.end, LOAD))
    return model, beam


def test_loads_are_what_the_outer_part_exerts_on_the_inner() -> None:
    """Closed form: the force itself, and r x F with r from the station to the end."""
    model, beam = cantilever()
    model.add(LoadStation(beam, 0.25, "Arm", axes=np.eye(3)))
    found = fm.find_equilibrium(model).loads()
    moment = np.cross([0.75 * LENGTH, 0.0, 0.0], LOAD)
    for k, axis in enumerate("xyz"):
        assert found[f"ArmF{axis}"] == pytest.approx(LOAD[k], rel=1e-3)
        assert found[f"ArmM{axis}"] == pytest.approx(moment[k], rel=1e-3, abs=1e-2)


def test_axes_left_out_are_those_of_a_blades_section() -> None:
    """z along the beam, x along section axis 2, y along 3."""
    model, beam = cantilever()
    model.add(LoadStation(beam, 0.0, ("a", "b", "c", "d", "e", "f")))
    found = fm.find_equilibrium(model).loads("a", "c")
    second = beam.line.at(0.0)[1][:, 1]
    assert found == pytest.approx({"a": float(LOAD @ second), "c": LOAD[0]}, rel=1e-3)


@pytest.mark.filterwarnings("ignore::fem_mbd.runs.running.runs.NumericalDissipationWarning")
def test_tables_and_figure_of_a_run(tmp_path: Path) -> None:
    model, beam = cantilever()
    model.add(LoadStation(beam, 0.0, "Foot", axes=np.eye(3)))
    result = fm.run(fm.Simulation(model, 0.05, fm.StepControl.fixed(1e-3)))
    loads = result.loads("FootMz", after=0.01)
    assert list(loads) == ["FootMz"] and loads.time[0] > 0.01
    row = loads.table(exponents=(4.0,))[0]
    assert row["max"] == loads["FootMz"].max() and row["time of min [s]"] in loads.time
    assert row["mean"] == pytest.approx(float(loads["FootMz"].mean()), rel=0.2)
    assert row["DEL m=4 at 1 Hz"] > 0.0
    files = loads.to_csv(tmp_path / "tables")
    back = np.loadtxt(files[0], delimiter=",", skiprows=1)
    assert np.array_equal(back[:, 1], loads["FootMz"])
    assert files[1].read_text().startswith("channel,unit,min,time of min [s],max")
    assert loads.to_pandas()["FootMz [N m]"].to_list() == loads["FootMz"].tolist()
    assert loads.plot(tmp_path / "loads.png").stat().st_size > 10_000
    with pytest.raises(KeyError, match=r"no load channel 'FootMy'.*FootMz"):
        loads["FootMy"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"at": 1.2}, "from 0 to 1"),
        ({"channels": ("a", "b")}, "six different names"),
        ({"channels": "Foot"}, "'FootFx' already"),
        ({"axes": 2 * np.eye(3)}, "axes"),
        ({"at": 0.3, "turning_with": "start"}, "no node at 0.3"),
    ],
)
def test_bad_input(options: dict[str, Any], says: str) -> None:
    model, beam = cantilever()
    model.add(LoadStation(beam, 0.0, "Foot"))
    if "turning_with" in options:
        options = options | {"turning_with": beam.start}
    with pytest.raises(InputError, match=says):
        model.add(LoadStation(**({"beam": beam, "at": 0.0, "channels": "New"} | options)))


def test_a_model_without_stations_says_how_to_have_some() -> None:
    model, _ = cantilever()
    with pytest.raises(InputError, match=r"no load stations.*LoadStation\(beam"):
        fm.find_equilibrium(model).loads()
