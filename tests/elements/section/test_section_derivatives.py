"""Derivatives of sections from meshes against differences of sections."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.elements import Beam, Force, Layer, Orthotropic, Section, SectionDerivatives
from fem_mbd.elements.section.mesh.laminate import laminate_mesh
from fem_mbd.errors import InputError
from tests.elements.section.box_beam import FORCE, LENGTH, section, tip_twist
from tests.elements.section.section_meshes import second_order, square

FIBRE = Orthotropic(141.0, 9.8, 6.0, 0.3, 1.6, G23=3.0, nu23=0.4)
STEP = 1e-4


def differences(section: Callable[[float], Section], step: float = STEP) -> tuple[Array, Array]:
    """Of stiffness and mass, by four sections, of fourth order."""
    found = {k: section(k * step) for k in (-2, -1, 1, 2)}
    rows = []
    for name in ("stiffness", "mass_matrix"):
        a, b, c, d = (np.asarray(getattr(found[k], name)) for k in (1, -1, 2, -2))
        rows.append((8 * (a - b) - (c - d)) / (12 * step))
    return rows[0], rows[1]


@pytest.fixture(scope="module", params=[1, 2])
def mesh(request: pytest.FixtureRequest) -> tuple[Array, Indices, Array]:
    points, cells = square(1.0, 3)
    if request.param == 2:
        points, cells = second_order(points, cells)
    rng = np.random.default_rng(5)
    points = points + rng.uniform(-0.02, 0.02, points.shape)
    return points, cells, np.column_stack([rng.uniform(-60, 60, 9), rng.uniform(-90, 90, 9)])


def test_by_nodes(mesh: tuple[Array, Indices, Array]) -> None:
    points, cells, angles = mesh
    stiffness, mass = SectionDerivatives(Section.from_mesh(points, cells, FIBRE, angles)).by_nodes()
    for node, axis in ((0, 0), (5, 1), (10, 0)):

        def moved(step: float, at: tuple[int, int] = (node, axis)) -> Section:
            changed = points.copy()
            changed[at] += step
            return Section.from_mesh(changed, cells, FIBRE, angles)

        for ours, theirs in zip((stiffness, mass), differences(moved, 1e-3), strict=True):
            np.testing.assert_allclose(ours[node, axis], theirs, atol=1e-6 * np.abs(theirs).max() + 1e-12)


def test_by_angles(mesh: tuple[Array, Indices, Array]) -> None:
    points, cells, angles = mesh
    found = SectionDerivatives(Section.from_mesh(points, cells, FIBRE, angles)).by_angles()
    for element, column in ((0, 0), (4, 1)):

        def turned(step: float, at: tuple[int, int] = (element, column)) -> Section:
            changed = angles.copy()
            changed[at] += step
            return Section.from_mesh(points, cells, FIBRE, changed)

        expected = differences(turned, 0.05)[0]
        np.testing.assert_allclose(found[element, column], expected, atol=1e-6 * np.abs(expected).max())


def test_by_material(mesh: tuple[Array, Indices, Array]) -> None:
    points, cells, angles = mesh
    rate = np.zeros((6, 6))
    compliance = FIBRE.compliance
    rate[0, 0] = -1 / FIBRE.E1**2
    rate[0, 1:3] = rate[1:3, 0] = 0.3 / FIBRE.E1**2
    rate = -np.linalg.inv(compliance) @ rate @ np.linalg.inv(compliance)
    found = SectionDerivatives(Section.from_mesh(points, cells, FIBRE, angles)).by_material(0, rate)

    def stiffer(step: float) -> Section:
        fibre = Orthotropic(141.0 + step, 9.8, 6.0, 0.3, 1.6, G23=3.0, nu23=0.4)
        return Section.from_mesh(points, cells, fibre, angles)

    expected = differences(stiffer, 0.1)[0]
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


def test_by_a_thickness_and_an_angle_of_a_box() -> None:
    """Thickness moves nodes, as the mesh does; the angle turns the layer's elements."""
    box = np.array([[0.0, 0.0], [0.2, 0.0], [0.2, 0.1], [0.0, 0.1], [0.0, 0.0]])

    def layers(thickness: float, angle: float) -> list[Layer]:
        return [Layer(FIBRE, 0.004 + thickness, 20.0 + angle), Layer(FIBRE, 0.003, -10.0)]

    base = SectionDerivatives(Section.from_laminate(box, layers(0.0, 0.0), size=0.02))
    one, two = (laminate_mesh(box, layers(step, 0.0), size=0.02).points for step in (1e-5, -1e-5))
    stiffness, mass = base.by_mesh((one - two) / 2e-5)
    for ours, theirs in zip(
        (stiffness, mass),
        differences(lambda step: Section.from_laminate(box, layers(step, 0.0), size=0.02), 1e-5),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-6 * np.abs(theirs).max())
    outer = np.isclose(base.solution.mesh.angles[:, 0], 20.0)
    expected = differences(lambda step: Section.from_laminate(box, layers(0.0, step), size=0.02), 0.05)[0]
    np.testing.assert_allclose(
        base.by_angles()[outer, 0].sum(axis=0), expected, atol=1e-6 * np.abs(expected).max()
    )
    turns = np.column_stack([outer, np.zeros(len(outer))])
    by_mesh, of_mass = base.by_mesh(np.zeros_like(base.solution.mesh.points), turns)
    np.testing.assert_allclose(by_mesh, expected, atol=1e-6 * np.abs(expected).max())
    assert not of_mass.any()


def test_a_section_without_mesh_is_refused() -> None:
    with pytest.raises(InputError, match="does not come from a mesh"):
        SectionDerivatives(Section.from_rigidities(1, 1, 1, 1, 1, 1, 1.0, (1, 1, 1)))


def test_tip_twist_of_the_box_beam_of_smith_and_chopra() -> None:
    """By the angle of all its plies, by the adjoint and by differences."""
    value, slope = tip_twist(15.0)
    step = 0.05
    a, b, c, d = (tip_twist(15.0 + k * step)[0] for k in (1, -1, 2, -2))
    assert slope == pytest.approx((8 * (a - b) - (c - d)) / (12 * step), rel=1e-6)
    assert abs(tip_twist(0.0)[0]) < 1e-6 * abs(value)
    assert abs(value) > 1e-4


def test_gradient_of_a_run_by_a_ply_angle() -> None:
    """The box beam, its tip pushed: its twist by the angle of all plies, from one run and from four others."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        beam = model.add(
            Beam(section(values["angle"]), start=(0, 0, 0), end=(LENGTH, 0, 0), elements=2, name="arm")
        )
        model.fix(beam.start)
        model.add(Force(beam.end, (0, 0, FORCE)))
        return fm.Simulation(model, 0.02, fm.StepControl.fixed(1e-3))

    of = {"twist": "at(arm.section_strain(0.5)[3], time=0.02)"}
    found = fm.gradient(build, of=of, wrt={"angle": 15.0})
    step = 0.05
    a, b, c, d = (
        fm.run(build({"angle": 15.0 + k * step})).of("arm").section_strain(0.5)[-1, 3] for k in (1, -1, 2, -2)
    )
    assert found.of("twist", "angle") == pytest.approx((8 * (a - b) - (c - d)) / (12 * step), rel=1e-6)
