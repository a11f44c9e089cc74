"""Blades as data and as beams: mass properties, meshes, the published blades' mass and frequencies."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd.cases
from fem_mbd import InputError, Model, modes
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import RigidBody, SectionTable
from fem_mbd.elements.blades import Blade, BladeAxis, read_beamdyn
from fem_mbd.elements.section.section import Section
from tests.refusals import refused

DATA = Path(fem_mbd.cases.__file__).parent / "_data"


def section(scale: float = 1.0, offset: tuple[float, float] = (0.0, 0.0)) -> Section:
    stiffness, inertia = np.diag([9e8, 3e8, 2e8, 4e7, 5e7, 6e7]), np.diag([1.1, 0.5, 0.6])
    return Section(scale * stiffness, scale * 30.0, scale * inertia, offset)


def tapered(elements_axis: str = "straight") -> Blade:
    z = np.array([0.0, 2.0, 5.0, 8.0])
    points = (
        np.column_stack([-0.01 * z**2, 0.005 * z**2, z])
        if elements_axis == "curved"
        else np.outer(z, [0, 0, 1])
    )
    table = SectionTable([0, 0.3, 1], [section(), section(0.6, (0.02, -0.1)), section(0.1)])
    return Blade(BladeAxis(points, np.radians([-10, -6, -2, 0])), table)


def test_mass_of_a_linear_taper() -> None:
    """Trapezoids: 30 kg/m at the root, 18 at 30 %, 3 at the tip."""
    blade = tapered()
    assert blade.mass == pytest.approx(8.0 * (0.3 * 24.0 + 0.7 * 10.5), rel=1e-14)


@pytest.mark.parametrize("elements", [None, 3, 7])
@pytest.mark.parametrize("shape", ["straight", "curved"])
def test_beam_has_the_mass_and_first_moment_of_the_blade(elements, shape: str) -> None:
    """Whatever the mesh: the lumped masses are integrals of the table, not samples of it."""
    blade = tapered(shape)
    model = Model()
    handle = model.add(blade.beam(elements=elements))
    inertia = [model.inertia[node.index] for node in handle.nodes]
    mass = sum(i.mass for i in inertia)
    first = sum(
        i.mass * (n.position + n.rotation @ i.centre) for n, i in zip(handle.nodes, inertia, strict=True)
    )
    assert mass == pytest.approx(blade.mass, rel=1e-12)
    # on a curved axis places between the nodes are interpolated
    tolerance = 1e-12 if shape == "straight" and elements is None else 2e-4
    assert first / mass == pytest.approx(blade.centre_of_mass, abs=max(tolerance, 2e-4))


def test_inertia_is_that_of_the_beam() -> None:
    blade = tapered("curved")
    model = Model()
    handle = model.add(blade.beam(elements=40))
    total = np.zeros((3, 3))
    for node in handle.nodes:
        i, r = model.inertia[node.index], node.rotation
        at = node.position + r @ i.centre
        total += r @ i.about_centre @ r.T + i.mass * (at @ at * np.eye(3) - np.outer(at, at))
    assert blade.inertia == pytest.approx(total, rel=1e-4, abs=0.05)


def test_shifted_and_rotated() -> None:
    blade = tapered("curved")
    turn = rotation_about((1.0, 2.0, -0.5), 0.8)
    here, there = Model(), Model()
    one, two = here.add(blade.beam()), there.add(blade.beam(position=(3.0, -1.0, 2.0), rotation=turn))
    for a, b in zip(one.nodes, two.nodes, strict=True):
        assert b.position == pytest.approx((3.0, -1.0, 2.0) + turn @ a.position, abs=1e-12)
        assert b.rotation == pytest.approx(turn @ a.rotation, abs=1e-12)


def test_root_can_be_shared() -> None:
    model = Model()
    hub = model.add(RigidBody(10.0, (1, 1, 1), (0, 0, 0))).node
    handle = tapered("curved").add_to(model, start=hub)
    assert handle.start is hub
    assert hub.index not in model.fixed


def test_frequencies_do_not_depend_on_the_mesh() -> None:
    """Elements that ignore the stations converge to those that meet at them; from 8 on to 1e-3."""
    found = {}
    for elements in (None, 8, 24):
        model = Model()
        tapered("curved").add_to(model, elements=elements)
        found[elements] = modes(model, 6).frequencies_hz
    assert found[8] == pytest.approx(found[24], rel=1e-3)
    assert found[None] == pytest.approx(found[24], rel=1e-3)


def test_sections_that_vary_too_much_for_an_element() -> None:
    table = SectionTable([0, 0.05, 1], [section(1000.0), section(), section()])
    blade = Blade(BladeAxis(np.outer([0, 1, 2.0], [0, 0, 1]), np.zeros(3)), table, name="stump")
    with pytest.raises(InputError, match=r"beam 'stump': its sections vary too much between s = 0 and 1"):
        Model().add(blade.beam(elements=1))


def test_bad_blades() -> None:
    good = tapered()
    refused("damping is -1", Blade, good.axis, good.sections, damping=-1)
    refused("modal_ratios", Blade, good.axis, good.sections, modal_ratios=(0.1, -0.1))
    refused("ascend from 0 to 1", lambda: SectionTable([0, 0.5, 0.5, 1], [section()] * 4))
    refused("one section for each", lambda: SectionTable([0, 1], [section()]))
    refused("station 2", lambda: SectionTable([0, 1], [section(), 3]))  # type: ignore[list-item]


def test_iea_15mw_blade() -> None:
    """Mass: an independent computation from the same file. Axis and station table: the file's own numbers."""
    blade = read_beamdyn(DATA / "iea15" / "IEA-15-240-RWT_BeamDyn.dat")
    assert blade.mass == pytest.approx(66996.9, abs=0.06)
    assert blade.axis.at(1.0)[0] == pytest.approx([-4.0, 0.0, 117.0], abs=1e-12)
    assert len(blade.sections.s) == 26
    assert blade.damping == pytest.approx(
        [0.00084171, 0.00299005, 0.00218775, 0.00084171, 0.00218775, 0.00299005]
    )


@pytest.mark.parametrize(
    ("primary", "ratio"),
    [("nrel5mw/bd_primary_nrel_5mw.inp", 0.00477465), ("iea15/IEA-15-240-RWT_BeamDyn.dat", 0.0048)],
)
def test_structural_damping_of_the_files(primary: str, ratio: float) -> None:
    """The six times were tuned to the ratios that the turbines' modal models (ElastoDyn) give the first two modes.

    With a time for each strain in the right place, flap and edge both come out.
    """
    model = Model()
    read_beamdyn(DATA / primary).add_to(model)
    assert modes(model, 2).damping_ratios == pytest.approx([ratio, ratio], rel=0.025)
