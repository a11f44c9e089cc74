"""Tests of load channels and damage-equivalent loads as outputs of sweeps."""

import warnings

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import InputError, Result
from fem_mbd.applications.sweeps.outputs import check_outputs, evaluate, quantities_of, read_output, unit_of
from fem_mbd.elements import LoadStation
from fem_mbd.output.section_loads.fatigue import damage_equivalent_load
from fem_mbd.runs.running.runs import NumericalDissipationWarning
from tests.output.section_loads.test_load_station import cantilever


@pytest.fixture(scope="module")
def result() -> Result:
    model, beam = cantilever()
    model.add(LoadStation(beam, 0.0, "Foot", axes=np.eye(3)))
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", NumericalDissipationWarning
        )  # its vibrations are not what this is about
        return fm.run(fm.Simulation(model, 0.05, fm.StepControl.fixed(1e-3)))


def test_channels_and_damage_are_those_of_the_result(result: Result) -> None:
    texts = {"top": "max(loads.FootMz)", "fatigue": "del(loads.FootMz, m=4, after=0.01)"}
    texts["tip"] = f"del({result.model['nodes'][-1]['name']}.position[2], m=3)"
    found = evaluate({k: read_output(k, v) for k, v in texts.items()}, result, result.summary)
    loads = result.loads("FootMz", after=0.01)
    assert found["top"] == result.loads("FootMz")["FootMz"].max()
    duration = float(loads.time[-1] - loads.time[0])
    assert found["fatigue"] == damage_equivalent_load(loads["FootMz"], duration, 4.0)
    assert found["fatigue"] == pytest.approx(loads.table(exponents=(4.0,))[0]["DEL m=4 at 1 Hz"], rel=1e-14)
    assert found["tip"] > 0.0


def test_channels_have_units_and_are_checked_beforehand(result: Result) -> None:
    quantities = quantities_of(lambda: result.model)
    read = check_outputs({"x": "del(loads.FootMz, m=10)"}, quantities)
    assert unit_of(read["x"], quantities) == "N m"
    for text, says in {
        "max(loads.FootMy2)": "did you mean 'FootMy'",
        "del(loads.FootMz)": "del needs m=NUMBER",
        "poincare(loads.FootMz, period=1)": "scalar history",
        "max(loads.FootMz[0])": "no component",
    }.items():
        with pytest.raises(InputError, match=says):
            check_outputs({"x": text}, quantities)


def test_sections_of_beams_at_a_place(result: Result) -> None:
    """A cantilever's section forces as from its view; positions and components are checked beforehand."""
    beam = cantilever()[1].name
    quantities = quantities_of(lambda: result.model)
    texts = {
        "root": f"max({beam}.section_force(0)[5])",
        "shear": f"final({beam}.section_force(0)[1])",
        "curvature": f"rms({beam}.section_strain(0.25)[4], after=0.01)",
        "tip": f"final({beam}.position(1)[2])",
    }
    read = check_outputs(texts, quantities)
    assert [unit_of(output, quantities) for output in read.values()] == ["N m", "N", "1/m", "m"]
    found = evaluate(read, result, result.summary)
    view = result.of(beam)
    assert found["root"] == view.section_force(0.0)[:, 5].max()
    assert found["shear"] == view.section_force(0.0)[-1, 1]
    assert found["tip"] == pytest.approx(view.position()[-1, -1, 2])
    for text, says in {
        f"max({beam}.section_force)": "write .*section_force\\(0.5\\)",
        f"max({beam}.section_force(1.5)[0])": "fraction of its length, 0 to 1",
        f"max({beam}.section_force(0.5)[6])": "6 components",
        f"max({beam}.section_forces(0.5))": "did you mean 'section_force'",
        f"max({beam}.force[0])": "at several places",
        "max(loads.FootMz(0.5))": "no component or position",
    }.items():
        with pytest.raises(InputError, match=says):
            check_outputs({"x": text}, quantities)


def test_a_model_without_channels_says_so() -> None:
    quantities = quantities_of(lambda: {"name": "bare", "nodes": []})
    with pytest.raises(InputError, match="model 'bare' has no load stations"):
        check_outputs({"x": "max(loads.RootMyb1)"}, quantities)
