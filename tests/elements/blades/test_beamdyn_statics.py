"""Statics of BeamDyn's test cases (OpenFAST r-test, 2018; its results: tests/validation/decks), and early files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.node import Node
from fem_mbd.elements import Force
from fem_mbd.elements.blades import read_beamdyn
from fem_mbd.elements.blades.beamdyn import MasslessWarning
from fem_mbd.elements.loads.loads import Moment
from tests.elements.blades.files import blade_text, primary_text, write_beamdyn

ROLLUP = np.diag([1e4, 1e4, 1e4, 100.0, 100.0, 200.0])
TWISTED = np.diag([8.2604167e9, 8.2604167e9, 2.5e10, 0.520833e9, 0.130208333e9, 0.141872656e9])
CANTILEVER = (9.41762, -8.38915)  # m, the rod's equations by shooting; BeamDyn, 3.8 % off: 9.06015, -8.52177
NO_MASS, UNIT = np.zeros((6, 6)), np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 2.0])


def tip(
    folder: Path, stiffness: Array, mass: Array, twist: float = 0.0, load: Callable[[Node], Any] | None = None,
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Array:  # fmt: skip
    """Displacement of the tip of a beam of 10 m, twisted evenly; ``load`` is a function of the tip's node."""
    points = [f"0.0 0.0 {z}.0 {twist * z / 10}" for z in range(11)]
    blade = blade_text(((0.0, stiffness, mass), (1.0, stiffness, mass)))
    read = read_beamdyn(write_beamdyn(folder, primary_text(points, "1  11"), blade))
    model = fm.Model(gravity=gravity)
    handle = model.add(read.beam(elements=10))
    model.fix(handle.start)
    if load is not None:
        model.add(load(handle.end))
    return np.asarray(fm.find_equilibrium(model, load_steps=8).of(handle.end).displacement)


def roll_up(folder: Path, mass: Array) -> Array:
    """bd_isotropic_rollup."""
    return tip(folder, ROLLUP, mass, load=lambda node: Moment(node, (-12.5664, 0.0, 0.0)))


def twisted(folder: Path) -> Array:
    """bd_static_twisted_with_k1."""
    return tip(folder, TWISTED, 679.0 * UNIT, 90.0, lambda node: Force(node, (0.0, -4e6, 0.0)))


def cantilever(folder: Path) -> Array:
    """bd_static_cantilever_beam: under its weight, across."""
    return tip(folder, ROLLUP, UNIT, gravity=(9.806, 0.0, 0.0))


@pytest.mark.filterwarnings("ignore::fem_mbd.elements.blades.beamdyn.MasslessWarning")
@pytest.mark.parametrize("mass", [UNIT, NO_MASS])
def test_roll_up_by_a_moment(tmp_path: Path, mass: Array) -> None:
    """An arc of curvature M/EI, with and without mass."""
    moved = roll_up(tmp_path, mass)
    curvature = 0.125664
    arc = [0.0, (1 - np.cos(10 * curvature)) / curvature, np.sin(10 * curvature) / curvature - 10.0]
    assert moved == pytest.approx(arc, abs=3e-5)


def test_a_blade_without_mass_is_warned_of(tmp_path: Path) -> None:
    text = blade_text(((0.0, ROLLUP, NO_MASS), (1.0, ROLLUP, NO_MASS)))
    with pytest.warns(MasslessWarning, match=r"blade\.dat: the blade has no mass: use it for statics"):
        read_beamdyn(write_beamdyn(tmp_path, blade=text))


def test_damp_flag_is_the_early_name_of_damp_type(tmp_path: Path) -> None:
    damping = (
        "1   damp_flag - Damping flag",
        "mu1 mu2 mu3 mu4 mu5 mu6",
        "(s)",
        "1e-3 2e-3 3e-3 4e-3 5e-3 6e-3",
    )
    read = read_beamdyn(write_beamdyn(tmp_path, blade=blade_text(damping=damping)))
    assert read.damping == pytest.approx([3e-3, 1e-3, 2e-3, 6e-3, 4e-3, 5e-3])
