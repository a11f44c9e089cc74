"""Rotors of helicopters: fan plots against Southwell's coefficients, hinges, pitch links, swashplates, torque tubes."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import InputError
from fem_mbd.elements import Blade, BladeAxis, FreePlay, Section, SectionTable
from fem_mbd.friction import Linear
from fem_mbd.machines import (
    Hinge,
    Hub,
    MachineFamily,
    PitchLinks,
    Rotor,
    Swashplate,
    assemble,
    build_rotor,
)

LENGTH, MASS, NOMINAL = 4.9, 5.5, 44.4  # m, kg/m, rad/s: about those of a Bo 105
# frequencies of flap of a uniform cantilever over the speed, both times sqrt(m L^4/EI)
WRIGHT = {0: 3.5160, 2: 4.1373, 4: 5.5850, 6: 7.3604, 8: 9.2568, 10: 11.2023, 12: 13.1702}


def blade(flap: float = 6.93e4, lag: float = 4e5, torsion: float = 1e5, stretch: float = 1e8) -> Blade:
    """A uniform blade; flap, lag, torsion in N m^2."""
    stiffness = np.diag([stretch, 1e8, 1e8, torsion, lag, flap])
    section = Section(stiffness, MASS, MASS * np.diag([1.001e-4, 1e-4, 1e-7]))
    return Blade(BladeAxis([[0, 0, 0], [0, 0, LENGTH]], [0, 0]), SectionTable([0, 1], [section] * 2))


def test_fan_of_a_uniform_blade_is_that_of_southwell() -> None:
    """Clamped at the axis: Wright, Smith, Thresher, Wang, J. Applied Mechanics 49 (1982) 197; Bo 105: 1.127/rev.

    (omega sqrt(m L^4/EI))^2 = 3.516^2 + 1.193 (Omega …)^2 is Southwell's line; EI is that at which the table gives the
    1.127/rev of a Bo 105 at its nominal speed, 9.5 times sqrt(EI/(m L^4)). The hub's radius adds 0.06 %.
    """
    flap = MASS * NOMINAL**2 * LENGTH**4 / 9.5**2
    machine = build_rotor(
        "rotor", Rotor(blade(flap, 400 * flap, 400 * flap), Hub(1e-3 * LENGTH, 50.0, inertia=10.0), 4)
    )
    unit = np.sqrt(flap / (MASS * LENGTH**4))
    speeds = np.array([*WRIGHT, 9.5])
    order = np.argsort(speeds)
    fan = MachineFamily(machine).campbell(unit * speeds[order], number=8, undamped=True)
    found = 2 * np.pi / unit * fan.frequencies_hz[:, fan.names.index("first flap collective")]
    table = np.interp(speeds[order], list(WRIGHT), list(WRIGHT.values()))
    inside = speeds[order] != 9.5
    assert found[inside] == pytest.approx(table[inside], rel=2e-3)
    assert found[~inside] / 9.5 == pytest.approx([1.127], rel=2e-3)
    # the line is that of low speeds
    assert (found[1] ** 2 - 3.516**2) / 2**2 == pytest.approx(1.193, rel=5e-3)


def test_a_swashplate_moves_the_pitch() -> None:
    """-(height of the plate under the horn)/arm, exact to second order of the angles; springs hold the blade."""
    arm, radius, heave, cosine, sine, rate = 0.15, 0.3, 2e-3, 6e-3, -1e-2, 20.0

    def ramp(end: float) -> Any:
        return fm.time_functions.SmoothStep(0.0, 0.5, 0.0, end)

    plate = Swashplate(5.0, 0.2, ramp(heave), ramp(cosine), ramp(sine))
    links = PitchLinks(arm, radius, 0.4, 1e8, swashplate=plate)
    rotor = Rotor(blade(torsion=1e6), Hub(0.34, 50.0, inertia=10.0), 3, pitch_links=links, elements=2)
    made = assemble(build_rotor("rotor", rotor, speed=rate), turning=True)
    result = fm.simulate(made.model, 1.0, fm.StepControl.fixed(4e-3))
    assert result.summary["energy"]["relative"] < 1e-12
    late = result.time > 0.6
    psi, reach, ahead = rate * result.time[late], np.hypot(arm, radius), np.arctan2(arm, radius)
    for k in range(3):
        at = psi + 2 * np.pi * k / 3 + ahead
        height = heave + reach * (cosine * np.cos(at) + sine * np.sin(at))
        # positive pitch takes the leading edge down
        assert result.of(f"pitch{k + 1}").angle[late] == pytest.approx(-height / arm, abs=3e-4)
    assert np.ptp(result.of("pitch1").angle[late]) > 0.04


def test_free_play_in_a_pitch_link_leaves_the_pitch_free() -> None:
    """Between the stops nothing holds the pitch; into them it turns by omega/sqrt(k arm^2/J), on both sides."""
    play, arm, stiffness, rate = 4e-3, 0.2, 1e4, 0.5
    links = PitchLinks(arm, 0.3, 0.4, 0.0, parallel=(FreePlay(play, Linear(stiffness)),))
    rotor = Rotor(blade(torsion=1e6), Hub(0.34, 50.0, inertia=10.0), 2, pitch_links=links, elements=1)
    made = assemble(build_rotor("rotor", rotor), locked=True)
    axis = made.beams["blade1"].end.position / np.linalg.norm(made.beams["blade1"].end.position)
    made.model.set_velocity(made.beams["blade1"].nodes, omega=rate * axis, about=(0, 0, 0))
    result = fm.simulate(made.model, 0.3, fm.StepControl.fixed(2e-4))
    angle, force = result.of("pitch1").angle, result.of("pitch link 1").force
    assert np.abs(force[np.abs(angle) < 0.98 * play / (2 * arm)]).max() < 1e-6
    inertia = MASS * 1.001e-4 * LENGTH
    deepest = play / (2 * arm) + rate / np.sqrt(stiffness * arm**2 / inertia)
    assert angle.max() == pytest.approx(deepest, rel=0.01)
    assert angle.min() == pytest.approx(-deepest, rel=0.01)
    assert force.max() > 0.0 > force.min()


def test_a_skewed_flap_hinge_couples_pitch_and_flap() -> None:
    """delta_3: pitch changes by -tan(delta_3) beta, nose down as the blade flaps up."""
    skew, turn = 0.5, 1e-3
    rotor = Rotor(blade(), Hub(0.4), 2, hinges=(Hinge("flap", 0.3, skew=skew),))
    machine = build_rotor("rotor", rotor)
    straight, flapped = machine.frames(), machine.frames({"flap1": turn})
    moved = flapped["blade1"].rotation @ straight["blade1"].rotation.T
    up = moved @ straight["blade1"].rotation[:, 2] - straight["blade1"].rotation[:, 2]
    beta = float(up @ (0, 0, 1))
    # positive pitch takes the leading edge, -y of the blade, down
    leading = -straight["blade1"].rotation[:, 1]
    pitch = -float((moved @ leading - leading) @ (0, 0, 1))
    assert beta == pytest.approx(turn * np.cos(skew), rel=1e-5)
    assert pitch == pytest.approx(np.tan(skew) * beta, rel=1e-3)


def test_hinges_come_in_any_order_with_the_pitch_bearing_among_them() -> None:
    """Pitch inboard of flap: the flap hinge turns with the pitch; flap and lag change places."""
    hinges = (Hinge("pitch", 0.1), Hinge("lag", 0.2, 1e4), Hinge("flap", 0.3, 1e4))
    machine = build_rotor("rotor", Rotor(blade(), Hub(0.4, 10.0, inertia=1.0), 3, hinges=hinges))
    assert [link.name for link in machine.links if link.name.endswith("1")][-4:] == [
        "pitch1",
        "lag1",
        "flap1",
        "root1",
    ]
    flap: Any = next(link for link in machine.links if link.name == "flap1")
    before, after = machine.frames(), machine.frames({"pitch1": 0.3})
    axes = [frames[flap.first[0]].rotation @ flap.axis for frames in (before, after)]
    assert axes[0] @ axes[1] == pytest.approx(np.cos(0.3), abs=1e-12)
    names = MachineFamily(machine).campbell([5.0, 20.0], number=8, undamped=True).names
    assert "first flap collective" in names


def test_a_torque_tube_twists_the_flexbeam_of_a_bearingless_rotor() -> None:
    """Standing: pitch h/arm beyond the flexbeam, force of the link GJ h/(l arm^2)."""
    station, arm, torsion, heave = 0.25, 0.2, 2e3, 2e-3
    plate = Swashplate(5.0, 0.2, fm.time_functions.SmoothStep(0.0, 0.5, 0.0, heave))
    links = PitchLinks(arm, 0.3, 0.4, 1e9, damping=1e4, station=station, swashplate=plate)
    rotor = Rotor(
        blade(torsion=torsion, flap=1e7, lag=1e7),
        Hub(0.3, 50.0, inertia=10.0),
        3,
        pitch_links=links,
        elements=4,
    )
    made = assemble(build_rotor("rotor", rotor), locked=True)
    result = fm.simulate(made.model, 3.0, fm.StepControl.fixed(1e-2))
    force = result.of("pitch link 1").force[result.time > 2.0].mean()
    assert abs(force) == pytest.approx(torsion * heave / (station * LENGTH * arm**2), rel=2e-2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PitchLinks(0.0, 0.3, 0.4, 1e6), "arm is 0 m"),
        (lambda: PitchLinks(0.1, 0.3, 0.4, -1.0), "pitch links: stiffness"),
        (lambda: PitchLinks(0.1, 0.3, 0.4, 1.0, station=1.5), "station is 1.5"),
        (lambda: Swashplate(5.0, 0.2, heave=0.1), "heave is 0.1 at time 0"),
        (lambda: Swashplate(0.0, 0.2), "swashplate: mass"),
        (lambda: Hinge("pitch", 0.1, 5.0), "to the pitch links"),
        (lambda: Hinge("lag", 0.1, skew=0.1), "skew is of a flap hinge"),
        (
            lambda: Rotor(blade(), Hub(0.5), 2, hinges=(Hinge("pitch", 0.1),),
                          pitch_links=PitchLinks(0.1, 0.3, 0.4, 1.0, station=0.2)),
            "leave out the pitch hinge",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
