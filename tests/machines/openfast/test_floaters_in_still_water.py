"""Floating machines in statics and runs: modes of the linear model, tilt by hand, loads, free decay of pitch."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import InputError, LinearModel, Node, run
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.base.arrays import Array
from fem_mbd.cases._machine_file import machine_case
from fem_mbd.machines import Assembly, LeftOutWarning, MachineFamily, assemble, with_elements
from fem_mbd.machines.assembly.bearings import mass_with_weight
from fem_mbd.machines.assembly.still_water import decompose
from tests.machines.openfast.test_floaters import MAINS, read

FEW = 3  # elements of a blade and the tower


def resting(name: str) -> tuple[Assembly, fm.Equilibrium]:
    """The machine in its files' gravity, shaft held, and its equilibrium."""
    machine = with_elements(read(name), FEW)
    assert machine.floater is not None
    made = assemble(
        machine, machine.start, gravity=machine.floater.gravity, locked=True, standing=True, stiffest=1e3
    )
    return made, fm.find_equilibrium(made.model, load_steps=2)


def pitch_of(platform: Node, rotations: Array) -> float:
    """rad, of a state's rotations (n, 3, 3), about y."""
    return float(np.arcsin((rotations[platform.index] @ platform.rotation.T)[0, 2]))


@pytest.mark.out_of_range("does not resolve its mode")
@pytest.mark.parametrize("name", MAINS)
def test_modes_about_the_equilibrium_are_those_of_the_linear_model(name: str) -> None:
    """The same matrices by springs and guided bodies; the equilibrium is tilted by up to 1.6 degrees."""
    made, found = resting(name)
    explicit = fm.modes(made.model, 8, at=found)
    linear = modes_of(MachineFamily(made.machine, made.machine.start, locked=True).at(0.0), 8)
    assert explicit.frequencies_hz == pytest.approx(linear.frequencies_hz, rel=5e-3)
    assert explicit.damping_ratios == pytest.approx(linear.damping_ratios, rel=0.02, abs=1e-5)


@pytest.mark.parametrize("name", ["OC3", "IEA 15"])
def test_tilt_is_the_moment_of_the_weights_over_the_stiffness_of_the_water(name: str) -> None:
    """Surge s and pitch of the platform: K (s, pitch) = (0, sum m g x - W s), weights where they are in equilibrium."""
    made, found = resting(name)
    floater = made.machine.floater
    assert floater is not None
    mass = mass_with_weight(assemble(made.machine, made.machine.start))
    arms = found.state.u[: len(mass), 0] - floater.reference[0]  # water that moves along comes last
    moment, lift = floater.gravity * mass @ arms, floater.gravity * mass.sum()
    stiffness = floater.stiffness[np.ix_([0, 4], [0, 4])].copy()
    stiffness[1, 0] += lift
    expected = np.linalg.solve(stiffness, [0.0, moment])
    assert abs(expected[1]) > 1e-3
    assert pitch_of(made.node(*floater.end), found.state.r) == pytest.approx(expected[1], rel=1e-3)


def test_tower_base_carries_what_stands_on_it() -> None:
    """The weight above the tower's foot, from the files' masses: within 1 % (half an element's weight)."""
    machine = read("OC3")
    loads = machine.loads(elements=FEW)
    mass = sum(
        m.blade.mass + sum(l.mass for l in m.lumps if (m.name, l.node) != ("tower", 0))
        for m in machine.members
    )
    assert loads["TwrBsFzt"] == pytest.approx(-9.81 * mass, rel=0.01)


def test_pitch_swings_with_frequency_and_damping_of_its_mode() -> None:
    """OC3 pushed into the shape of its pitch mode, a run of one and a half periods, the rotor held."""
    made, found = resting("OC3")
    linear = fm.linearise(made.model, found)
    modes = modes_of(linear, 6)
    platform = made.node(*made.machine.floater.end)  # type: ignore[union-attr]
    k = int(np.argmax(np.abs(modes.vectors.T @ (linear.basis.T @ _pitching(linear, platform)))))
    shape = np.zeros((linear.system.workspace.n, 6))
    shape[~linear.system.fixed] = (linear.basis @ modes.vectors[:, k]).real
    state = found.state.copy()
    state.v += 0.02 * shape[:, :3] / np.abs(shape[platform.index, 3:]).max()
    state.omega += 0.02 * shape[:, 3:] / np.abs(shape[platform.index, 3:]).max()
    value = modes.eigenvalues[k]
    simulation = fm.Simulation(made.model, 3 * np.pi / value.imag, fm.StepControl.fixed(0.3), initial=state)
    times, pitches = [], []
    for _ in simulation.steps():
        times.append(simulation.state.time)
        pitches.append(pitch_of(platform, simulation.state.r))
    swing = np.array(pitches) - pitch_of(platform, found.state.r)
    wave = swing[0] / np.imag(np.exp(value * times[0])) * np.imag(np.exp(value * np.array(times)))
    assert np.abs(swing - wave).max() < 0.03 * np.abs(wave).max()


def _pitching(linear: LinearModel, platform: Node) -> Array:
    """(n,) free unknowns: the turn of the platform's node about y."""
    full = np.zeros((linear.system.workspace.n, 6))
    full[platform.index, 3:] = platform.rotation.T @ [0.0, 1.0, 0.0]
    return np.asarray(full[~linear.system.fixed])


def test_run_starts_in_steady_motion() -> None:
    """With the rotor turning: the tower's top swings by less than a tenth of its deflection."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        case = machine_case(MAINS["IEA 15"])
        p = case.parameters(elements=FEW, end_time=6.0, dt=0.1)
        result = run(case.build(p))
        made = case.checks(result, p)
    assert all(check.passed for check in made), made


def test_a_platform_without_lines_drifts() -> None:
    """Nothing holds it in surge: statics are refused, its modes are not."""
    machine = with_elements(read("IEA 15"), FEW)
    assert machine.floater is not None
    stiffness = machine.floater.stiffness.copy()
    stiffness[0, :] = stiffness[:, 0] = 0.0
    adrift = replace(machine, floater=replace(machine.floater, stiffness=stiffness))
    with pytest.raises(InputError, match="it has no mooring lines and can drift"):
        adrift.loads(elements=FEW)
    assert len(adrift.modes(number=4, elements=FEW)) == 4


def test_a_matrix_is_made_of_lines_and_turns() -> None:
    """Any positive matrix whose translations are not coupled with turns about themselves."""
    rng = np.random.default_rng(3)
    axes = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    matrix = np.zeros((6, 6))
    for value, direction in zip((2.0, 3.0, 5.0), axes.T, strict=True):
        wrench = np.concatenate([direction, np.cross(rng.standard_normal(3), direction)])
        matrix += value * np.outer(wrench, wrench)
    matrix[3:, 3:] += np.diag([1.0, 2.0, 4.0])
    found = decompose(matrix, "matrix")
    again = np.zeros((6, 6))
    for value, direction, arm in found.each():
        wrench = np.concatenate([direction, np.cross(arm, direction)])
        again += value * np.outer(wrench, wrench)
    again[3:, 3:] += found.rotational
    assert again == pytest.approx(matrix, abs=1e-12)
    screw = np.eye(6)
    screw[0, 3] = screw[3, 0] = 0.5
    with pytest.raises(InputError, match=r"is coupled with the rotation about it by 0\.5 m"):
        decompose(screw, "matrix")
