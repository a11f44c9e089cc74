"""Tests of FMUs: description by FMI's schema, steps equal to a run's, saved and serialised states, bad input."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cosimulation.plant import structured_names
from fem_mbd.applications.cosimulation.slave import powers
from fem_mbd.cases import load_case

STEP, END = 5e-3, 0.1
INPUTS = ["--inputs", "hinge.torque"]
OUTPUTS = ["--outputs", "hinge.angle", "hinge.angular_velocity[2]", "tip=rod.position(1.0)"]


@pytest.fixture(scope="module")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pendulum with a torque at its hinge."""
    file = tmp_path_factory.mktemp("fmu") / "swing.fmu"
    options = ["--set", "angle=30", f"end_time={END}", "--step", str(STEP), "--out", str(file)]
    assert main(["fmu", "pendulum", *options, *INPUTS, *OUTPUTS]) == 0
    return file


@contextmanager
def slave(file: Path) -> Iterator[tuple[Any, dict[str, int]]]:
    """The FMU in its initial state, as in an importing program, and its variables' references."""
    description, folder = fmpy.read_model_description(file), fmpy.extract(file)
    made = FMU3Slave(
        guid=description.guid, unzipDirectory=folder, instanceName="one",
        modelIdentifier=description.coSimulation.modelIdentifier,
    )  # fmt: skip
    made.instantiate()
    made.enterInitializationMode(startTime=0.0)
    made.exitInitializationMode()
    yield made, {v.name: v.valueReference for v in description.modelVariables}
    made.terminate()
    made.freeInstance()
    shutil.rmtree(folder)


def torque(t: float) -> float:
    return 2.0 * np.sin(30.0 * t)


def stepped(made: Any, names: dict[str, int], first: int, last: int) -> np.ndarray:
    """(steps, 3) angle, speed and height of the tip after each step, with the torque constant over the step."""
    rows = []
    for n in range(first, last):
        made.setFloat64([names["hinge.torque"]], [torque(n * STEP)])
        made.doStep(n * STEP, STEP)
        rows.append(
            made.getFloat64([names[k] for k in ("hinge.angle", "hinge.angular_velocity[2]", "tip[2]")])
        )
    return np.array(rows)


def test_description_is_valid_and_has_units(fmu: Path) -> None:
    assert validate_fmu(str(fmu)) == []
    description = fmpy.read_model_description(fmu)
    found = {v.name: (v.causality, v.unit) for v in description.modelVariables}
    assert found["hinge.torque"] == ("input", "N m")
    assert found["hinge.angle"] == ("output", "rad")
    assert found["hinge.angular_velocity[2]"] == ("output", "rad/s")
    assert found["tip[0]"] == found["tip[1]"] == found["tip[2]"] == ("output", "m")
    units = {unit.name: unit.baseUnit for unit in description.unitDefinitions}
    assert (units["N m"].kg, units["N m"].m, units["N m"].s) == (1, 2, -2)
    can = description.coSimulation
    assert can.canGetAndSetFMUstate
    assert can.canSerializeFMUstate
    assert can.canHandleVariableCommunicationStepSize
    assert description.defaultExperiment.stopTime == END
    assert float(description.defaultExperiment.stepSize) == STEP


def test_it_steps_as_a_run_with_the_same_torque(fmu: Path) -> None:
    """The torque as a function of time that is constant over each interval."""
    case = load_case("pendulum")
    sim = case.build(case.parameters(angle=30.0, end_time=END))
    assert isinstance(sim, fm.Simulation)
    model = sim.system.model
    rod = next(node for node in model.nodes if node.name == "rod.0")
    times = STEP * np.arange(round(END / STEP) + 1)
    table = fm.time_functions.Table(times, [torque(t) for t in times], kind="step")
    model.add(fm.elements.JointTorque(model.ground, rod, (0, 1, 0), table))
    result = fm.simulate(model, END, sim.control, progress=False)
    with slave(fmu) as (made, names):
        rows = stepped(made, names, 0, len(times) - 1)
    assert rows[:, 0] == pytest.approx(result.of("hinge").angle, abs=1e-12)
    assert rows[:, 1] == pytest.approx(result.of("hinge").angular_velocity[:, 2], abs=1e-11)
    assert rows[:, 2] == pytest.approx(result.of("rod").position(at=1.0)[:, 2], abs=1e-12)


