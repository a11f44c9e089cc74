"""Beams in tension, twist and compression on any mesh, against closed forms: nothing stretches without strain."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import Beam, Force, Material, RigidBody, Section
from fem_mbd.errors import InputError
from fem_mbd.joints import Clamp, DrivenRevolute, Revolute

LENGTH, AXIAL, TENSION = 10.0, 1e7, 1e4


def length(positions: Any) -> Any:
    """Length of the polygon of nodes (…, n, 3)."""
    return np.linalg.norm(np.diff(positions, axis=-2), axis=-1).sum(axis=-1)


def diagonal(axial: float, bending: float, mass: float = 1.0) -> Section:
    torsion = max(bending, 1e3)
    return Section(
        np.diag([axial] * 3 + [torsion, bending, bending]), mass, mass * np.diag([2e-5, 1e-5, 1e-5])
    )


def taut(order: int, elements: int, bending: float) -> tuple[fm.Model, Any]:
    """A straight beam, simply supported, pulled at one end."""
    model = fm.Model()
    beam = model.add(
        Beam(
            diagonal(AXIAL, bending), (0, 0, 0), (LENGTH, 0, 0), up=(0, 0, 1), elements=elements, order=order
        )
    )
    model.fix(beam.start, rotation=(True, False, False))
    model.fix(beam.end, translation=(False, True, True), rotation=(True, False, False))
    model.add(Force(beam.end, (TENSION, 0, 0)))
    return model, beam


@pytest.mark.parametrize("ratio", [0.8, 30.0, 1e3])  # h/(2 sqrt(EI/T))
@pytest.mark.parametrize(("order", "elements"), [(2, 10), (3, 10), (4, 5)])
def test_a_taut_string_stays_where_it_is(order: int, elements: int, ratio: float) -> None:
    """Touched by 1e-3 N for 10 ms it vibrates by less than a micrometre."""
    model, beam = taut(order, elements, TENSION * (LENGTH / elements / (2 * ratio)) ** 2)
    found = fm.find_equilibrium(model)
    pulse = fm.time_functions.Table([0, 0.005, 0.01, 1e3], [[0, 0, 0], [0, 0, 1e-3], [0, 0, 0], [0, 0, 0]])
    model.add(Force(beam.nodes[len(beam.nodes) // 3], pulse))
    result = fm.simulate(model, 0.2, fm.StepControl.fixed(1e-3), initial=found.state)
    positions = result.of(beam.nodes).position
    assert np.abs(positions[..., 1:]).max() < 1e-6
    assert positions[-1, -1, 0] == pytest.approx(LENGTH * (1 + TENSION / AXIAL), abs=1e-6)


@pytest.mark.out_of_range("does not resolve its mode")
@pytest.mark.parametrize("ratio", [0.0, 10.0, 1e3, 1e6])  # T h^2/EI
@pytest.mark.parametrize("order", [2, 3, 4])
def test_frequencies_of_a_taut_beam(order: int, ratio: float) -> None:
    """Pinned: w = (k pi/L) sqrt((T + EI (k pi/L)^2)/m), for waves of eight elements and more.

    Two nodes with lumped masses err by (2 pi/n)^2/24 with n elements a wave, whatever the strains: 16 for 1 %.
    """
    elements, pull = 32 if order == 2 else 16, TENSION if ratio else 0.0
    bending = TENSION * (LENGTH / elements) ** 2 / (ratio or 10.0)
    model, beam = taut(order, elements, bending)
    if not ratio:
        model = fm.Model()
        beam = model.add(
            Beam(
                diagonal(AXIAL, bending),
                (0, 0, 0),
                (LENGTH, 0, 0),
                up=(0, 0, 1),
                elements=elements,
                order=order,
            )
        )
        model.fix(beam.start, rotation=(True, False, False))
        model.fix(beam.end, translation=(False, True, True), rotation=(True, False, False))
    stretched = LENGTH * (1 + pull / AXIAL)
    wave = np.pi * np.arange(1, 5) / stretched
    expected = wave * np.sqrt((pull + bending * wave**2) / (1.0 / (1 + pull / AXIAL)))
    # rotations of neighbouring nodes against each other, which two nodes resist by bending alone, are modes too
    found = 2 * np.pi * np.asarray(fm.modes(model, 12 if order > 2 else 40).frequencies_hz)
    nearest = found[np.abs(found[:, None] - expected).argmin(axis=0)]
    assert nearest == pytest.approx(expected, rel=1e-2)


def test_a_wire_under_its_own_weight_keeps_its_length() -> None:
    """A guy wire of 60 m, 12 mm of steel, 30 kN, from its equilibrium: sum of strains and positions agree."""
    wire = Section.circle(0.006, Material(young=1.6e11, poisson=0.3, density=7850))
    model = fm.Model(gravity=(0, 0, -9.81))
    beam = model.add(Beam(wire, (0, 0, 0), (60, 0, 0), up=(0, 0, 1), elements=20))
    model.fix(beam.start, rotation=(True, False, False))
    model.fix(beam.end, translation=(False, True, True), rotation=(True, False, False))
    model.add(Force(beam.end, (3e4, 0, 0)))
    found = fm.find_equilibrium(model)
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(2e-3), initial=found.state)
    stretched = 60 * (1 + 3e4 / wire.stiffness[0, 0])
    assert length(result.of(beam.nodes).position) == pytest.approx(stretched, rel=1e-4)
    # a parabola of sag m g L^2/(8 T)
    middle = result.of(beam.node_nearest(0.5)).position[-1]
    assert middle[2] == pytest.approx(-wire.mass_per_length * 9.81 * 60**2 / (8 * 3e4), rel=1e-2)


def test_a_rope_that_is_let_go_stays_as_long_as_it_is() -> None:
    nylon = Material(young=2e9, poisson=0.4, density=1150)
    model = fm.Model(gravity=(0, 0, -9.81))
    rope = model.add(
        Beam(Section.circle(0.002, nylon), (0, 0, 0), (10, 0, 0), up=(0, 0, 1), elements=10, name="rope")
    )
    for end in (rope.start, rope.end):
        model.fix(end, rotation=(True, False, True))
    result = fm.simulate(model, 1.5, fm.StepControl.fixed(0.005))
    strain = np.abs(result.of("rope").section_strain()[:, :, 0]).max()
    assert length(result.of(rope.nodes).position).max() < 10 * (1 + strain) + 1e-3
    assert strain < 2e-3


@pytest.mark.out_of_range("rotation within an element")
def test_a_chain_never_falls_below_its_reach() -> None:
    """Two chains of 50 m that meet 30 m below supports 80 m apart, almost without bending stiffness."""
    section = Section(np.diag([5e7, 5e7, 5e7, 0.5, 0.5, 0.5]), 5.0, np.diag([2e-4, 1e-4, 1e-4]))
    model = fm.Model(gravity=(0, 0, -9.81))
    middle = model.node((40.0, 0, -30.0), name="middle")
    left = model.add(Beam(section, (0, 0, 0), middle, up=(0, 1, 0), elements=20))
    right = model.add(Beam(section, middle, (80.0, 0, 0), up=(0, 1, 0), elements=20))
    for end in (left.start, right.end):
        model.fix(end, rotation=(True, False, False))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.01))
    assert result.of("middle").position[:, 2].min() > -30.1
    assert length(result.of(left.nodes).position) == pytest.approx(50.0, rel=1e-2)


@pytest.mark.parametrize("elements", [4, 8])
def test_a_strip_in_steady_rotation_has_its_first_flap_above_one_per_revolution(elements: int) -> None:
    """Carbon strip of 25 x 1 mm, 0.5 m, 6,000 rev/min, 1.044 per revolution on fine meshes."""
    speed = 6000 * 2 * np.pi / 60
    strip = Section.rectangle(
        width=0.025, height=0.001, material=Material(young=70e9, poisson=0.3, density=1600.0)
    )
    model = fm.Model()
    beam = model.add(
        Beam(strip, (0.02, 0, 0), (0.5, 0, 0), up=(0, 0, 1), elements=elements, damping=1e-5, name="strip")
    )
    model.fix(beam.start)
    found = fm.modes(model, 3, spin=fm.Spin((0, 0, 0), (0, 0, 1), speed))
    assert found.eigenvalues.real.max() < 1e-6 * speed
    per_revolution = np.asarray(found.frequencies_hz) * 2 * np.pi / speed
    assert per_revolution[0] == pytest.approx(1.044, rel=1e-2) and per_revolution[0] > 1.0


def test_a_turning_strip_keeps_its_length() -> None:
    speed = 6000 * 2 * np.pi / 60
    strip = Section.rectangle(
        width=0.025, height=0.001, material=Material(young=70e9, poisson=0.3, density=1600.0)
    )
    model = fm.Model()
    hub = model.add(RigidBody(1.0, (1e-2,) * 3, position=(0, 0, 0), name="hub"))
    blade = model.add(Beam(strip, (0.02, 0, 0), (0.5, 0, 0), up=(0, 0, 1), elements=4, damping=1e-5))
    model.add(Clamp(hub.node, blade.start, at=(0.02, 0, 0)))
    model.add(DrivenRevolute(model.ground, hub, at=(0, 0, 0), axis=(0, 0, 1), speed=speed))
    model.set_velocity([hub, *blade.nodes], omega=(0, 0, speed), about=(0, 0, 0))
    model.add(Force(blade.end, (0, 0, 1e-3)))
    result = fm.simulate(model, 0.01, fm.StepControl.fixed(0.01 / 720))
    lengths = length(result.of(blade.nodes).position)
    assert lengths.min() > 0.48 - 1e-6 and lengths.max() < 0.482


# -- twist and buckling ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "elements", "angle"), [(4, 1, 0.5), (4, 1, 1.5), (4, 4, 6.0), (3, 4, 3.0), (2, 4, 1.0)]
)
def test_torque_of_a_twisted_bar(order: int, elements: int, angle: float) -> None:
    """GJ phi/L within 1 %."""
    assert _torque(order, elements, angle) == pytest.approx(1.0, rel=1e-2)


@pytest.mark.out_of_range("rotation within an element")
@pytest.mark.parametrize(("elements", "allowed"), [(20, 0.02), (30, 0.01)])
def test_a_drill_string_of_ten_turns(elements: int, allowed: float) -> None:
    """3 km of pipe: 3.1 and 2.1 rad in an element of four nodes, which is 2 % off at 3.2 rad."""
    pipe = Section.tube(
        mean_radius=0.06, thickness=0.01, material=Material(young=210e9, poisson=0.3, density=7850)
    )
    model = fm.Model()
    string = model.add(Beam(pipe, (0, 0, 0), (3000, 0, 0), up=(0, 0, 1), elements=elements, damping=0.5))
    model.fix(string.start)
    angle = 20 * np.pi
    turn = fm.time_functions.SmoothStep(0.0, 60.0, 0.0, angle)
    drive = model.add(DrivenRevolute(model.ground, string.end, at=(3000, 0, 0), axis=(1, 0, 0), angle=turn))
    result = fm.simulate(model, 120.0, fm.StepControl.fixed(0.1))
    torque = result.of(drive).reaction.moment[-1][0]
    assert torque == pytest.approx(pipe.stiffness[3, 3] * angle / 3000.0, rel=allowed)


@pytest.mark.out_of_range("rotation within an element")
@pytest.mark.parametrize(
    ("order", "elements", "angle"), [(4, 1, 12.0), (3, 1, 12.0), (2, 1, 6.0), (2, 4, 20.0)]
)
def test_more_twist_than_the_elements_resolve_stops_the_run(order: int, elements: int, angle: float) -> None:
    with pytest.raises(fm.RunFailed, match=r"'bar'.*: rotation beyond interpolation") as stopped:
        _torque(order, elements, angle)
    assert stopped.value.result.status == "failed" and len(stopped.value.result.time) > 10


def _torque(order: int, elements: int, angle: float) -> float:
    section = Section.circle(0.002, Material(young=1e9, poisson=0.3, density=1000))
    model = fm.Model()
    bar = model.add(
        Beam(
            section,
            (0, 0, 0),
            (1, 0, 0),
            up=(0, 0, 1),
            elements=elements,
            order=order,
            damping=1e-2,
            name="bar",
        )
    )
    model.fix(bar.start)
    turn = fm.time_functions.SmoothStep(0.0, 1.0, 0.0, angle)
    drive = model.add(DrivenRevolute(model.ground, bar.end, at=(1, 0, 0), axis=(1, 0, 0), angle=turn))
    result = fm.simulate(model, 1.5, fm.StepControl.fixed(5e-3))
    return float(result.of(drive).reaction.moment[-1][0] / (section.stiffness[3, 3] * angle))


def test_a_reference_line_that_turns_too_far_within_an_element_is_refused() -> None:
    def helix(s: float) -> Any:
        angle = 2 * np.pi * s
        tangent = np.array([-np.sin(angle), np.cos(angle), 0.3]) / np.hypot(1, 0.3)
        normal = np.array([-np.cos(angle), -np.sin(angle), 0.0])
        place = [np.cos(angle), np.sin(angle), 0.3 * angle]
        return place, np.column_stack([tangent, normal, np.cross(tangent, normal)])

    line = fm.elements.Curve(helix)
    section = diagonal(1e6, 1e2)
    with pytest.raises(
        InputError, match=r"turns by 6\.\d+ rad within element 1, .* give at least 2 elements"
    ):
        fm.Model().add(Beam(section, line=line, elements=1, order=3))
    fm.Model().add(Beam(section, line=line, elements=4, order=3))


def soft(bending: float) -> Section:
    """EA 500 N, 3 N/m, almost no bending stiffness."""
    return Section(np.diag([500.0] * 3 + [bending] * 3), 3.0 / 9.81, np.diag([1e-7] * 3))


def test_a_soft_beam_between_moved_supports_settles_as_a_cable() -> None:
    """1.15 m between supports 1 m and 0.2 m apart: the middle of the elastic catenary is at (0.45938, -0.33235) m."""
    model = fm.Model(gravity=(0, 0, -9.81))
    cable = model.add(Beam(soft(1e-5), (0, 0, 0), (1.15, 0, 0), up=(0, 0, 1), elements=12))
    model.fix(cable.start, rotation=(True, False, True))
    mover = model.node((1.15, 0, 0))
    way = fm.time_functions.SmoothStep(0.0, 40.0, (0, 0, 0), (-0.15, 0, -0.2))
    model.add(fm.PrescribedMotion(mover, displacement=way))
    model.add(Revolute(mover, cable.end, at=(1.15, 0, 0), axis=(0, 1, 0)))
    at_rest = fm.relax(model, 50.0, steps=100)
    middle = cable.node_at(0.5)
    assert at_rest.outputs()["position"][middle.index] == pytest.approx((0.45938, 0.0, -0.33235), abs=1e-5)


def test_a_soft_beam_that_is_let_go_falls_to_its_length() -> None:
    """1.15 m between hinges at its ends, let go: the length through its nodes is that of its strains."""
    model = fm.Model(gravity=(0, 0, -9.81))
    cable = model.add(Beam(soft(1e-4), (0, 0, 0), (1.15, 0, 0), up=(0, 0, 1), elements=24))
    for end in (cable.start, cable.end):
        model.fix(end, rotation=(True, False, True))
    result = fm.simulate(model, 2.0, fm.StepControl.fixed(0.02))
    strain = np.linalg.norm(result.of(cable).section_strain()[..., :3] + (1.0, 0.0, 0.0), axis=2).max() - 1.0
    assert length(result.of(cable.nodes).position).max() < 1.15 * (1 + strain) * 1.01
    assert strain < 0.1


def test_a_soft_beam_sags_as_irvines_cable_in_statics() -> None:
    """Irvine (1981), a flat cable of the length of its span: H^3 = EA (w L)^2/24, sag w L^2/(8 H), to second order."""
    model = fm.Model(gravity=(0, 0, -9.81))
    cable = model.add(Beam(soft(1e-4), (0, 0, 0), (1.15, 0, 0), up=(0, 0, 1), elements=24))
    for end in (cable.start, cable.end):
        model.fix(end, rotation=(True, False, True))
    found = fm.find_equilibrium(model)
    pull = (500.0 * (3.0 * 1.15) ** 2 / 24) ** (1 / 3)
    assert -found.of(cable.node_at(0.5)).position[2] == pytest.approx(3.0 * 1.15**2 / (8 * pull), rel=1e-2)


COLUMN = Section.rectangle(0.02, 0.01, Material(young=210e9, poisson=0.3, density=7850))


@pytest.mark.parametrize(
    ("ends", "order", "elements", "allowed"),
    [("pinned", 4, 2, 0.02), ("clamped", 4, 2, 0.02), ("pinned", 3, 4, 0.02), ("clamped", 3, 4, 0.02)],
)
def test_columns_buckle_at_eulers_load(ends: str, order: int, elements: int, allowed: float) -> None:
    assert _first_factor(ends, order, elements) == pytest.approx(1.0, rel=allowed)


@pytest.mark.out_of_range("buckling")
@pytest.mark.parametrize("ends", ["pinned", "clamped"])
def test_columns_of_two_nodes_converge_with_the_square(ends: str) -> None:
    errors = [abs(_first_factor(ends, 2, elements) - 1.0) for elements in (8, 16)]
    assert errors[0] < 0.13 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)


@pytest.mark.parametrize(
    ("ends", "order", "elements"), [("pinned", 2, 1), ("clamped", 2, 2), ("clamped", 3, 1)]
)
def test_elements_that_cannot_buckle_have_no_buckling_load(ends: str, order: int, elements: int) -> None:
    """What is singular there is far beyond small strains, and in tension."""
    with pytest.raises(fm.SolverFailure, match="too few"):
        _first_factor(ends, order, elements)


@pytest.mark.parametrize(("order", "elements", "needed"), [(4, 1, 3), (3, 2, 5), (2, 8, 20)])
def test_elements_too_long_to_buckle_are_named(order: int, elements: int, needed: int) -> None:
    with pytest.warns(RangeWarning, match=rf"'beam'.*give it {needed} elements"):
        _first_factor("clamped", order, elements)
    assert _first_factor("clamped", order, needed) == pytest.approx(1.0, rel=0.02)


def _first_factor(ends: str, order: int, elements: int) -> float:
    bending = COLUMN.stiffness[4, 4]
    model = fm.Model()
    beam = model.add(Beam(COLUMN, (0, 0, 0), (1, 0, 0), up=(0, 0, 1), elements=elements, order=order))
    model.add(Force(beam.end, (-1, 0, 0)))
    free = (True, False, True) if ends == "pinned" else True
    model.fix(beam.start, rotation=free)
    model.fix(beam.end, translation=(False, True, True), rotation=free)
    euler = np.pi**2 * bending * (1 if ends == "pinned" else 4)
    return float(fm.buckling(model, 1).load_factors[0] / euler)
