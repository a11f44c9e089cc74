"""Tests of dynamic relaxation: documented reduction factors, and errors."""

import numpy as np
import pytest

from fem_mbd import InputError, Model, Node, SolverFailure, relax
from fem_mbd.core.model.time_functions import Ramp
from fem_mbd.elements import Beam, BeamHandle, Force, PointMass, Section, SpringDamper
from tests.core.scheme_tools import simulation

ALONG = np.array([1.0, 0.0, 0.0])
STIFF = Section(np.diag([1e4, 1e4, 1e4, 1.0, 1.0, 1.0]), 1.0, 1e-4 * np.diag([2.0, 1.0, 1.0]))


def mass_on_spring(stiffness: float = 100.0) -> tuple[Model, Node]:
    """1 kg at the end of a spring of 1 m along x; with 100 N/m omega = 10 rad/s."""
    model = Model()
    mass = model.add(PointMass(1.0, position=(1, 0, 0))).node
    model.add(SpringDamper(model.ground, mass, stiffness=stiffness))
    return model, mass


def test_equilibrium_does_not_depend_on_the_path() -> None:
    for end_time, steps in ((6.0, 10), (1.0, 2), (50.0, 3)):
        model, mass = mass_on_spring()
        model.add(Force(mass, 20.0 * ALONG * Ramp(0.0, end_time)))
        sim = relax(model, end_time, steps=steps)
        assert sim.outputs()["position"][mass.index] == pytest.approx([1.2, 0, 0], abs=1e-10)
        assert sim.state.v == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("g", [18.0, 1.0, -0.5])
def test_stiffness_from_stress_at_infinite_steps(g: float) -> None:
    """The factor g/(2 + g): a mass between two springs in line, whose force F makes the stiffness 2 F/L across them.

    A third spring across them has stiffness 1 N/m from strain, so g = 2 F/(1 m)/(1 N/m).
    """
    model = Model()
    mass = model.add(PointMass(1.0, position=(0, 1e-6, 0))).node
    for end, stiffness, length in (
        ((-1, 0, 0), 1e3, 1 - 0.5e-3 * g),
        ((1, 0, 0), 1e3, 1 - 0.5e-3 * g),
        ((0, 1, 0), 1.0, 1.0),
    ):
        model.add(SpringDamper(model.ground.at_global(end), mass, stiffness=stiffness, length=length))
    sim = simulation(model, 1e4, 1e5)
    next(sim.steps())
    assert sim.state.u[mass.index, 1] / 1e-6 == pytest.approx(g / (2 + g), rel=1e-4)


def column(load: float) -> tuple[Model, BeamHandle]:
    """EI = L = 1, clamped: buckles at pi^2/4."""
    model = Model()
    beam = model.add(Beam(STIFF, (0, 0, 0), (1, 0, 0), elements=4))
    model.fix(beam.start)
    model.add(Force(beam.end, -load * ALONG * Ramp(0.0, 40.0)))
    return model, beam


def test_unstable_equilibrium_is_kept() -> None:
    """As documented: a perfect column remains straight above its buckling load, an imperfect one does not."""
    model, beam = column(4.0)
    straight = relax(model, 40.0).outputs()["position"][beam.end.index]
    assert straight == pytest.approx([1 - 4e-4, 0, 0], abs=1e-9)
    model, beam = column(4.0)
    model.add(Force(beam.end, (0, 1e-3, 0)))
    bent = relax(model, 40.0).outputs()["position"][beam.end.index]
    assert bent[1] > 0.5


def test_no_rest_without_support() -> None:
    model = Model()
    mass = model.add(PointMass(1.0, position=(1, 0, 0))).node
    model.add(Force(mass, ALONG))
    with pytest.raises(SolverFailure, match="support the model"):
        relax(model, 10.0, hold=20)


@pytest.mark.parametrize("end_time", [1e-3, 1e-9])
def test_no_rest_in_steps_far_below_the_period(end_time: float) -> None:
    """There is hardly any motion either, but the energy is purely kinetic."""
    model, mass = mass_on_spring()
    model.add(Force(mass, 20.0 * ALONG * Ramp(0.0, end_time)))
    with pytest.raises(SolverFailure, match="about the longest period"):
        relax(model, end_time)


def test_load_step_that_fails() -> None:
    """The load has no value beyond 3 s; the steps towards it are halved a few times only."""
    model, mass = mass_on_spring()
    model.add(Force(mass, lambda t: (t if t <= 3.0 else np.nan, 0, 0)))
    with pytest.raises(
        SolverFailure, match=r"no equilibrium found beyond t = 2.999\d+ s of 6 s.*more load steps than 10"
    ):
        relax(model, 6.0, steps=10)


def test_counts() -> None:
    model, _ = mass_on_spring()
    for wrong in (0, 2.5):
        with pytest.raises(InputError, match="steps"):
            relax(model, 1.0, steps=wrong)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="hold"):
            relax(model, 1.0, hold=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="end_time"):
        relax(model, -1.0)
