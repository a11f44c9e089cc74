"""Runs as components of OpenMDAO: partial derivatives by its own check, an optimum in closed form, failed runs."""

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.gradients.openmdao_component import import_openmdao
from fem_mbd.elements import PointMass, SpringDamper
from fem_mbd.errors import InputError


@pytest.fixture(scope="module")
def om() -> Any:
    """Not imported with this file, which all processes of a test run read."""
    return import_openmdao()


def _oscillator(values: Mapping[str, float]) -> fm.Simulation:
    """x = x_0 cos(omega t), omega = sqrt(k/m)."""
    model = fm.Model()
    mass = model.add(PointMass(1.0, position=(1.1, 0, 0), name="mass"))
    model.add(SpringDamper(model.ground.at((0, 0, 0)), mass, values["stiffness"], 0.0, length=1.0))
    return fm.Simulation(model, 1.0, fm.StepControl.fixed(0.01))


def _problem(om: Any) -> Any:
    problem = om.Problem(reports=False)
    component = fm.to_openmdao(
        _oscillator,
        {"end": "final(mass.position[0])"},
        {"stiffness": 8.0},
        units={"stiffness": "N/m", "end": "m"},
    )
    problem.model.add_subsystem("run", component, promotes=["*"])
    return problem


def test_partial_derivatives(om: Any) -> None:
    problem = _problem(om)
    problem.setup()
    problem.run_model()
    exact = 1.0 + 0.1 * np.cos(np.sqrt(8.0))
    assert problem.get_val("end", units="mm").item() == pytest.approx(1e3 * exact, rel=1e-6)
    slope = problem.compute_totals(of=["end"], wrt=["stiffness"])["end", "stiffness"].item()
    assert slope == pytest.approx(-0.1 * np.sin(np.sqrt(8.0)) / (2.0 * np.sqrt(8.0)), rel=1e-4)
    checked = problem.check_partials(out_stream=None, method="fd", form="central", step=1e-4)
    entry = checked["run"]["end", "stiffness"]
    assert np.asarray(entry["J_fwd"]).item() == pytest.approx(np.asarray(entry["J_fd"]).item(), rel=1e-6)


def test_an_optimum_has_its_closed_form(om: Any) -> None:
    """The mass is at its lowest after 1 s where half a period takes 1 s: k = pi^2 m."""
    problem = _problem(om)
    problem.driver = om.ScipyOptimizeDriver(optimizer="SLSQP", tol=1e-12, disp=False)
    problem.model.add_design_var("stiffness", lower=5.0, upper=15.0)
    problem.model.add_objective("end", ref=1e-2)
    problem.setup()
    problem.run_driver()
    assert problem.get_val("stiffness").item() == pytest.approx(np.pi**2, rel=1e-4)


def test_a_run_that_fails_is_openmdaos_error(om: Any) -> None:
    problem = _problem(om)
    problem.setup()
    problem.set_val("stiffness", -1.0)
    with pytest.raises(om.AnalysisError, match="stiffness"):
        problem.run_model()


@pytest.mark.usefixtures("om")
def test_names_and_units() -> None:
    with pytest.raises(InputError, match="identifier"):
        fm.to_openmdao(
            _oscillator, {"final(mass.position[0])": "final(mass.position[0])"}, {"stiffness": 8.0}
        )
    with pytest.raises(InputError, match="units of mass"):
        fm.to_openmdao(
            _oscillator, {"end": "final(mass.position[0])"}, {"stiffness": 8.0}, units={"mass": "kg"}
        )


def test_a_closed_pipe_is_pythons_error_after_the_import() -> None:
    """And not PETSc's signal handler, which ends the program."""
    script = """
import os
from fem_mbd.applications.gradients.openmdao_component import import_openmdao
import_openmdao()
read, write = os.pipe()
os.close(read)
try:
    os.write(write, b"x")
except BrokenPipeError:
    print("as in Python")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "as in Python\n", done.stderr
