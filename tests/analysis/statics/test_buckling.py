"""Tests of buckling loads against Euler's columns, and the selection among several."""

import numpy as np
import pytest

from fem_mbd import Model, buckling, critical_load, elements, find_equilibrium, joints
from fem_mbd.analysis.statics.bordered_newton import PrecisionWarning
from fem_mbd.errors import InputError, SolverFailure

EI2, EI3, LENGTH = 3.0, 2.0, 1.5


def column(force: float = -1.0) -> tuple[Model, elements.BeamHandle]:
    model = Model()
    part = elements.Section(np.diag([1e7, 1e7, 1e7, 1.0, EI2, EI3]), 1.0, np.diag([2e-3, 1e-3, 1e-3]))
    line = elements.Straight((0, 0, 0), (LENGTH, 0, 0))
    beam = model.add(elements.Beam(part, line=line, elements=4))
    model.add(elements.Force(beam.end, (force, 0, 0)))
    return model, beam


def test_clamped_free_column() -> None:
    """(2k - 1)^2 pi^2 EI/4 L^2, weak and strong axis alternately; the shape is 1 - cos in the weak plane."""
    model, beam = column()
    model.fix(beam.start)
    found = buckling(model, 3)
    unit = np.pi**2 / (4 * LENGTH**2)
    assert found.load_factors == pytest.approx([EI3 * unit, EI2 * unit, 9 * EI3 * unit], rel=2e-4)
    assert found.load_factors[:2] == pytest.approx([EI3 * unit, EI2 * unit], rel=2e-6)
    x = np.array([node.position[0] for node in beam.nodes])
    shape = found.shapes[0][[node.index for node in beam.nodes], 1]
    assert np.abs(shape) == pytest.approx(1 - np.cos(np.pi * x / (2 * LENGTH)), abs=1e-4)


def test_hinged_column_with_joints() -> None:
    """pi^2 EI/L^2 between a hinge about z and a sliding one; multipliers are involved."""
    model, beam = column()
    model.add(joints.Revolute(model.ground, beam.start, axis=(0, 0, 1), name="foot"))
    slide = model.add(elements.RigidBody(0.1, 1e-3 * np.eye(3), position=(LENGTH, 0, 0)))
    model.add(joints.Prismatic(model.ground, slide.node, at=(LENGTH, 0, 0), axis=(1, 0, 0)))
    model.add(joints.Revolute(slide.node, beam.end, axis=(0, 0, 1), at=(LENGTH, 0, 0), name="head"))
    assert buckling(model).critical == pytest.approx(np.pi**2 * EI3 / LENGTH**2, rel=1e-5)


def test_about_a_loaded_equilibrium() -> None:
    """The problem is linear in the load: the same load is found from half of it."""
    model, beam = column()
    model.fix(beam.start)
    expected = np.pi**2 * EI3 / (4 * LENGTH**2)
    found = buckling(model, at=find_equilibrium(model, 0.5 * expected))
    assert found.critical == pytest.approx(expected, rel=1e-5)
    assert critical_load(model).critical == pytest.approx(expected, rel=1e-5)


def test_no_buckling_in_tension() -> None:
    model, beam = column(1.0)
    model.fix(beam.start)
    with pytest.raises(SolverFailure, match="no load factor above"):
        buckling(model).critical  # noqa: B018


def test_bad_input() -> None:
    model, beam = column()
    with pytest.raises(SolverFailure, match="so it accelerates as a whole"):
        buckling(model)
    model.fix(beam.start)
    with pytest.raises(InputError, match="number is 0"):
        buckling(model, 0)
    bare = Model()
    part = elements.Section(np.eye(6), 1.0, np.eye(3))
    other = bare.add(elements.Beam(part, line=elements.Straight((0, 0, 0), (1, 0, 0))))
    bare.fix(other.start)
    with pytest.raises(InputError, match="has no loads"):
        buckling(bare)


def tipped(stiff: float, count: int) -> float:
    """Critical load of a strip under a force at its end, over the exact one of Timoshenko and Gere (section 6.3)."""
    model = Model()
    section = elements.Section.from_rigidities(stiff, stiff, stiff, 3.0, 2.0, 2e3, 1.0, (0, 0, 0))
    strip = model.add(elements.Beam(section, (0, 0, 0), (4, 0, 0), elements=count))
    model.fix(strip.start)
    model.add(elements.Force(strip.end, (0, 1.0, 0)))
    return float(buckling(model, 2).critical * 16 / np.sqrt(6) / 4.012599344)


@pytest.mark.parametrize(("stiff", "count", "left"), [(1e10, 6, 3), (1e11, 24, 1)])
def test_lost_digits_are_told(stiff: float, count: int, left: int) -> None:
    with pytest.warns(PrecisionWarning, match=f"buckling: load factors .* are good to about {left} digits"):
        found = tipped(stiff, count)
    assert found == pytest.approx(1, abs=10.0**-left)


def test_few_digits_are_lost_at_usual_stiffnesses() -> None:
    assert tipped(1e7, 6) == pytest.approx(1, abs=1e-5)
