"""Tests of ground resonance: Floquet multipliers of a rotor with lag hinges against Coleman and Feingold's equations.

R. P. Coleman and A. M. Feingold, Theory of self-excited mechanical oscillations of helicopter rotors with hinged
blades, NACA Report 1351 (1958). Four blades in multiblade coordinates: sway x, y of the hub and two of the lag.
"""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import RigidBody, SpringDamper
from fem_mbd.joints import DrivenRevolute, Prismatic, Revolute

SPEED, BLADES, STIFFNESS = 15.0, 4, 3e5
HUB, PYLON, SLIDER = 1000.0, 1000.0, 2.0  # kg; all move along x, all but the slider along y
BLADE, ARM, HINGE, OWN = 60.0, 3.333, 0.3, 133.0  # kg, m from hinge to centre, m, kg m^2 about the centre


def coleman_feingold(stiffness_y: float) -> float:
    """Fastest growth, 1/s: eigenvalues of (x, y, lag cosine, lag sine)."""
    s = BLADE * ARM
    inertia = OWN + s * ARM
    lag = HINGE * s / inertia  # (lag frequency / speed)^2
    mass = np.array(
        [
            [SLIDER + PYLON + HUB + BLADES * BLADE, 0, 0, -s * BLADES / 2],
            [0, PYLON + HUB + BLADES * BLADE, s * BLADES / 2, 0],
            [0, s / inertia, 1, 0],
            [-s / inertia, 0, 0, 1],
        ]
    )
    gyroscopic = np.zeros((4, 4))
    gyroscopic[2, 3], gyroscopic[3, 2] = 2 * SPEED, -2 * SPEED
    stiffness = np.diag([STIFFNESS, stiffness_y, *2 * [(lag - 1) * SPEED**2]])
    first = np.block(
        [
            [np.zeros((4, 4)), np.eye(4)],
            [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, gyroscopic)],
        ]
    )
    return float(np.linalg.eigvals(first).real.max())


def rotor(sways: bool) -> fm.Model:
    """A hub on a slider along x and, if it ``sways``, a pylon along y, each on a spring; blades on lag hinges."""
    model, far = fm.Model(name="rotor on springs"), 10.0
    slider = model.add(RigidBody(SLIDER if sways else SLIDER + PYLON, (1.0, 1.0, 1.0), position=(0, 0, 0)))
    model.add(Prismatic(model.ground, slider.node, at=(0, 0, 0), axis=(1, 0, 0)))
    model.add(SpringDamper(model.ground.at((-far, 0, 0)), slider.node, STIFFNESS))
    pylon = slider
    if sways:
        pylon = model.add(RigidBody(PYLON, (10.0, 10.0, 10.0), position=(0, 0, 0)))
        model.add(Prismatic(slider.node, pylon.node, at=(0, 0, 0), axis=(0, 1, 0)))
        model.add(SpringDamper(slider.node.at((0, -far, 0)), pylon.node, STIFFNESS))
    hub = model.add(RigidBody(HUB, (50.0, 50.0, 50.0), position=(0, 0, 0)))
    model.add(DrivenRevolute(pylon.node, hub.node, at=(0, 0, 0), axis=(0, 0, 1), speed=SPEED))
    model.set_velocity(hub, omega=(0, 0, SPEED))
    for k in range(BLADES):
        c, s = np.cos(2 * np.pi * k / BLADES), np.sin(2 * np.pi * k / BLADES)
        along = np.array([c, s, 0])
        turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
        blade = model.add(RigidBody(BLADE, (1.1, OWN, OWN), position=(HINGE + ARM) * along, rotation=turned))
        model.add(Revolute(hub.node, blade.node, at=HINGE * along, axis=(0, 0, 1)))
        model.set_velocity(blade, omega=(0, 0, SPEED), about=(0, 0, 0))
    return model


@pytest.mark.parametrize("sways", [True, False])
def test_growth_of_ground_resonance(sways: bool) -> None:
    """A hub that moves along x only corresponds to a rigid spring along y."""
    found = fm.floquet(rotor(sways), period=2 * np.pi / SPEED, steps=240)
    expected = coleman_feingold(STIFFNESS if sways else 1e12)
    assert expected > 1.0 and not found.stable
    assert found.exponents.real.max() == pytest.approx(expected, rel=1e-4)


def test_growth_is_that_of_the_largest_multipliers_alone() -> None:
    """Two of the twenty multipliers of ten degrees of freedom, in the Krylov space."""
    found = fm.floquet(rotor(True), period=2 * np.pi / SPEED, steps=240, number=4)
    assert found.exponents.real.max() == pytest.approx(coleman_feingold(STIFFNESS), rel=1e-4)


def test_a_run_from_a_displaced_state_has_the_springs_energy() -> None:
    """Initial state changed by hand: the length of its spring follows from the positions."""
    model = fm.Model()
    body = model.add(RigidBody(2.0, (1.0, 1.0, 1.0), position=(1, 0, 0)))
    model.add(Prismatic(model.ground, body.node, at=(1, 0, 0), axis=(1, 0, 0)))
    model.add(SpringDamper(model.ground, body.node, 800.0))
    control = fm.StepControl.fixed(1e-3)
    state = fm.Simulation(model, 1e-3, control).state.copy()
    state.u[body.node.index, 0] += 0.01
    result = fm.run(fm.Simulation(model, 1e-2, control, initial=state), progress=False)
    energy = result.energy
    kept = energy["kinetic"][-1] + energy["elastic"][-1] + energy["dissipation_scheme"].sum()
    assert kept == pytest.approx(0.5 * 800.0 * 0.01**2, rel=1e-9)
    assert result.summary["energy"]["relative"] < 1e-11
