"""A teetering rotor with two blades, and a turbine's rotor braked by its generator, against closed forms.

Two stiff blades of the mass mu per length from R_0 to R on a teeter hinge square to them, with a spring k:
nu^2 = 1 + k/(I Omega^2) per revolution, I = 2 mu (R^3 - R_0^3)/3. Under a steady torque Q and a generator's k Omega^2
a rotor comes to Omega = sqrt(Q/k).
"""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import Spin
from fem_mbd.elements import Force, LoadTable, QuadraticTorque
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines import (
    Assembly,
    Hub,
    MachineFamily,
    Rotor,
    Teeter,
    add_load_tables,
    assemble,
    build_rotor,
    read_openfast_machine,
)
from tests.machines.openfast.openfast_files import deck
from tests.refusals import refused

LENGTH, RADIUS, MASS, SPEED = 6.0, 0.5, 7.0, 5.0
INERTIA = 2 * MASS * ((RADIUS + LENGTH) ** 3 - RADIUS**3) / 3
X = np.array([1.0, 0.0, 0.0])


def blade() -> Blade:
    section = Section(np.diag([1e9, 1e9, 1e9, 1e9, 1e9, 1e9]), MASS, MASS * 1e-4 * np.diag([2.0, 1.0, 1.0]))
    return Blade(
        BladeAxis([[0, 0, 0], [0, 0, LENGTH]], [0.0, 0.0]), SectionTable([0.0, 1.0], [section, section])
    )


def teetering(stiffness: float, azimuth: float = 0.0, undersling: float = 0.05) -> Assembly:
    rotor = Rotor(blade(), Hub(RADIUS), 2, azimuth=azimuth, teeter=Teeter(undersling, stiffness))
    return assemble(build_rotor("teetering", rotor, axis=X), locked=True)


@pytest.mark.parametrize(("stiffness", "azimuth"), [(2e4, 0.0), (6e4, 0.8)])
def test_teeter_frequency(stiffness: float, azimuth: float) -> None:
    made = teetering(stiffness, azimuth)
    found = fm.modes(made.model, 3, spin=Spin(made.rotor.point, X, SPEED))
    wanted = np.sqrt(1.0 + stiffness / (INERTIA * SPEED**2))
    assert np.abs(found.eigenvalues.imag)[0] / SPEED == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("undersling", [0.05, -0.05])
def test_positive_teeter_takes_blade_1_to_the_suction_side(undersling: float) -> None:
    """A force F at the tip turns the rotor by F R/k."""
    stiffness, force = 1e5, 10.0
    made = teetering(stiffness, 0.8, undersling)
    made.model.add(Force(made.beams["blade1"].end, force * X))
    found = fm.find_equilibrium(made.model)
    moved = [found.of(made.beams[f"blade{k}"].end).displacement[0] for k in (1, 2)]
    reach = RADIUS + LENGTH
    assert moved == pytest.approx([force * reach**2 / stiffness, -force * reach**2 / stiffness], rel=1e-2)


def test_the_shaft_feels_the_spring_of_the_teeter_hinge_only() -> None:
    """At azimuth 0 the pin is along y: a force F at the tip of blade 1 makes F R about it, which the spring holds."""
    made = teetering(1e6)
    made.model.add(Force(made.beams["blade1"].end, 10.0 * X))
    found = fm.find_equilibrium(made.model).loads()
    assert found["LSSTipMya"] == pytest.approx(10.0 * (RADIUS + LENGTH), rel=1e-3)
    assert found["RotThrust"] == pytest.approx(10.0, rel=1e-3)


def test_what_cannot_teeter() -> None:
    refused("two blades, not for 3", lambda: Rotor(blade(), Hub(RADIUS), 3, teeter=Teeter(0.1)))
    refused("stiffness", Teeter, 0.1, -1.0)


def test_two_blades_are_sent_to_floquet() -> None:
    family = MachineFamily(build_rotor("rotor", Rotor(blade(), Hub(RADIUS), 2), axis=X))
    refused("Floquet", family.at, 1.0)


def test_steady_speed_of_a_rotor_with_a_generator() -> None:
    """Three blades under a table of loads from rest: Omega = Omega_0 tanh(t k Omega_0/I), Omega_0 = sqrt(Q/k)."""
    push, factor = 40.0, 400.0
    made = assemble(build_rotor("rotor", Rotor(blade(), Hub(RADIUS, 10.0, inertia=1.0), 3), axis=X))
    force = np.zeros((2, 3))
    force[:, 1] = -push  # towards the leading edge
    add_load_tables(made, LoadTable([0.0, LENGTH], force))
    made.add_generator(QuadraticTorque(factor))
    torque = 3 * push * ((RADIUS + LENGTH) ** 2 - RADIUS**2) / 2
    final, inertia = np.sqrt(torque / factor), 1.5 * INERTIA + 1.0
    end = 2.5 * inertia / (factor * final)
    result = fm.run(fm.Simulation(made.model, end, fm.StepControl.fixed(end / 160)))
    speed = result.of(made.rotor.hub).angular_velocity @ made.rotor.axis
    wanted = final * np.tanh(result.output_time * factor * final / inertia)
    assert speed == pytest.approx(wanted, abs=3e-3 * final)
    # at the end the generator holds what the rotor brings, by the shaft
    held = result.of("generator").torque[-1]
    assert held == pytest.approx(factor * speed[-1] ** 2, rel=2e-3)
    assert result.loads("RotTorq")["RotTorq"][-1] == pytest.approx(held, rel=5e-3)
    assert abs(result.summary["energy"]["relative"]) < 1e-10


def test_a_held_shaft_takes_no_generator() -> None:
    made = assemble(build_rotor("rotor", Rotor(blade(), Hub(RADIUS), 3), axis=X), locked=True)
    refused("generator", lambda: made.add_generator(QuadraticTorque(1.0)))


@pytest.mark.parametrize("flag", ["locked", "driven"])
def test_a_held_generator_behind_a_gearbox_has_its_own_inertia(tmp_path: Path, flag: str) -> None:
    """With the generator held, GenIner turns with the nacelle, whatever the ratio of the gearbox that holds it.

    At the rotor GenIner GBRatio^2, here 5.0e7 kg m^2, would be a tenth of what the nacelle and a still rotor have.
    """
    values = {"GenIner": 5000.0, "DrTrDOF": "True", "GenDOF": str(flag == "locked")}
    found = []
    for ratio in (100.0, 1.0):
        folder = tmp_path / str(ratio)
        folder.mkdir()
        machine = read_openfast_machine(deck(folder, elasto=values | {"GBRatio": ratio}))
        found.append(machine.modes(number=5, elements=4, locked=flag == "locked").frequencies_hz)
        largest = max(np.linalg.norm(body.tensor) for body in assemble(machine).model.inertia)
        turns = flag == "locked" and ratio > 1.0  # with the shaft free, it is felt at the rotor
        assert largest == pytest.approx(5.0e7, rel=0.01) if turns else largest < 1e7
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_a_word_is_no_speed() -> None:
    """Functions of time are: `test_building` spins rotors up by them."""
    rotor = Rotor(blade(), Hub(RADIUS), 2)
    refused("speed .rad/s.", build_rotor, "r", rotor, speed="fast")
