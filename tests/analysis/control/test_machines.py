"""Tests of state-space models of machines in multi-blade coordinates: independence of azimuth, nonlinear runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.signal import lsim

import fem_mbd as fm
from fem_mbd import machines
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.cases.iea15mw_turbine import machine as iea15mw
from fem_mbd.core.model.time_functions import SmoothStep
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import BladeAxis, JointTorque, Section, SectionTable
from fem_mbd.elements.blades.blade import Blade
from tests.machines.hawc2.htc_files import write_machine

pytestmark = pytest.mark.slow

# lumped mass of the shaft in the small machine, made axisymmetric
ROUND = ("1 0 0.5 0 1000 400 500 600", "1 0 0 0 1000 400 400 600")
SPEED = 4.0
INPUTS = ["generator.torque", "tower@1.force[x]", "tower@1.force[y]", "collective(pitch1.angle)"]
OUTPUTS = [
    "tower@1.displacement[x]", "tower@1.displacement[y]", "generator.angular_velocity[2]", "tower@0.section_force[M2]",
    "collective(blade1@0.section_force[M3])", "cosine(blade1@0.section_force[M3])", "sine(blade1@0.section_force[M3])",
]  # fmt: skip


@pytest.fixture(name="small")
def small_machine(tmp_path: Path) -> machines.Machine:
    return machines.read_hawc2_machine(write_machine(tmp_path, *ROUND))


def scaled(gains: Any, of: Any) -> Any:
    """Relative to the largest gain of each output; the blades' moments relative to the largest of the three."""
    size = np.abs(of).max(axis=1)
    size[4:] = size[4:].max()
    return gains / size[:, None]


def test_the_azimuth_changes_nothing(small: machines.Machine) -> None:
    """The response to a pitch motion in all is that of its angle, rate and acceleration, H_0 + s H_1 + s^2 H_2.

    How it divides is open by a rotation c of the free shaft that goes with the pitch: to H_1 comes c times the gain of
    that rotation's rate, to H_2 -c/s times. Round-off decides c, which is the static solution's part along a motion
    without stiffness; it cancels in the sum. The sum has the round-off of the stiffness, 2e10 N/m times 1e-16, over
    that of the softest motion, 6e3 N/m, from each of some hundred entries with arms of 8 m: 3e-7.
    """
    found, rate = [], 5j
    for azimuth in (0.0, 0.4):
        family = machines.MachineFamily(small, {"rot": azimuth}, shape="equilibrium")
        space = fm.state_space(family, INPUTS, OUTPUTS, speed=SPEED)
        gains = space.transfer(rate)
        assert [name.split(".")[-1] for name in space.inputs[3:]] == [
            "angle)", "angular_velocity)", "angular_acceleration)"
        ]  # fmt: skip
        found.append(np.column_stack([gains[:, :3], gains[:, 3:] @ [1.0, rate, rate**2]]))
    first, second = found
    assert scaled(second, first) == pytest.approx(scaled(first, first), abs=3e-7)
    assert scaled(second, first)[:, :3] == pytest.approx(scaled(first, first)[:, :3], abs=1e-9)  # of forces


def test_the_lowest_modes_respond_as_all_of_them(small: machines.Machine) -> None:
    family = machines.MachineFamily(small, shape="equilibrium")
    full, few = (fm.state_space(family, INPUTS, OUTPUTS, modes=modes, speed=SPEED) for modes in (None, 16))
    assert (full.frame, full.speed) == ("multi-blade", SPEED)
    assert few.states[:4] == (
        "shaft rotation",
        "rate of shaft rotation",
        few.states[2],
        f"rate of {few.states[2]}",
    )
    at = 0.5j * np.abs(few.eigenvalues[2])
    assert scaled(few.transfer(at), full.transfer(at)) == pytest.approx(
        scaled(full.transfer(at), full.transfer(at)), abs=1e-3
    )
    # driven pitch bearings do not change the modes
    fixed = modes_of(family.at(SPEED), 16)
    own = few.eigenvalues[few.eigenvalues.imag > 0]
    assert own == pytest.approx(fixed.eigenvalues[1:], rel=1e-6)


def test_pitch_turns_the_blades(small: machines.Machine) -> None:
    """Static gain from the angle itself; its rate and second derivative have no effect on a constant state."""
    family = machines.MachineFamily(small, shape="undeflected")
    space = fm.state_space(family, ["collective(pitch1.angle)"], ["collective(blade1@1.rotation)"])
    assert space.inputs == tuple(
        f"collective(pitch1.{what})" for what in ("angle", "angular_velocity", "angular_acceleration")
    )
    turned = space.transfer(1e-6)[:, 0].real
    assert np.linalg.norm(turned) == pytest.approx(1.0, rel=1e-3)


def test_bad_input(small: machines.Machine) -> None:
    family = machines.MachineFamily(small)
    for inputs, outputs, said in (
        (["blade1@1.force[x]"], [], r"choose collective\(blade1@1.force\[x\]\), cosine"),
        (["collective(blade2@1.force[x])"], [], "'blade2' is not on blade 1"),
        (["collective(tower@1.force[x])"], [], "'tower' is not on blade 1"),
        (["pitch4.angle"], [], "no bearing 'pitch4' of kind 'angle'"),
        (["rot.angle"], [], "no bearing 'rot' of kind 'angle'"),
        (["mean(blade1@1.force[x])"], [], "unknown harmonic 'mean'"),
        ([], ["generator.speed"], "has no 'speed'"),
    ):  # fmt: skip
        with pytest.raises(fm.InputError, match=said):
            fm.state_space(family, inputs, outputs, speed=SPEED, modes=4)
    with pytest.raises(fm.InputError, match="at and spin are for models"):
        fm.state_space(family, [], [], spin=family.assembly.rotor.spin(1.0))
    with pytest.raises(fm.InputError, match="speed is for machines"):
        fm.state_space(family.assembly.model, [], [], speed=1.0)


