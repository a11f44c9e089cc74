"""Aerodynamics of windIO files: steady states of the IEA 22 MW turbine against HAWC2, both versions, refusals."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.elements.blades.blade import BladeAxis
from fem_mbd.errors import InputError
from fem_mbd.machines import LeftOutWarning, Machine, read_windio_machine
from fem_mbd.machines.aerodynamic_loads import aerodynamics_of
from fem_mbd.machines.readers.windio.machine import read_aero
from fem_mbd.machines.report import describe

windIO = pytest.importorskip("windIO")
FILE = Path(windIO.__file__).parent / "examples" / "turbine" / "IEA-22-280-RWT.yaml"
# HAWC2, IEAWindSystems/IEA-22-280-RWT, outputs/01_steady_states, at 8 m/s: speed rad/s, pitch deg, thrust kN, power kW,
# deflection of the tip m, its twist deg
SPEED, PITCH, THRUST, POWER, TIP, TWIST = (
    4.924322707597085 * np.pi / 30,
    -0.97996,
    2024.3,
    9890.0,
    16.432,
    -3.875,
)


def read(path: Path) -> Machine:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        return read_windio_machine(path)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return read(FILE)


def test_iea_22_mw_against_hawc2(machine: Machine) -> None:
    """The tolerances of HAWC2's own files; windIO's structure and polars are the same turbine's."""
    (state,) = machine.steady(8.0, pitch=np.radians(PITCH), speed=SPEED, elements=13).states
    assert state.thrust / 1e3 == pytest.approx(THRUST, rel=0.015)
    assert state.power / 1e3 == pytest.approx(POWER, rel=0.015)
    assert state.tip_deflection[0] == pytest.approx(TIP, rel=0.025)
    assert np.degrees(state.tip_twist) == pytest.approx(TWIST, rel=0.06)


def test_the_layout_is_the_file_s(machine: Machine) -> None:
    """Chord by the fraction of the reference axis; the quarter chord lies behind the leading edge."""
    shape = windIO.load_yaml(str(FILE))["components"]["blade"]["outer_shape"]
    blade = aerodynamics_of(machine).blades["blade3"]
    chord, offset = (np.array(shape[name]["values"]) for name in ("chord", "section_offset_y"))
    np.testing.assert_array_equal(blade.chord, chord)
    np.testing.assert_allclose(blade.centre[:, 1], 0.25 * chord - offset)
    assert blade.span[-1] == pytest.approx(machine.member("blade3").blade.length)
    (first, *_), found = describe(machine)["aerodynamics"], aerodynamics_of(machine)
    assert first["largest_chord_m"] == pytest.approx(chord.max()) and found.hub_radius == pytest.approx(4.2)


AXIS = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, 50.0]], [0.0, 0.0])
SHAPE = """
    outer_shape_bem:
      chord: {grid: [0.0, 1.0], values: [4.0, 1.0]}
      pitch_axis: {grid: [0.0, 1.0], values: [0.5, 0.4]}
      airfoil_position: {grid: [0.0, 1.0], labels: [round, thin]}
      reference_axis:
        x: {grid: [0.0, 1.0], values: [0.0, 0.0]}
        y: {grid: [0.0, 1.0], values: [0.0, 0.0]}
        z: {grid: [0.0, 1.0], values: [0.0, 50.0]}
"""
AIRFOIL = """
- name: {name}
  relative_thickness: {thickness}
  polars:
  - re: 1.0e+6
    c_l: {{grid: [-{end}, 0.0, {end}], values: [0.0, 9.0, 0.0]}}
    c_d: {{grid: [-{end}, {end}], values: [0.0, 0.0]}}
    c_m: {{grid: [-{end}, {end}], values: [0.0, 0.0]}}
  - re: 1.0e+7
    c_l: {{grid: [-{end}, 0.0, {end}], values: [0.0, {lift}, 0.0]}}
    c_d: {{grid: [-{end}, {end}], values: [0.1, 0.1]}}
    c_m: {{grid: [-{end}, {end}], values: [0.0, 0.0]}}
"""


def version_1(folder: Path, end: float = np.pi, name: str = "thin") -> Path:
    """A blade with two airfoils, angles of attack in rad up to ``end``."""
    airfoils = [
        AIRFOIL.format(name=label, thickness=thickness, lift=lift, end=f"{end:.12f}")
        for label, thickness, lift in (("round", 1.0, 0.0), (name, 0.2, 1.6))
    ]
    file = folder / "blade.yaml"
    file.write_text(f"components:\n  blade:{SHAPE}\nairfoils:{''.join(airfoils)}\n", encoding="utf-8")
    return file


def test_version_1_has_radians_and_a_pitch_axis(tmp_path: Path) -> None:
    found = read_aero(version_1(tmp_path), AXIS, 2, 1.0)
    assert list(found.blades) == ["blade1", "blade2"]
    blade = found.blades["blade2"]
    np.testing.assert_allclose(blade.centre[:, 1], [0.25 * 4 - 0.5 * 4, 0.25 - 0.4])
    np.testing.assert_allclose(blade.span, [0.0, 50.0])
    assert [np.interp(0.0, polar.alpha, polar.at_mach(0.0).cl) for polar in blade.polars] == pytest.approx(
        [0.0, 1.6]
    )
    assert blade.polars[1].alpha[-1] == pytest.approx(180.0)


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"airfoil 'thin'.*coefficients are needed from -180 to 180 deg"):
        read_aero(version_1(tmp_path, end=1.0), AXIS, 2, 1.0)
    with pytest.raises(InputError, match="there is no airfoil 'thin'"):
        read_aero(version_1(tmp_path, name="thick"), AXIS, 2, 1.0)
    text = version_1(tmp_path).read_text(encoding="utf-8")
    (tmp_path / "blade.yaml").write_text(text.replace("chord:", "cord:"), encoding="utf-8")
    with pytest.raises(InputError, match="no 'grid'"):
        read_aero(tmp_path / "blade.yaml", AXIS, 2, 1.0)


def test_airfoils_of_one_thickness_are_refused(tmp_path: Path) -> None:
    text = version_1(tmp_path).read_text(encoding="utf-8")
    (tmp_path / "blade.yaml").write_text(
        text.replace("relative_thickness: 1.0", "relative_thickness: 0.2"), encoding="utf-8"
    )
    with pytest.raises(InputError, match="airfoils 'round' and 'thin' are both 20 % thick"):
        read_aero(tmp_path / "blade.yaml", AXIS, 2, 1.0)


def test_polars_may_end_at_a_rounded_half_turn(tmp_path: Path) -> None:
    """Files end at 3.141 rad, 0.034 degrees before; a tenth of a degree is not covered."""
    assert read_aero(version_1(tmp_path, end=3.141), AXIS, 2, 1.0).blades
    with pytest.raises(InputError, match="from -180 to 180 deg"):
        read_aero(version_1(tmp_path, end=np.pi - np.radians(0.1)), AXIS, 2, 1.0)