def test_states_are_restored_and_serialised_to_the_bit(fmu: Path) -> None:
    with slave(fmu) as (made, names):
        stepped(made, names, 0, 5)
        state = made.getFMUState()
        data = made.serializeFMUState(state)
        once = stepped(made, names, 5, 12)
        made.setFMUState(state)
        assert np.array_equal(stepped(made, names, 5, 12), once)
        made.freeFMUState(state)
    with slave(fmu) as (other, names):
        state = other.deserializeFMUState(data)
        other.setFMUState(state)
        assert np.array_equal(stepped(other, names, 5, 12), once)


HANGING = """
from dataclasses import dataclass

import fem_mbd as fm
from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute

@dataclass(frozen=True)
class Parameters:
    mass: float = parameter(2.0, "kg", "of the body that hangs")

def build(p):
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(p.mass, (0.1, 0.1, 0.1), (0, 0, -0.5), name="body"))
    model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    return fm.Simulation(model, 0.1, fm.StepControl.fixed(5e-3))

CASE = Case("hanging", "a body that hangs", Parameters, build, lambda *_: [], lambda *_: [])
"""


def test_first_output_is_the_reaction_at_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that hangs at rest: its weight, before the first step and after."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hanging").mkdir()
    (tmp_path / "hanging" / "__init__.py").write_text(HANGING)
    file = tmp_path / "hanging.fmu"
    options = ["--inputs", "hinge.torque", "--outputs", "pull=hinge.reaction.force[2]", "--out", str(file)]
    assert main(["fmu", "./hanging", *options, "--step", "5e-3"]) == 0
    with slave(file) as (made, names):
        pulls = [made.getFloat64([names["pull"]])[0]]
        for n in range(3):
            made.doStep(n * STEP, STEP)
            pulls.append(made.getFloat64([names["pull"]])[0])
    assert pulls == pytest.approx([2.0 * 9.81] * 4, rel=1e-9)


def test_a_study_in_a_folder_goes_into_the_fmu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine"]) == 0
    file = tmp_path / "mine.fmu"
    chosen = ["--inputs", "mass.force[2]", "--outputs", "drop=mass.position[2]"]
    assert main(["fmu", "./mine", *chosen, "--out", str(file)]) == 0
    shutil.rmtree(tmp_path / "mine")
    assert validate_fmu(str(file)) == []
    with slave(file) as (made, names):
        made.setFloat64([names["mass.force[2]"]], [50.0])
        heights = [made.getFloat64([names["drop"]])[0]]
        for n in range(3):
            made.doStep(n * 1e-2, 1e-2)
            heights.append(made.getFloat64([names["drop"]])[0])
    assert np.all(np.diff(heights) > 0.0)


def test_a_step_that_fails_is_told(fmu: Path) -> None:
    with slave(fmu) as (made, names):
        made.setFloat64([names["hinge.torque"]], [float("nan")])
        with pytest.raises(Exception, match="fmi3DoStep failed"):
            made.doStep(0.0, STEP)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--inputs", "hing.torque", "--outputs", "hinge.angle"], "no joint 'hing'; did you mean 'hinge'"),
        (["--inputs", "torque", "--outputs", "hinge.angle"], "the model has no input of that name"),
        (["--inputs", "hinge.torque[1]", "--outputs", "hinge.angle"], "JOINT.torque, BODY.force"),
        (["--inputs", "rot.force[2]", "--outputs", "hinge.angle"], "no body or node of that name"),
        (["--outputs", "hinge.angl"], "did you mean 'angle'"),
        (["--outputs", "hinge"], "not a path of a quantity"),
        (["--outputs", "hinge.angle", "hinge.angle"], "the name 'hinge.angle' is used already"),
        (["--outputs", "rod.position"], "is an array of shape"),
        (["--outputs", "hinge.angle", "--out", "x.zip"], "ends in .fmu"),
        (["--outputs", "hinge.angle", "--step", "0"], "must be above zero"),
    ],
)
def test_bad_input_is_named(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["fmu", "pendulum", *options]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_units_in_powers_of_base_units() -> None:
    assert powers("N m/rad") == {"kg": 1, "m": 2, "s": -2, "rad": -1}
    assert powers("m/s^2") == {"m": 1, "s": -2}
    assert powers("1/m") == {"m": -1}
    assert powers("furlong") is None


def test_names_that_the_convention_allows() -> None:
    found = structured_names(["wheel hub.angle", "arm.force(0.5)[4]", "1st.x"])
    assert list(found.values()) == ["wheel_hub.angle", "arm.force_0_5[4]", "_1st.x"]
    with pytest.raises(fm.InputError, match="another variable of the FMU"):
        structured_names(["a b.x", "a-b.x"])