def free_run(
    family: machines.MachineFamily, speed: float, dt: float, end: float, torque: Any, pitch: Any
) -> tuple[machines.Assembly, Any]:
    """A nonlinear run from the equilibrium in steady rotation."""
    names = [name for name in family.machine.bearings if name.startswith("pitch")]
    made = machines.assemble(family.machine, motions=dict.fromkeys(names, pitch))
    found, state = family.equilibrium(speed).state, System(made.model).reference_state()
    for name in ("u", "r", "v", "omega", "slope"):
        getattr(state, name)[:] = getattr(found, name)
    joint = next(s for s in System(made.model).joints.specs if s.name == family.generator)  # type: ignore[union-attr]
    made.model.add(JointTorque(joint.k, joint.l, made.rotor.axis, -1.0 * torque))
    exact = fm.NewtonOptions(tolerance=1e-12)  # the responses are a hundred-millionth of the motion
    return made, fm.simulate(made.model, end, fm.StepControl.fixed(dt), newton=exact, initial=state)


def follows(
    family: machines.MachineFamily, speed: float, dt: float, end: float, load: tuple[float, float], modes: int
) -> None:
    """Response of tower, shaft and blades to a smoothly rising torque and pitch agrees with the state space to 1e-3.

    Displacements of the tower are compared with their largest in any direction.
    """
    space = fm.state_space(
        family.driving(["pitch1"]), ["generator.torque", "collective(pitch1.angle)"],
        ["tower@1.displacement[x]", "tower@1.displacement[y]", "generator.angle"], modes=modes, speed=speed,
    )  # fmt: skip
    times, fine = np.linspace(0.1 * end, end, 10), np.linspace(0.0, end, 2001)
    torque, angle = (SmoothStep(0.0, 0.4 * end, 0.0, size) for size in load)
    given = np.array([[float(torque.value(t)), float(angle.value(t)), float(angle.rate(t))] for t in fine])
    u = np.column_stack([given, np.gradient(given[:, 2], fine)])
    own = lsim((space.A, space.B, space.C, space.D), u, fine)[1][200::200]
    seen = []
    for target in (0.0, 1.0):
        made, result = free_run(family.driving(["pitch1"]), speed, dt, end, target * torque, target * angle)
        at = result.at(times)
        top = at.of(made.beams["tower"].end).displacement
        seen.append(np.column_stack([top[:, :2], at.of(family.generator).angle]))
    moved = seen[1] - seen[0]
    largest = np.abs(moved).max(axis=0)
    largest[:2] = largest[:2].max()
    assert (np.abs(moved - own).max(axis=0) <= 1e-3 * largest).all()


def test_a_small_machine_under_torque_and_pitch(small: machines.Machine) -> None:
    follows(machines.MachineFamily(small, shape="equilibrium"), SPEED, 0.005, 1.0, (1.0, 1e-5), 26)


@pytest.mark.slow
def test_the_iea_15mw_turbine_under_torque_and_pitch() -> None:
    # fore-aft the tower moves a twentieth of what it moves sideways, and round-off of the equilibrium, whose connecting
    # pieces are stiff, is up to 5e-3 of that
    follows(machines.MachineFamily(iea15mw(), shape="equilibrium"), 0.7435, 0.02, 2.5, (2e3, 1e-5), 60)


@pytest.mark.parametrize("number", [3, 5])
def test_rates_in_blades_are_derivatives_in_blade_coordinates(number: int) -> None:
    """q_b = a_0 + a_c cos psi_b + a_s sin psi_b: of q_b' the harmonics are a_0', a_c' + Omega a_s, a_s' - Omega a_c."""
    section = Section(1e8 * np.eye(6), 7.0, 7.0 * np.diag([2e-3, 1e-3, 1e-3]))
    blade = Blade(
        BladeAxis([[0, 0, 0], [0, 0, 6.0]], [0.0, 0.0]), SectionTable([0.0, 1.0], [section, section])
    )
    hinges = (machines.Hinge("flap", 0.2, stiffness=4e4, damping=30.0),)
    rotor = machines.build_rotor(
        "rotor", machines.Rotor(blade, machines.Hub(0.5, 10.0, inertia=1.0), number, hinges=hinges)
    )
    speed, waves = 3.0, ("collective", "cosine", "sine")
    outputs = [f"{wave}(flap1.{q})" for q in ("angle", "angular_velocity[2]") for wave in waves]
    space = fm.state_space(
        machines.MachineFamily(rotor, shape="equilibrium"),
        ["collective(blade1@1.force[x])"],
        outputs,
        speed=speed,
    )
    own, mixed = space.C[:3], np.array([[0, 0, 0], [0, 0, speed], [0, -speed, 0]])
    assert space.C[3:] == pytest.approx(own @ space.A + mixed @ own, abs=1e-8)
