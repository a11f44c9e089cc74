"""Machines of building blocks: where parts stand, pitch in time by a swashplate, springs in hinges, bad input."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fem_mbd as fm
from fem_mbd import InputError, modes
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines import Drivetrain, Hinge, Hub, MachineFamily, Rotor, assemble, build_rotor, swashplate

LENGTH, MASS = 6.0, 7.0


def blade() -> Blade:
    stiffness = np.diag([1e8, 1e8, 1e8, 1e8, 1e8, 1e8])
    section = Section(stiffness, MASS, MASS * np.diag([2e-3, 1e-3, 1e-3]))
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, LENGTH]], [0.0, 0.0])
    return Blade(axis, SectionTable([0.0, 1.0], [section, section]))


def test_cone_precone_azimuth_and_pitch_place_the_blades() -> None:
    rotor = Rotor(blade(), Hub(0.5), 2, cone=0.1, pitch=0.2, precone=0.05, azimuth=0.3)
    made = assemble(build_rotor("rotor", rotor, axis=np.array([1.0, 0.0, 0.0])))
    root = made.beams["blade1"].start.position
    # the axis of rotation is x: blade 1 stands 0.3 rad on from the direction of azimuth 0
    first = assemble(build_rotor("rotor", Rotor(blade(), Hub(0.5), 2), axis=np.array([1.0, 0.0, 0.0])))
    zero = first.beams["blade1"].end.position / (0.5 + LENGTH)
    across = np.cross([1.0, 0.0, 0.0], zero)
    radial = np.cos(0.3) * zero + np.sin(0.3) * across
    assert root == pytest.approx(0.5 * (np.cos(0.1) * radial + np.sin(0.1) * np.eye(3)[0]), abs=1e-12)
    along = (made.beams["blade1"].end.position - root) / LENGTH
    # precone leans by 0.05 rad, towards where pitch has turned the blade's x axis
    assert along @ (root / 0.5) == pytest.approx(np.cos(0.05), abs=1e-12)
    # positive pitch takes the leading edge, which goes ahead, to -x
    leading = -made.frames["blade1"].rotation[:, 1]
    assert leading[0] == pytest.approx(-np.sin(0.2) * np.cos(0.1), abs=1e-12)
    assert leading @ np.cross([1.0, 0.0, 0.0], radial) > 0.9


def test_a_swashplate_moves_pitch_with_azimuth() -> None:
    """theta_0 + theta_c cos psi + theta_s sin psi, seen in the blade's rotation about its own axis."""
    rate, angles = 5.0, (0.05, 0.1, -0.08)
    machine = build_rotor("rotor", Rotor(blade(), Hub(0.5, 10.0, inertia=1.0), 2), speed=rate)
    motions = {f"pitch{k + 1}": swashplate(*angles, rate, k * np.pi) for k in (0, 1)}
    made = assemble(machine, motions=motions, turning=True)
    result = fm.run(fm.Simulation(made.model, 0.4, fm.StepControl.fixed(0.02)))
    psi = rate * np.asarray(result.output_time)
    wanted = angles[0] + angles[1] * np.cos(psi) + angles[2] * np.sin(psi)
    arm, root = made.beams["hub1"].end, made.beams["blade1"].start
    hub, own = result.of(arm).rotation_matrix, result.of(root).rotation_matrix
    # what the root has turned more than the arm, in global axes as built
    more = np.einsum("ij,tkj,tkl,ml->tim", arm.rotation, hub, own, root.rotation)
    link = next(link for link in machine.links if link.name == "pitch1")
    angle = angles[0] + angles[1] + Rotation.from_matrix(more).as_rotvec() @ made.axis(link)
    assert angle == pytest.approx(wanted, abs=2e-4)


def test_a_hinge_spring_carries_a_blade_that_stands_still() -> None:
    """sqrt(k/I) of a stiff blade on a spring, the shaft held."""
    stiffness = 1e5
    rotor = Rotor(blade(), Hub(0.4, 10.0, inertia=1.0), 2, hinges=(Hinge("flap", 0.3, stiffness),))
    found = modes(assemble(build_rotor("rotor", rotor), locked=True).model, 2)
    inertia = MASS * ((LENGTH + 0.1) ** 3 - 0.1**3) / 3
    assert found.frequencies_hz == pytest.approx(
        np.sqrt(stiffness / inertia) / (2 * np.pi) * np.ones(2), rel=2e-2
    )


