"""Loads of a rotor in a step: tangent, energy balance, steady forces against the rigid rotor, states, restart."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model, Simulation, StepControl
from fem_mbd.aerodynamics.blade import BladeAerodynamics, Polar
from fem_mbd.aerodynamics.momentum import Momentum, NoInduction
from fem_mbd.aerodynamics.rigid_rotor import RigidRotor
from fem_mbd.aerodynamics.rotor_blade import RotorBlade
from fem_mbd.aerodynamics.rotor_loads import RotorLoads, RotorLoadsKind
from fem_mbd.aerodynamics.wind import Wind
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import Beam, RigidBody, Section
from tests.core.scheme_tools import column, order, random_step, run, simulation, tangent_error, worst_residual

LENGTH, SPEED, RADIUS = 20.0, 2.0, 1.0
X, Y, Z = np.eye(3)


def polar() -> Polar:
    """Smooth but for its points: lift 2 pi sin cos, stalled beyond about 12 deg."""
    alpha = np.linspace(-180.0, 180.0, 1441)
    a = np.radians(alpha)
    attached = 0.5 * (1.0 - np.tanh((np.abs(a) - 0.21) / 0.05))
    plate = np.sin(2 * a)
    return Polar(
        alpha,
        plate + attached * (2 * np.pi * np.sin(a + 0.05) - plate),
        0.01 + 1.2 * np.sin(a) ** 2,
        -0.05 * np.cos(a),
    )


def aerodynamics() -> BladeAerodynamics:
    span = np.array([0.0, 0.5 * LENGTH, LENGTH])
    centre = np.array([[0.02, -0.3], [0.0, -0.25], [0.0, -0.15]])
    return BladeAerodynamics(span, [1.5, 1.2, 0.7], [polar()] * 3, np.radians([14.0, 6.0, 2.0]), centre)


def rotor(
    wind: Wind,
    blades: int = 2,
    stiffness: float = 1.0,
    order: int = 4,
    speed: float = SPEED,
    aero: BladeAerodynamics | None = None,
    **options: Any,
) -> tuple[Model, RotorLoads]:
    """Blades clamped to a hub that turns about x, in still surroundings without weight."""
    model = Model()
    hub = model.add(RigidBody(500.0, 800.0 * np.eye(3), position=(0.0, 0.0, 0.0), name="hub"))
    c = stiffness * np.array([1e9, 1e8, 1e8, 2e7, 5e7, 2e8])
    section = Section(np.diag(c), 40.0, np.diag([8.0, 4.0, 4.0]))
    parts = []
    for k in range(blades):
        turn = rotation_about(X, 2 * np.pi * k / blades)
        beam = Beam(
            section, hub.node, turn @ (LENGTH * Z), up=turn @ Y, elements=2, order=order, name=f"blade{k}"
        )
        parts.append(RotorBlade(model.add(beam), aerodynamics() if aero is None else aero))
    loads = model.add(RotorLoads(parts, hub.node, X, wind, stations=12, **options))
    nodes = {n.index: n for part in parts for n in part.beam.nodes} | {hub.node.index: hub.node}
    model.set_velocity(list(nodes.values()), omega=speed * X, about=np.zeros(3))
    return model, loads


def kind_of(sim: Simulation) -> RotorLoadsKind:
    return next(kind for kind in sim.system.kinds if isinstance(kind, RotorLoadsKind))


@pytest.mark.parametrize("stall", ["none", "oye", "hgm"])
@pytest.mark.parametrize("beam_order", [2, 4])
def test_tangent(beam_order: int, stall: Any) -> None:
    model, _ = rotor(Wind(8.0, profile="power", height=30.0, ground=-30.0), order=beam_order, stall=stall)
    for dt, scale in ((0.05, 0.02), (0.2, 0.1)):
        sim, y = random_step(model, dt, scale)
        assert tangent_error(sim, y, 1e-6) < 1e-6


@pytest.mark.parametrize(
    "induction", [Momentum(), Momentum(relation="glauert", dynamic=False, hub_loss=True), NoInduction()]
)
def test_energy_balance_closes(induction: Any) -> None:
    wind = Wind([[0.0, 8.0], [0.5, 11.0]], direction=10.0, profile="power", height=30.0, ground=-30.0)
    model, _ = rotor(wind, induction=induction, hub_radius=RADIUS)
    sim = simulation(model, 0.05, 1.0)
    ledger = run(sim)
    assert np.abs(column(ledger, "work_loads")).sum() > 1e3
    assert worst_residual(sim, ledger) < 1e-11


def test_forces_of_a_stiff_rotor_are_those_of_the_rigid_one() -> None:
    model, _ = rotor(Wind(8.0), stiffness=1e4, stall="none")
    sim = simulation(model, 0.005, 0.01)
    run(sim)
    kind = kind_of(sim)
    own = kind.stations[: len(kind.stations) // 2]
    aero = aerodynamics()
    r = own["length"].cumsum() - 0.5 * own["length"]
    chord, twist, _ = aero.at(r)
    rigid = RigidRotor(r, chord, twist, [polar()] * len(r), 2, LENGTH, induction=Momentum()).at(8.0, SPEED)
    turning = np.stack([own["force"] @ X, -own["force"] @ Y], axis=1)
    expected = np.stack([rigid["axial"], rigid["driving"]], axis=1)
    # the point at 3/4 chord is off the blade's axis, which turns the flow a little; the rotor turns by 0.02 rad
    np.testing.assert_allclose(turning[3:], expected[3:], atol=0.03 * np.abs(expected).max())
    np.testing.assert_allclose(own["y"][3:, 0] / 8.0, rigid["a"][3:], atol=0.02)


def test_loads_turn_with_the_rotor() -> None:
    """Turned about its axis, an isotropic rotor in uniform wind has turned forces."""
    found = []
    for blades in (2, 3):
        model, _ = rotor(Wind(9.0), blades=blades, stall="hgm")
        sim = simulation(model, 0.05, 0.3)
        run(sim)
        stations = kind_of(sim).stations
        forces = stations["force"].reshape(blades, -1, 3)
        for k in range(1, blades):
            turned = forces[0] @ rotation_about(X, 2 * np.pi * k / blades).T
            np.testing.assert_allclose(forces[k], turned, atol=1e-6 * np.abs(turned).max())
        found.append(forces[0])
    assert np.abs(found[0] - found[1]).max() > 1.0  # induction knows the number of blades


def _tip(steps: int) -> list[Array]:
    model, loads = rotor(Wind([[0.0, 8.0], [0.2, 10.0], [0.4, 8.0]]), stiffness=1e3, stall="hgm")
    sim = Simulation(model, 0.4, StepControl.fixed(0.4 / steps))
    for _ in sim.steps():
        pass
    tip = loads.blades[0].beam.end
    return [sim.state.u[tip.index].copy(), kind_of(sim).history[:, :8].copy()]


def test_order() -> None:
    """Second order in the step, of the motion of a nearly rigid rotor and of the states of inflow and stall."""
    exact = _tip(320)
    counts = [10, 20, 40]
    motion, states = zip(
        *([np.abs(a - b).max() for a, b in zip(_tip(n), exact, strict=True)] for n in counts), strict=True
    )
    steps = [1.0 / n for n in counts]
    assert order(states, steps) == pytest.approx(2.0, abs=0.2)
    assert order(motion, steps) > 1.5  # with some of the blades' vibration, which long steps damp


def test_standstill_reverse_and_no_wind() -> None:
    """No NaN where nothing moves, in reverse flow, or where the wind blows from behind."""
    for wind in (
        Wind(1e-9),
        Wind(8.0, direction=180.0),
        Wind(8.0, direction=90.0),
        Wind(8.0, inclination=89.0),
    ):
        model, _ = rotor(wind, speed=0.0)
        sim = Simulation(model, 0.2, StepControl.fixed(0.05))
        for _ in sim.steps():
            pass
        kind = kind_of(sim)
        assert np.all(np.isfinite(kind.stations["y"]))
        assert np.all(np.isfinite(sim.state.u))


def test_bad_input() -> None:
    with pytest.raises(InputError, match="stall is 'leishman'"):
        rotor(Wind(8.0), stall="leishman")
    with pytest.raises(InputError, match="give Momentum"):
        model, _ = rotor(Wind(8.0), induction="bem")
        simulation(model, 0.01)
    aero = aerodynamics()
    longer = BladeAerodynamics(
        1.02 * aero.span, aero.chord, aero.polars, aero.twist, aero.centre, "blade.dat"
    )
    with pytest.raises(
        InputError, match=r"blade\.dat: the aerodynamic description of 'blade' ends at 20\.4 m"
    ):
        longer.check_length(LENGTH, "blade")
    with pytest.raises(InputError, match="station 3 at 10 m does not lie beyond station 2"):
        BladeAerodynamics([0.0, 10.0, 10.0], aero.chord, aero.polars, aero.twist, aero.centre)
