"""Stresses of sections against closed forms, a published solid model, and equilibrium.

Pipe: stresses (psi) of a three-dimensional finite element model in N. Liu (2019), Loss of accuracy using smeared
properties in composite beam modelling, Purdue University, as digitised in GXBeam.jl, test/section.jl.
"""

from pathlib import Path

import meshio
import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import (
    Beam,
    Force,
    Layer,
    Material,
    Orthotropic,
    Section,
    SectionTable,
    Strength,
    section_stress,
)
from fem_mbd.errors import InputError
from tests.elements.section.section_meshes import arc, second_order, square, two_layer_pipe

STEEL = Material(210e9, 0.3, 7850.0)
FIBRE = Orthotropic(
    141e9,
    9.8e9,
    6e9,
    0.3,
    1600.0,
    strength=Strength((2e9, 60e6, 60e6), (1.2e9, 200e6, 200e6), (60e6, 90e6, 90e6)),
)
BOX = np.array([[0.0, 0.0], [0.2, 0.0], [0.2, 0.1], [0.0, 0.1], [0.0, 0.0]])


def unit(component: int) -> np.ndarray:
    return np.eye(6)[component]


def test_square_in_tension_and_bending() -> None:
    section = Section.from_mesh(*second_order(*square(0.1, 8)), STEEL)
    found = section_stress(section, [1000 * unit(0), 50 * unit(4), 50 * unit(5)])
    y2, y3 = found.mesh.centres().T
    inertia = 0.1**4 / 12
    for case, expected in zip(
        found.values, (1e5 + 0 * y2, 50 * y3 / inertia, -50 * y2 / inertia), strict=True
    ):
        np.testing.assert_allclose(case[:, 0], expected, atol=1e-6 * np.abs(expected).max())
        np.testing.assert_allclose(case[:, 1:], 0.0, atol=1e-6 * np.abs(expected).max())


def test_square_in_torsion() -> None:
    """Largest shear stress of Saint-Venant's torsion: T / (0.208 a^3), Timoshenko & Goodier, art. 109."""
    section = Section.from_mesh(*second_order(*square(0.1, 20)), STEEL)
    shear = np.linalg.norm(section_stress(section, 100 * unit(3)).values[:, 4:], axis=1)
    # the outermost elements are seen at their centres, a fortieth of the side inside: the stress is nearly linear there
    y2, y3 = section_stress(section, unit(3)).mesh.centres().T
    beside = (np.abs(y2) < 0.003) & (y3 > 0.035)
    at_edge = np.polyval(np.polyfit(y3[beside], shear[beside], 2), 0.05)
    assert at_edge == pytest.approx(100 / (0.20817 * 0.1**3), rel=0.01)


def test_tube_in_torsion_and_shear() -> None:
    points, cells = arc(np.linspace(0.09, 0.1, 4), np.linspace(0, 2 * np.pi, 121))
    section = Section.from_mesh(points, cells, STEEL)
    found = section_stress(section, [100 * unit(3), 100 * unit(1)])
    y = found.mesh.centres()
    polar = np.pi * (0.1**4 - 0.09**4) / 2
    expected = 100 / polar * np.linalg.norm(y, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found.values[0][:, 4:], axis=1), expected, rtol=0.01)
    # V S / (I t), S from the thin middle line: 2 V / A at the neutral axis
    top = np.argmin(np.abs(y[:, 0]) + np.abs(np.linalg.norm(y, axis=1) - 0.095))
    area = np.pi * (0.1**2 - 0.09**2)
    assert abs(found.values[1][top, 5]) == pytest.approx(2 * 100 / area, rel=0.02)


def test_pipe_of_two_layers_against_a_solid_model() -> None:
    fibres = Orthotropic(20.59e6, 1.42e6, 0.87e6, 0.42, 1.0)
    points, cells, angles = two_layer_pipe(50, 24, 20)
    found = section_stress(Section.from_mesh(points, cells, fibres, angles), -1000 * unit(4))
    y2, y3 = found.mesh.centres().T
    column = np.flatnonzero((np.abs(y2) < 0.021) & (y2 > 0) & (y3 > 0))
    column = column[np.argsort(y3[column])]
    depth = y3[column] - 0.3
    # along the beam: fibres are across it in the inner layer (component 22), along it in the outer one
    along = np.where(depth < 0.1, found.values[column, 1], found.values[column, 0])
    solid = np.interp(
        depth,
        [0.0, 0.0250, 0.0500, 0.0750, 0.10005, 0.10006, 0.1251, 0.1500, 0.1752, 0.2001],
        [-0.2233, -0.2416, -0.2598, -0.2735, -0.2917, -4.4166, -4.6901, -4.9681, -5.2416, -5.5196],
    )
    np.testing.assert_allclose(along / 1000, solid, rtol=0.015)


def test_stresses_integrate_to_the_section_forces() -> None:
    layers = [Layer(FIBRE, 0.004, 30.0), Layer(STEEL, 0.003, start=0.1, end=0.4)]
    solution = Section.from_laminate(BOX, layers, size=0.02).solution
    assert solution is not None
    total = np.zeros((6, 6))
    for block in solution.blocks:
        stress = block.stress(solution.strains(block)) * block.weights[:, :, None, None]
        total += np.einsum("mgsi,mgsj->ij", block.section_strains, stress)
    np.testing.assert_allclose(total, np.eye(6), atol=1e-9)