def test_motions_belong_to_bearings() -> None:
    machine = build_rotor("rotor", Rotor(blade(), Hub(0.5), 2))
    with pytest.raises(InputError, match=r"no bearing 'ptch1'; .*pitch1"):
        assemble(machine, motions={"ptch1": 0.0})
    with pytest.raises(InputError, match=r"rotor 'rotor': speed \(rad/s\)"):
        build_rotor("rotor", Rotor(blade(), Hub(0.5), 2), speed="fast")


SPUN = Rotor(blade(), Hub(0.5, 10.0, inertia=1.0), 2)
RISE = fm.time_functions.SmoothStep(0.0, 0.5, 0.0, 20.0)  # rad/s


@pytest.mark.parametrize("how", ["speed", "motion"])
def test_a_rotor_spins_up_from_rest(how: str) -> None:
    """Work of the driver = kinetic energy of the turning blades, J Omega^2/2."""
    if how == "speed":
        made = assemble(build_rotor("rotor", SPUN, speed=RISE), turning=True)
    else:
        angle = fm.time_functions.Polynomial((0.0, 0.0, 20.0))  # rad: 40 rad/s^2
        made = assemble(build_rotor("rotor", SPUN), motions={"shaft": angle}, turning=True)
    result = fm.simulate(made.model, 0.5, fm.StepControl.fixed(2e-3))
    # the shaft and the mast are stiff beams
    speed = result.of(made.beams["shaft"].start).angular_velocity[:, 2]
    assert speed[0] == pytest.approx(RISE.value(2e-3) if how == "speed" else 40 * 2e-3, rel=1e-3)
    assert speed[-1] == pytest.approx(20.0, rel=1e-3)
    # both blades about the axis, with their own inertia across it
    inertia = 1.0 + 2 * (MASS * ((LENGTH + 0.5) ** 3 - 0.5**3) / 3)
    assert result.energy["work_drivers"].sum() == pytest.approx(0.5 * inertia * 20.0**2, rel=1e-2)
    assert result.summary["energy"]["relative"] < 1e-12


def test_a_rotor_starts_in_steady_rotation_at_the_speed_of_its_function() -> None:
    made = assemble(build_rotor("rotor", SPUN, speed=lambda t: 20.0 + 0.0 * t), turning=True)
    omega = made.model.velocities[made.beams["blade1"].end.index][1]
    assert omega == pytest.approx([0.0, 0.0, 20.0], abs=1e-12)
    driven = assemble(build_rotor("rotor", SPUN), motions={"shaft": lambda t: 20.0 * t}, turning=True)
    place = driven.beams["blade1"].end.position
    velocity = driven.model.velocities[driven.beams["blade1"].end.index][0]
    assert velocity == pytest.approx(np.cross((0, 0, 20.0), place), abs=1e-6)


