"""Winds: profiles, gusts, boxes against what they were written from, tower, refusals."""

import struct
from pathlib import Path

import numpy as np
import pytest

from fem_mbd import InputError
from fem_mbd.aerodynamics.wind import (
    TowerShadow,
    TurbulenceBox,
    Wind,
    coherent_gust,
    operating_gust,
    read_bts,
    read_mann_box,
    read_uniform_wind,
)


def test_profiles() -> None:
    power = Wind(10.0, profile="power", height=100.0, exponent=0.2)
    np.testing.assert_allclose(power.at([[0.0, 0.0, 50.0]]), [[10.0 * 0.5**0.2, 0.0, 0.0]])
    log = Wind(10.0, profile="log", height=100.0, roughness=0.01)
    np.testing.assert_allclose(log.at([[0.0, 0.0, 50.0]])[0, 0], 10.0 * np.log(5e3) / np.log(1e4))
    assert power.at([[0.0, 0.0, -3.0]])[0, 0] == 0.0


def test_direction_veer_and_inclination() -> None:
    wind = Wind(10.0, direction=30.0, inclination=8.0, veer=0.1, height=100.0)
    up = np.radians(8.0)
    for z, degrees in ((100.0, 30.0), (150.0, 35.0)):
        a = np.radians(degrees)
        expected = [10 * np.cos(up) * np.cos(a), 10 * np.cos(up) * np.sin(a), 10 * np.sin(up)]
        np.testing.assert_allclose(wind.at([[5.0, 7.0, z]])[0], expected, rtol=1e-12)


def test_gusts() -> None:
    """IEC 61400-1 ed. 3, eqs. 17 and 20."""
    gust = Wind(operating_gust(12.0, 5.0, 20.0))
    t = 20.0 + 0.5 * 10.5
    assert gust.at([[0, 0, 0]], t)[0, 0] == pytest.approx(12.0 + 2 * 0.37 * 5.0, rel=1e-3)
    assert gust.at([[0, 0, 0]], 40.0)[0, 0] == pytest.approx(12.0)
    rise = Wind(coherent_gust(10.0, 15.0, 5.0, 10.0))
    np.testing.assert_allclose([rise.at([[0, 0, 0]], t)[0, 0] for t in (0.0, 10.0, 30.0)], [10.0, 17.5, 25.0])


