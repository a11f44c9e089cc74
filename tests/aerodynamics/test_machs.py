"""Polars over the Mach number: C81 files, lift of Prandtl and Glauert in hover, derivatives, ranges, bad input."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import RegularGridInterpolator
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd import InputError
from fem_mbd.aerodynamics import (
    BladeAerodynamics,
    MachPolars,
    NoInduction,
    PittPeters,
    Polar,
    RigidRotor,
    UniformInflow,
    Wind,
    read_c81,
    stall,
)
from fem_mbd.core.model.ranges import RangeWarning
from tests.aerodynamics.hinged_rotor import CHORD, DENSITY, RADIUS, SLOPE, SPEED, hinged_rotor
from tests.aerodynamics.test_inflow import AREA, flown, kind_of
from tests.aerodynamics.test_rotor_loads import aerodynamics, polar, rotor
from tests.core.scheme_tools import random_step, run, simulation, tangent_error, worst_residual

VR8 = Path(__file__).parent / "data" / "vr8.c81"
ALPHA = np.linspace(-180.0, 180.0, 721)
SOUND = 320.0  # m/s: Mach number 0.625 at the tips of the hinged rotor
PITCH = 0.06


def prandtl_glauert(machs: Any, **options: Any) -> MachPolars:
    """Lift a sin(alpha)/(1 - M^2)^.5."""
    lift = SLOPE * np.sin(np.radians(ALPHA))
    of = [Polar(ALPHA, lift / np.sqrt(1.0 - m * m), 0.0 * lift) for m in machs]
    return MachPolars(machs, of, **options)


def hovering(airfoil: Any, **options: Any) -> fm.Model:
    """Rigid blades of constant pitch without wind."""
    blade = BladeAerodynamics([0.0, RADIUS], [CHORD] * 2, [airfoil] * 2, [-PITCH] * 2, np.zeros((2, 2)))
    return hinged_rotor(Wind(0.0), blade, hinged=False, **({"sound": SOUND} | options))


def test_the_numbers_of_a_c81_file() -> None:
    """Rows of the file as printed: in the columns of lift, drag and moment at their own Mach numbers."""
    found = read_c81(VR8)
    assert found.largest_mach == 1.0
    assert "VR8TM6 VR8 -6 tab" in found.name
    assert len(found.machs) == 25  # 12, 14 and 13, some in common

    def at(mach: float, alpha: float, column: str) -> float:
        one = found.at_mach(mach)
        return float(np.interp(alpha, one.alpha, getattr(one, column)))

    assert at(0.82, -15.0, "cl") == pytest.approx(-0.9057)
    assert at(1.0, -20.0, "cl") == pytest.approx(-1.6)
    assert at(0.3, -167.0, "cl") == pytest.approx(0.6176)
    assert at(0.875, -160.0, "cd") == pytest.approx(0.3186)
    assert at(0.595, -116.0, "cm") == pytest.approx(0.5999)
    # linear between neighbours of one table, whatever the other tables have: 0.4786 at 0.5 and 0.5143 at 0.61
    between = 0.4786 + (0.58 - 0.5) / 0.11 * (0.5143 - 0.4786)
    assert at(0.58, 4.5, "cl") == pytest.approx(between, abs=1e-12)


def test_tables_are_linear_in_angle_and_mach_number() -> None:
    airfoil = read_c81(VR8)
    angles = np.radians(airfoil.alpha)
    table = np.concatenate(
        [p.on(angles, m) for m, p in zip(airfoil.machs, airfoil.polars, strict=True)], axis=1
    )
    of = {name: np.array([getattr(p, name) for p in airfoil.polars]) for name in ("cl", "cd", "cm")}
    expected = {name: RegularGridInterpolator((airfoil.machs, angles), values) for name, values in of.items()}
    rng = np.random.default_rng(3)
    for mach, alpha in zip(rng.uniform(0.0, 1.0, 60), rng.uniform(-np.pi, np.pi, 60), strict=True):
        flow = (alpha, 0.0, mach * SOUND, CHORD, SOUND)
        found = stall.coefficients.in_python(stall.STATIC, table, angles, flow, 0.1, np.zeros(4), np.zeros(4))
        np.testing.assert_allclose(found, [float(f((mach, alpha))) for f in expected.values()], atol=1e-12)
    for mach, end in ((1.4, -1), (-0.1, 0)):
        flow = (0.1, 0.0, mach * SOUND, CHORD, SOUND)
        found = stall.coefficients.in_python(stall.STATIC, table, angles, flow, 0.1, np.zeros(4), np.zeros(4))
        assert found[0] == pytest.approx(np.interp(0.1, angles, airfoil.polars[end].cl), abs=1e-14)


def test_thrust_of_prandtl_and_glauert_in_closed_form() -> None:
    """Without induction T = 4 rho/2 c a sin(theta) Omega^2 I, 2 k^3 I = asin x - x (1 - x^2)^.5, k = Omega/s, x = k R.

    Within 1e-3, as hover without Mach numbers (`test_inflow`): 40 stations, whose middles of steps are on chords. The
    Mach number raises the thrust by 15 %.
    """
    k = SPEED / SOUND
    x = k * RADIUS
    integral = (np.arcsin(x) - x * np.sqrt(1.0 - x * x)) / (2.0 * k**3)
    size = 4 * 0.5 * DENSITY * CHORD * SLOPE * np.sin(PITCH) * SPEED**2
    airfoil = prandtl_glauert(np.linspace(0.0, 0.8, 81))
    _, rates = flown(hovering(airfoil, induction=NoInduction(), mean_loads=True), 1.0)
    assert rates[2] == pytest.approx(size * integral, rel=1e-3)
    assert rates[2] > 1.1 * size * RADIUS**3 / 3


def test_hover_against_an_integration_of_blade_elements() -> None:
    """Uniform inflow: T = 2 rho A w^2 of blade elements integrated here, with the speed of all of the flow."""

    def thrust(w: float) -> float:
        def element(r: float) -> float:
            through, along = -w, SPEED * r
            speed = np.hypot(through, along)
            lift = SLOPE * np.sin(PITCH + np.arctan2(through, along)) / np.sqrt(1.0 - (speed / SOUND) ** 2)
            return 4 * 0.5 * DENSITY * CHORD * speed * lift * along

        return float(quad(element, 0.0, RADIUS, epsrel=1e-10)[0])

    expected = brentq(lambda w: thrust(w) - 2 * DENSITY * AREA * w * w, 0.1, 20.0)
    airfoil = prandtl_glauert(np.linspace(0.0, 0.8, 81))
    sim, rates = flown(hovering(airfoil, induction=UniformInflow()), 1.0)
    assert kind_of(sim).history[-1, 0] == pytest.approx(expected, rel=1e-3)
    assert rates[2] == pytest.approx(thrust(expected), rel=1e-3)
    incompressible = flown(hovering(airfoil.polars[0], induction=UniformInflow()), 1.0)[1][2]
    assert rates[2] > 1.1 * incompressible


def test_rigid_rotor_agrees_with_the_prandtl_glauert_rule() -> None:
    """A rotor whose stations all have nearly one speed: its lift is that of plain polars times 1/beta."""
    r, wind, speed = np.array([10.0]), 8.0, 20.0
    mach = np.hypot(wind, speed * r[0]) / SOUND
    given = {"blades": 1, "radius": 10.1, "induction": NoInduction()}
    airfoil = prandtl_glauert(np.linspace(0.5, 0.75, 51))
    found = RigidRotor(r, [0.5], [0.0], [airfoil], sound=SOUND, **given).at(wind, speed)  # type: ignore[arg-type]
    plain = RigidRotor(r, [0.5], [0.0], [prandtl_glauert([0.0])], **given).at(wind, speed)  # type: ignore[arg-type]
    np.testing.assert_allclose(found["axial"], plain["axial"] / np.sqrt(1.0 - mach**2), rtol=1e-5)
    short = prandtl_glauert([0.0, 0.5])
    with pytest.warns(RangeWarning, match=r"Mach number 0\.6\d+ at radius 10 m is beyond its polars"):
        RigidRotor(r, [0.5], [0.0], [short], sound=SOUND, **given).at(wind, speed)  # type: ignore[arg-type]


def test_one_mach_number_gives_the_numbers_of_its_polar() -> None:
    plain, one = (rotating(airfoil, stall="hgm") for airfoil in (polar(), MachPolars([0.3], [polar()])))
    np.testing.assert_array_equal(one, plain)


def rotating(airfoil: Any, **options: Any) -> np.ndarray:
    """States of a flexible rotor after some steps."""
    sim = simulation(flexible(airfoil, **options), 0.05, 0.2)
    run(sim)
    return np.array(kind_of(sim).history)


def flexible(airfoil: Any, wind: float = 9.0, **options: Any) -> fm.Model:
    blade = replace(aerodynamics(), polars=[airfoil, polar(), airfoil])
    return rotor(Wind(wind), aero=blade, **options)[0]


def compressible(machs: Any = (0.0, 0.05, 0.11, 0.2)) -> MachPolars:
    """Stalling profiles whose lift and zero lift change with the Mach number; the tips have 0.12."""
    plain = polar()
    return MachPolars(
        machs, [Polar(plain.alpha, (1 + m) * plain.cl + 0.3 * m, (1 + m) * plain.cd, plain.cm) for m in machs]
    )


@pytest.mark.parametrize("model", ["none", "oye", "hgm"])
def test_tangent_and_energy(model: Any) -> None:
    made = flexible(compressible(), stall=model, sound=SOUND)
    for dt, scale in ((0.05, 0.02), (0.2, 0.1)):
        sim, y = random_step(made, dt, scale)
        assert tangent_error(sim, y, 1e-6) < 1e-6
    sim = simulation(flexible(compressible(), stall=model, sound=SOUND), 0.05, 0.5)
    assert worst_residual(sim, run(sim)) < 1e-11


@pytest.mark.slow
def test_derivatives_of_runs() -> None:
    """Forward and adjoint derivatives by wind and speed of sound against differences."""

    def build(v: Mapping[str, float]) -> fm.Simulation:
        made = flexible(compressible(), v["wind"], stall="hgm", sound=v["sound"])
        return fm.Simulation(made, 0.6, fm.StepControl.fixed(0.03))

    at, of = {"wind": 9.0, "sound": SOUND}, {"end": "final(hub.angular_velocity[0])"}

    def output(v: Mapping[str, float]) -> float:
        return float(fm.run(build(v), progress=False).of("hub").angular_velocity[-1, 0])

    forward, adjoint = (fm.gradient(build, of=of, wrt=at, method=m).jacobian for m in ("forward", "adjoint"))
    np.testing.assert_allclose(adjoint, forward, rtol=1e-9)
    for k, (name, step) in enumerate({"wind": 1e-6, "sound": 1e-3}.items()):
        high, low = (output(at | {name: at[name] + side * step}) for side in (1.0, -1.0))
        assert forward[0, k] == pytest.approx((high - low) / (2.0 * step), rel=1e-6)


def test_stations_between_polars_have_their_mean() -> None:
    """Half way between an airfoil with Mach numbers and one without: the mean of both at each Mach number."""
    airfoil, plain = compressible(), polar()
    blade = BladeAerodynamics([0.0, 2.0], [1.0, 1.0], [airfoil, plain], [0.0, 0.0], np.zeros((2, 2)))
    angles, machs = blade.angles(), blade.machs()
    np.testing.assert_array_equal(machs, airfoil.machs)
    (table,) = blade.tables(np.array([1.0]), angles, machs)
    for k, one in enumerate(airfoil.polars):
        mean = 0.5 * (
            np.interp(np.degrees(angles), one.alpha, one.cl)
            + np.interp(np.degrees(angles), plain.alpha, plain.cl)
        )
        np.testing.assert_allclose(table[:-1, 5 * k], mean, atol=1e-12)
    np.testing.assert_array_equal(table[-1, ::5], machs)
    np.testing.assert_array_equal(blade.largest_mach(np.array([0.5])), [airfoil.machs[-1]])


def test_mach_numbers_beyond_the_table_warn_by_name() -> None:
    """The tips of the hinged rotor have 0.625; the lift there is that of the last polar."""
    with pytest.warns(
        RangeWarning, match=r"airloads, blade\d': Mach number of a blade element 0\.62\d.*beyond 0\.5:"
    ):
        sim, rates = flown(
            hovering(prandtl_glauert([0.0, 0.5]), induction=NoInduction(), mean_loads=True), 1.0, 24
        )
    (finding,) = [one for one in sim.ranges.findings() if one["kind"] == "aerodynamic load"]
    assert finding["value"] == pytest.approx(SPEED * RADIUS / SOUND, rel=0.01)
    longer = hovering(prandtl_glauert([0.0, 0.5, 0.9]), induction=NoInduction(), mean_loads=True)
    assert rates[2] < flown(longer, 1.0, 24)[1][2]


def test_bad_polars() -> None:
    one = polar()
    with pytest.raises(InputError, match=r"Mach numbers have to ascend from 0 or more: \[0\.3, 0\.3\]"):
        MachPolars([0.3, 0.3], [one, one])
    with pytest.raises(InputError, match="have to ascend"):
        MachPolars([-0.3, 0.3], [one, one])
    with pytest.raises(InputError, match="there is no polar"):
        MachPolars([], [])
    with pytest.raises(InputError, match="Mach numbers"):
        MachPolars([0.1, 0.2, 0.3], [one, one])
    with pytest.raises(InputError, match="speed of sound"):
        hovering(one, induction=PittPeters(), sound=0.0)


TEXT = """SMALL                         020302030203
         .3     .6
 -180.  0.     0.
    0.  .1     .2
  180.  0.     0.
         .3     .6
 -180.  .01    .02
    0.  .01    .02
  180.  .01    .02
         .3     .6
 -180.  0.     0.
    0.  -.1    -.2
  180.  0.     0.
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("020302030203", "0203020302", r"line 1: columns 41 and 42 .* angles of attack of moment, not ''"),
        ("020302030203", "00", "columns 31 and 32 should have the number of Mach numbers of lift, not '00'"),
        ("020302030203", "0203020302 1", "columns 41 and 42"),
        (
            "         .3     .6\n -180.  0.     0.\n    0.  .1",
            "         .6     .6\n -180.  0.     0.\n    0.  .1",
            "lift: Mach numbers have to ascend",
        ),
        (" -180.  .01", " -170.  .01", r"drag: angles of attack run from -170 to 180 deg: .* -180 to 180"),
        ("    0.  .01", " -180.  .01", "drag: angles of attack do not ascend: -180 deg follows -180 deg"),
        ("  -.1    -.2", "  -.1       ", "line 12: an angle with moment: entry 3 is '', no number"),
        (" .1     .2", " .1\t   .2", "line 4: an angle with lift: a tab"),
        (
            "  180.  0.     0.\n         .3     .6\n -180.  .01",
            "         .3     .6\n -180.  .01",
            "line 5: an angle with lift: entry 1 is ''",
        ),
    ],
)
def test_bad_files(tmp_path: Path, old: str, new: str, says: str) -> None:
    file = tmp_path / "small.c81"
    file.write_text(TEXT)
    np.testing.assert_allclose(read_c81(file).at_mach(0.45).cl, [0.0, 0.15, 0.0])
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(InputError, match=says):
        read_c81(file)


def test_mutations_end_in_a_message(tmp_path: Path) -> None:
    """Damaged files are read or refused, without any other error."""
    rng, text, refused = np.random.default_rng(2), VR8.read_text(), 0
    words = ["nan", "x", "-1", "1e30", "", "0", "999999", "\n", "END"]
    for k in range(200):
        reach = len(text) if k % 2 else 400  # the counts are at its beginning
        at, length = rng.integers(reach), rng.integers(1, 12)
        file = tmp_path / "mutated.c81"
        file.write_text(text[:at] + words[rng.integers(len(words))] + text[at + length :])
        try:
            read_c81(file)
        except InputError:
            refused += 1
    assert refused > 100