def test_nodes_of_a_rotor_cannot_be_turned_about_themselves() -> None:
    made = assemble(build_rotor("rotor", SPUN))
    with pytest.raises(InputError, match="no point about which they turn: give about=POINT"):
        made.model.set_velocity(list(made.rotor.nodes), omega=(0, 0, 20.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hinge("twist", 0.3), "kind is 'twist'"),  # type: ignore[arg-type]
        (lambda: Hinge("flap", 0.3, -1.0), "stiffness is -1: it must not be negative"),
        (lambda: Hub(0.0), "hub: radius"),
        (lambda: Rotor(blade(), Hub(0.2), hinges=(Hinge("flap", 0.3),)), "each has to lie beyond"),
        (lambda: Rotor(blade(), Hub(0.5), hinges=(Hinge("lag", 0.1), Hinge("lag", 0.2))), "each kind once"),
        (lambda: Rotor((blade(),), Hub(0.5)), "1 blades are given, number is 3"),
        (lambda: Drivetrain(0.0, 2.0), "overhang is 0 m"),
    ],
)
def test_bad_blocks_are_refused(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()  # type: ignore[operator]


def test_a_hinge_spring_is_without_torque_where_its_angle_is_zero() -> None:
    """Built at 0.3 rad the blade goes back by that, and 0.3 rad is where a stiffer load would have to hold it."""
    hinges = (Hinge("flap", 0.2, stiffness=4e4),)
    machine = build_rotor("rotor", Rotor(blade(), Hub(0.5, 10.0, inertia=1.0), 2, hinges=hinges), speed=0.0)
    made = assemble(machine, {"flap1": 0.3})
    found = fm.find_equilibrium(made.model)
    assert found.of("flap1").angle == pytest.approx(-0.3, abs=1e-9)
    assert found.of("flap2").angle == pytest.approx(0.0, abs=1e-9)


@pytest.mark.filterwarnings(
    "ignore::fem_mbd.analysis.statics.bordered_newton.PrecisionWarning"
)  # of the free rotation of the shaft
def test_a_blade_of_two_stations_is_not_one_element() -> None:
    """A uniform hingeless blade by two stations: eight elements, or as many as asked for; flap as on a fine mesh."""
    inertia = 7e-4 * np.diag([2.0, 1.5, 0.5])
    section = Section(np.diag([5e7, 1e7, 1e7, 1e4, 1.2e5, 1.2e4]), 7.0, inertia)
    blade = Blade(BladeAxis([[0, 0, 0], [0, 0, 6.1]], [0.0, 0.0]), SectionTable([0, 1], [section] * 2))

    def flap(elements: int, refine: int = 1) -> float:
        rotor = build_rotor("rotor", Rotor(blade, Hub(0.4, 50.0, inertia=10.0), 4, elements=elements))
        assert len(assemble(rotor, refine=refine).beams["blade1"].bounds) == min(elements, 8) * refine + 1
        found = MachineFamily(rotor, refine=refine, shape="undeflected").campbell([0, 45.0], number=6)
        return float(found.eigenvalues[-1, found.names.index("first flap collective")].imag)

    fine = flap(50, refine=4)
    assert fine > 45.0
    assert flap(50) == pytest.approx(fine, rel=1e-4)
    assert flap(4) == pytest.approx(fine, rel=1e-2)


def test_coning_of_an_articulated_rotor() -> None:
    """Stiff blades hinged at 0.3 m under a given lift, spun up: M/(Omega^2 (e S + I)), tan and sin for small angles."""
    offset, speed, lift = 0.3, 40.0, 300.0
    hinges = (Hinge("flap", offset, damping=8e3),)
    rotor = Rotor(blade(), Hub(offset + 0.05, 10.0, inertia=1.0), 2, hinges=hinges)
    rise = fm.time_functions.SmoothStep(0.0, 1.0, 0.0, speed)
    made = assemble(build_rotor("rotor", rotor, speed=rise))
    load = fm.time_functions.SmoothStep(0.5, 1.0, 0.0, lift) * np.array([0.0, 0.0, 1.0])
    for k in (1, 2):
        made.model.add(fm.elements.LineLoad(made.beams[f"blade{k}"], load))
    result = fm.simulate(made.model, 2.0, fm.StepControl.fixed(4e-3))
    inner, outer = 0.05, 0.05 + LENGTH
    static, inertia = MASS * (outer**2 - inner**2) / 2, MASS * (outer**3 - inner**3) / 3
    coning = lift / MASS * static / (speed**2 * (offset * static + inertia))
    assert result.of("flap1").angle[-1] == pytest.approx(coning, rel=2e-3)


def test_blades_that_share_sections_share_the_work_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sections between the stations of a tapering blade are made once, however many blades and models there are."""
    made, from_mass_matrix = [], Section.from_mass_matrix

    def counted(*given: Any) -> Section:
        made.append(given)
        return from_mass_matrix(*given)

    monkeypatch.setattr(Section, "from_mass_matrix", counted)
    root = Section(np.diag([1e8, 1e8, 1e8, 1e6, 2e6, 3e6]), MASS, MASS * np.diag([2e-3, 1e-3, 1e-3]))
    tip = Section(0.2 * root.stiffness, 0.2 * MASS, 0.2 * MASS * np.diag([2e-3, 1e-3, 1e-3]))
    counts = []
    for number in (1, 4):
        table = SectionTable([0.0, 1.0], [root, tip])
        tapering = Blade(BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, LENGTH]], [0.0, 0.0]), table)
        machine = build_rotor("rotor", Rotor(tapering, Hub(0.5), number))
        before = len(made)
        for locked in (False, True):
            assemble(machine, locked=locked)
        counts.append(len(made) - before)
    # pieces of the hub have sections of their own
    assert 0 < counts[1] - counts[0] < 0.25 * counts[0]
