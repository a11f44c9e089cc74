"""Load tables: interpolation of functions for which it is exact, files, bad input."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import Model
from fem_mbd.elements import Beam, LoadTable, Section, read_load_table
from fem_mbd.errors import InputError

SPAN, AZIMUTH, TIME = np.array([0.0, 4.0, 10.0]), np.radians([0.0, 90.0, 180.0, 270.0]), np.array([1.0, 3.0])


def multilinear(span: Any, azimuth: Any, time: Any) -> Any:
    """Linear in span and time, and between the azimuths of the table."""
    return (2.0 + 3.0 * span) * (1.0 - 0.5 * time) + 7.0 * np.interp(
        azimuth, [*AZIMUTH, 2 * np.pi], [0.0, 1.0, 4.0, 2.0, 0.0]
    )


def table() -> LoadTable:
    grid = np.meshgrid(SPAN, AZIMUTH, TIME, indexing="ij")
    force = np.stack([multilinear(*grid), np.zeros_like(grid[0]), -multilinear(*grid)], axis=-1)
    centre = np.column_stack([0.1 * SPAN, -0.2 * SPAN])
    return LoadTable(SPAN, force, AZIMUTH, TIME, centre=centre)


def beam(elements: Any = 3, order: int = 4) -> Any:
    """A straight beam of 10 m along x."""
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([2e-3, 1e-3, 1e-3]))
    return Model().add(Beam(section, (0, 0, 0), (10, 0, 0), up=(0, 0, 1), elements=elements, order=order))


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("turns", [0, 1, -3])
def test_totals_and_moments_are_those_of_the_table(turns: int, order: int) -> None:
    """Linear in span and time, and between azimuths; moments about the root and at the aerodynamic centres."""
    handle = beam(order=order)
    there, places = table().onto_nodes(handle), np.array([node.position[0] for node in handle.nodes])
    fine, weights = np.polynomial.legendre.leggauss(4)
    fine, weights = 5.0 * (1.0 + fine), 5.0 * weights
    for azimuth, time in ((0.3, 1.0), (6.0, 2.2), (np.pi, 3.0)):
        found, load = there.at(azimuth + 2 * np.pi * turns, time), multilinear(fine, azimuth, time)
        assert found[:, 0].sum() == pytest.approx(weights @ load, rel=1e-12)
        assert places @ found[:, 2] == pytest.approx(-weights @ (fine * load), rel=1e-12)
        assert found[:, 6].sum() == pytest.approx(weights @ (0.1 * fine * load), rel=1e-12)
        assert found[:, 11].sum() == pytest.approx(weights @ (0.2 * fine * load), rel=1e-12)


@pytest.mark.parametrize("elements", [1, 2, 7])
@pytest.mark.parametrize("width", [0.3, 0.02, 1e-4])
def test_narrow_loads_are_whole_on_any_mesh(elements: int, width: float) -> None:
    span, force = 10 * np.array([0, 0.6 - width, 0.6, 0.6 + width, 1.0]), np.zeros((5, 3))
    force[2, 1] = 2.0
    handle = beam(elements)
    found = LoadTable(span, force).onto_nodes(handle).at(0.0, 0.0)[:, 1]
    places = np.array([node.position[0] for node in handle.nodes])
    assert found.sum() == pytest.approx(20 * width, rel=1e-12)
    assert places @ found == pytest.approx(6.0 * 20 * width, rel=1e-12)


def test_times_beyond_the_table_are_refused() -> None:
    with pytest.raises(InputError, match=r"from 1 to 3 s, loads are requested at 3\.5 s"):
        table().onto_nodes(beam()).at(0.0, 3.5)


def write(folder: Path, rows: list[str], titles: str = "span [m], azimuth [deg], Fx [N/m], y_ac [m]") -> Path:
    path = folder / "loads.csv"
    path.write_text("\n".join(["# a comment", titles, *rows]) + "\n")
    return path


ROWS = ["0, 0, 1, 0.5", "0, 180, 2, 0.5", "10, 180, 4, 0.7", "10, 0, 3, 0.7"]


def test_files_have_rows_in_any_order(tmp_path: Path) -> None:
    read = read_load_table(write(tmp_path, ROWS))
    assert read.span.tolist() == [0.0, 10.0] and read.azimuth == pytest.approx([0.0, np.pi])
    assert read.loads[:, :, 0, 0].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert np.all(read.loads[..., 1:] == 0.0)
    assert read.centre.tolist() == [[0.0, 0.5], [0.0, 0.7]]


@pytest.mark.parametrize(
    ("rows", "titles", "says"),
    [
        (ROWS[:3], None, r"line 5: no row here or above has span 10 m, azimuth 0 deg"),
        ([*ROWS, ROWS[1]], None, r"line 7: the same grid point as on line 4"),
        ([ROWS[0], "0, 180, x, 0.5"], None, r"line 4: this is not a row of numbers"),
        ([ROWS[0], "0, 180, 1"], None, r"line 4: 3 numbers for 4 columns"),
        ([ROWS[0], "0, 180, nan, 0.5"], None, r"line 4: numbers have to be finite"),
        (["0, 0, 1, 0.5", "0, 180, 2, 0.6", *ROWS[2:]], None, "y_ac has to be the same"),
        (ROWS, "span [m], azimuth [deg], Fx [N], y_ac [m]", r"line 2: there is no column 'Fx \[N\]'"),
        (ROWS, "span [m], azimuth [deg], x_ac [m], y_ac [m]", r"line 2: columns needed"),
        (["0, 0, 1, 0", "0, 90, 1, 0"], None, "span has one value only"),
        ([], None, "there are no rows"),
        (["0, 0, 1, 0", "0, 90, 1, 0", "9, 0, 1, 0", "9, 90, 1, 0"], None, "half a revolution after 90"),
        (["0, 0, 1, 0", "0, 400, 1, 0", "9, 0, 1, 0", "9, 400, 1, 0"], None, "below 360"),
    ],
)
def test_bad_files(tmp_path: Path, rows: list[str], titles: str | None, says: str) -> None:
    path = write(tmp_path, rows, *([titles] if titles else []))
    with pytest.raises(InputError, match=f"loads.csv.*{says}"):
        read_load_table(path)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"span": [0.0, 0.0]}, r"span \(m\).*ascend"),
        ({"force": np.zeros((3, 3))}, r"force \(N/m\)"),
        ({"time": [0.0]}, r"time \(s\).*2 numbers"),
        ({"centre": np.zeros((3, 2))}, r"centre \(m\)"),
    ],
)
def test_bad_arrays(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        given: dict[str, Any] = {"span": [0.0, 1.0], "force": np.zeros((2, 3))} | options
        LoadTable(**given)