def test_stress_of_an_equilibrium_and_of_a_run(tmp_path: Path) -> None:
    section = Section.from_laminate(BOX, [Layer(FIBRE, 0.004, 20.0)], size=0.02, reference=(0.1, 0.05))
    model = fm.Model()
    beam = model.add(Beam(section, start=(0, 0, 0), end=(2, 0, 0), elements=4, name="arm"))
    model.fix(beam.start)
    model.add(Force(beam.end, (0, 0, 1.0)))
    expected = section_stress(section, [0, 0, 1.0, 0, -1.4, 0])
    found = fm.find_equilibrium(model).of(beam).stress(at=0.3)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-3 * np.abs(expected.values).max())
    assert found.max_stress().shape == (found.mesh.count,)
    result = fm.simulate(model, 0.01, fm.StepControl.fixed(0.005))
    history = result.of(beam).stress(at=0.3)
    assert history.values.shape == (len(result.time), found.mesh.count, 6)
    smallest, largest = history.extremes()
    assert np.all(smallest <= history.values[-1]) and np.all(history.values[-1] <= largest)
    np.testing.assert_array_equal(result.of("arm").stress(at=0.3).values, history.values)
    np.testing.assert_array_equal(fm.find_equilibrium(model).of("arm").stress(at=0.3).values, found.values)
    fm.run(fm.Simulation(model, 0.01, fm.StepControl.fixed(0.005)), file=tmp_path / "run.h5")
    with pytest.raises(InputError, match="files of results do not store meshes"):
        fm.Result.open(tmp_path / "run.h5").of("arm").stress(at=0.3)
    table = SectionTable([0.0, 0.4, 1.0], [section] * 3)
    assert result.of("arm").stress(at=0.3, section=table).station == 0.4


def test_failure_indices() -> None:
    section = Section.from_mesh(*square(0.1, 2), FIBRE)
    pulled, pushed = section_stress(section, [20e6 * unit(0), -12e6 * unit(0)]).max_stress()
    np.testing.assert_allclose(pulled, 1.0)  # 20 MN on 0.01 m^2 are 2 GPa
    np.testing.assert_allclose(pushed, 1.0)
    both = section_stress(section, [20e6 * unit(0), -12e6 * unit(0)]).tsai_wu()
    np.testing.assert_allclose(both, 1.0)  # on an axis the criterion is that of the strengths
    with pytest.raises(InputError, match="no material of the section has a strength"):
        section_stress(Section.from_mesh(*square(0.1, 2), STEEL), unit(0)).tsai_wu()
    with pytest.raises(InputError, match="does not come from a mesh"):
        section_stress(Section.rectangle(0.1, 0.1, STEEL), unit(0))
    with pytest.raises(InputError, match=r"forces have shape \(3,\)"):
        section_stress(section, np.zeros(3))


def test_indices_and_extremes_of_many_cases_are_those_of_their_stresses() -> None:
    """Written out by component; 150 cases are more than are multiplied at a time."""
    section = Section.from_laminate(BOX, [Layer(FIBRE, 0.004, 30.0), Layer(STEEL, 0.003)], size=0.05)
    forces = np.random.default_rng(7).normal(size=(3, 50, 6)) * [1e6, 1e5, 1e5, 1e4, 1e4, 1e4]
    found = section_stress(section, forces)
    s, strength = found.values, FIBRE.strength
    assert strength is not None
    with_strength = np.array([kind is FIBRE for kind in found.mesh.kinds])[found.mesh.kind_of]
    direct = np.where(s[..., :3] > 0.0, s[..., :3] / strength.tension, -s[..., :3] / strength.compression)
    largest = np.maximum(direct.max(axis=-1), np.max(np.abs(s[..., 3:]) / strength.shear, axis=-1))
    product = strength.tension * strength.compression
    wu = np.sum(s[..., :3] * (1 / strength.tension - 1 / strength.compression), axis=-1)
    wu += np.sum(s[..., :3] ** 2 / product, axis=-1) + np.sum((s[..., 3:] / strength.shear) ** 2, axis=-1)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        wu -= s[..., i] * s[..., j] / np.sqrt(product[i] * product[j])
    for ours, expected in ((found.max_stress(), largest), (found.tsai_wu(), wu)):
        np.testing.assert_allclose(
            ours[..., with_strength], expected[..., with_strength], rtol=1e-9, atol=1e-9
        )
        assert np.isnan(ours[..., ~with_strength]).all()
    for ours, expected in zip(found.extremes(), (s.min(axis=(0, 1)), s.max(axis=(0, 1))), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_written_file(tmp_path: Path) -> None:
    section = Section.from_mesh(*square(0.1, 2), FIBRE)
    one = section_stress(section, unit(0))
    read = meshio.read(one.write(tmp_path / "one.vtu"))
    np.testing.assert_allclose(read.cell_data["s11"][0], 100.0)
    several = meshio.read(section_stress(section, [unit(0), -unit(0)]).write(tmp_path / "two.vtu"))
    np.testing.assert_allclose(several.cell_data["s11 min"][0], -100.0)
    assert {"Tsai-Wu", "maximum stress", "material"} <= set(several.cell_data)