def bts(
    path: Path, values: np.ndarray, dt: float, dy: float, dz: float, bottom: float, kind: int = 8
) -> None:
    """Write velocities (times, z, y, 3) as TurbSim does."""
    n_t, n_z, n_y, _ = values.shape
    low, high = values.min(axis=(0, 1, 2)), values.max(axis=(0, 1, 2))
    slope = np.where(high > low, 65000.0 / np.maximum(high - low, 1e-9), 1.0)
    offset = -32000.0 - slope * low
    mean = float(values[:, n_z // 2, n_y // 2, 0].mean())
    header = struct.pack("<h4l6f", kind, n_z, n_y, 0, n_t, dz, dy, dt, mean, bottom + dz * (n_z // 2), bottom)
    header += struct.pack("<6f", *(x for pair in zip(slope, offset, strict=True) for x in pair))
    text = b"a test"
    data = np.rint(values * slope + offset).astype("<i2")
    path.write_bytes(header + struct.pack("<l", len(text)) + text + data.tobytes())


def test_bts(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    values = np.array([9.0, 0.0, 0.0]) + random.normal(size=(40, 5, 7, 3))
    file = tmp_path / "box.bts"
    bts(file, values, 0.5, 10.0, 12.0, 60.0)
    box = read_bts(file)
    assert box.mean is not None
    wind = Wind(box.mean, turbulence=box)
    # grid points pass x = 0 at the times of the file
    for k, j, i in ((0, 0, 0), (7, 3, 2), (39, 6, 4)):
        point = [0.0, -30.0 + 10.0 * j, 60.0 + 12.0 * i]
        np.testing.assert_allclose(wind.at([point], 0.5 * k)[0], values[k, i, j], atol=2e-3)
    # further downwind the same wind arrives later, and the box repeats
    at = wind.at([[box.mean * 1.0, -30.0, 60.0]], 4.0)[0]
    np.testing.assert_allclose(at, values[6, 0, 0], atol=5e-3)
    np.testing.assert_allclose(wind.at([[0.0, -30.0, 60.0]], 20.0)[0], values[0, 0, 0], atol=5e-3)
    # half way between two points
    between = wind.at([[0.0, -25.0, 60.0]], 0.0)[0]
    np.testing.assert_allclose(between, 0.5 * (values[0, 0, 0] + values[0, 0, 1]), atol=2e-3)


def test_bts_refusals(tmp_path: Path) -> None:
    file = tmp_path / "box.bts"
    bts(file, np.array([9.0, 0.0, 0.0]) + np.zeros((8, 3, 3, 3)), 0.5, 10.0, 12.0, 60.0)
    whole = file.read_bytes()
    for damaged, says in (
        (whole[:-1], "truncated: it has"),
        (whole[:20], "are no .bts file"),
        (b"\x01\x00" + whole[2:], "begins with 1, not with 7 or 8"),
        (whole[:2] + struct.pack("<l", -4) + whole[6:], "header of the .bts file is damaged"),
        (whole[:18] + struct.pack("<f", float("nan")) + whole[22:], "header of the .bts file is damaged"),
    ):
        file.write_bytes(damaged)
        with pytest.raises(InputError, match=says):
            read_bts(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_bts(tmp_path / "none.bts")


def test_mann_box(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    shape = (16, 4, 5)
    parts = random.normal(size=(3, *shape)).astype("<f4")
    paths = []
    for name, values in zip("uvw", parts, strict=True):
        paths.append(tmp_path / f"{name}.bin")
        paths[-1].write_bytes(values.tobytes())
    box = read_mann_box(paths, shape, (160.0, 30.0, 40.0), 8.0, 100.0)
    wind = Wind(8.0, turbulence=box)
    # the last plane of the file passes first; its y runs against ours
    at = wind.at([[0.0, -15.0, 80.0]], 0.0)[0]
    np.testing.assert_allclose(
        at, [8.0 + parts[0, 15, 3, 0], -parts[1, 15, 3, 0], parts[2, 15, 3, 0]], rtol=1e-6
    )
    at = wind.at([[0.0, 15.0, 120.0]], 10.0 / 8.0)[0]
    np.testing.assert_allclose(
        at, [8.0 + parts[0, 14, 0, 4], -parts[1, 14, 0, 4], parts[2, 14, 0, 4]], rtol=1e-6
    )
    paths[1].write_bytes(parts[1].tobytes()[:-4])
    with pytest.raises(InputError, match="the file is truncated, or the shape is another"):
        read_mann_box(paths, shape, (160.0, 30.0, 40.0), 8.0, 100.0)


def test_box_that_is_too_small() -> None:
    box = TurbulenceBox(
        np.zeros((10, 3, 3, 3)), (5.0, 10.0, 10.0), -10.0, 90.0, 10.0, periodic=False, source="box.bts"
    )
    box.check_covers(9.0, 91.0, 109.0, 4.0)
    with pytest.raises(InputError, match=r"box\.bts: the box reaches from y -10 to 10 m"):
        box.check_covers(12.0, 91.0, 109.0, 4.0)
    with pytest.raises(InputError, match=r"box\.bts: the box lasts 5 s, the run 6 s"):
        box.check_covers(9.0, 91.0, 109.0, 6.0)


def test_tower() -> None:
    """Flow about a cylinder: still at its front, twice as fast beside it, undisturbed far away and above."""
    wind = Wind(8.0, tower=TowerShadow(0.0, 0.0, 0.0, 80.0, 3.0, 3.0))
    np.testing.assert_allclose(wind.at([[-3.0 - 1e-9, 0.0, 40.0]])[0], [0.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(wind.at([[0.0, 3.0 + 1e-9, 40.0]])[0], [16.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(wind.at([[-300.0, 0.0, 40.0]])[0], [8.0, 0.0, 0.0], atol=1e-3)
    assert wind.at([[-4.0, 0.0, 81.0]])[0, 0] == 8.0


def test_bad_winds() -> None:
    with pytest.raises(InputError, match="profile is 'linear'"):
        Wind(8.0, profile="linear")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="ascending times"):
        Wind([[0.0, 8.0], [0.0, 9.0]])
    with pytest.raises(InputError, match="roughness"):
        Wind(8.0, profile="log", roughness=0.0)


def test_wake_of_a_tower() -> None:
    """Powles' wake on the axis and at its edge; ahead of the tower there is none."""
    drag, radius, speed = 0.5, 2.0, 10.0
    plain, waking = (
        Wind(speed, tower=TowerShadow(0.0, 0.0, 0.0, 50.0, radius, radius, wake=c)) for c in (0.0, drag)
    )
    points = [[18.0, 0.0, 20.0], [18.0, 3.0, 20.0], [-18.0, 0.0, 20.0], [18.0, 6.3, 20.0]]
    less = plain.at(points)[:, 0] - waking.at(points)[:, 0]
    d = np.hypot(18.0, 3.0) / radius
    off = speed * drag / np.sqrt(d) * np.cos(0.5 * np.pi * 1.5 / np.sqrt(d)) ** 2
    np.testing.assert_allclose(less, [speed * drag / 3.0, off, 0.0, 0.0], rtol=1e-12, atol=1e-14)


def test_uniform_wind_file(tmp_path: Path) -> None:
    file = tmp_path / "gust.wnd"
    file.write_text(
        "! time speed dir vert hshr pwr lin gust\n0 8 0 0 0 0.2 0 0\n10.0 8 20 0.8 0 0.2 0 2 ! the end\n"
    )
    wind = read_uniform_wind(file, 100.0)
    np.testing.assert_allclose(wind.at([[0.0, 0.0, 100.0]], 0.0)[0], [8.0, 0.0, 0.0], atol=1e-12)
    angle = np.radians(-20.0)
    expected = [10.0 * np.cos(angle), 10.0 * np.sin(angle), 0.8]
    np.testing.assert_allclose(wind.at([[0.0, 0.0, 100.0]], 12.0)[0], expected, rtol=1e-12)
    higher = wind.at([[0.0, 0.0, 150.0]], 0.0)[0, 0]
    assert higher == pytest.approx(8.0 * 1.5**0.2)
    for row, says in (
        ("0 8 0 0 0 0.2 0", "line 1: a row of at least eight numbers"),
        ("0 8 0 0 0.1 0.2 0 0", "horizontal shear"),
        ("5 8 0 0 0 0.2 0 0\n5 8 0 0 0 0.2 0 0", "line 2: times do not ascend"),
        ("0 8 0 0 0 0.2 0 0\n5 8 0 0 0 0.3 0 0", "exponent of the power law has to be the same"),
        ("! nothing", "there is no row"),
    ):
        file.write_text(row + "\n")
        with pytest.raises(InputError, match=says):
            read_uniform_wind(file, 100.0)
