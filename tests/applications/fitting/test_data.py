"""Tests of reading measured friction data; errors name file, line and column."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.applications.fitting import measured, read_measurement
from fem_mbd.errors import InputError
from tests.refusals import refused

GOOD = "time,velocity,force,normal_force\n0,0,0,10\n0.1,1e-3,1,10\n0.2,2e-3,1.5,11\n0.4,-1e-3,-1,12\n"


def test_columns_as_they_stand(tmp_path: Path) -> None:
    """Comments, units, other columns, order, separators, a byte-order mark."""
    file = tmp_path / "a.csv"
    file.write_text(
        "\ufeff# rig 3\nforce [N]; note; time [s];velocity [m/s]\n\n1;x;0;1\n2;;1;2\n# end\n4;y;3;3\n",
        "utf-8",
    )
    data = read_measurement(file, normal_force=5.0)
    assert data.time is not None and data.velocity is not None and data.displacement is None
    assert (
        data.force.tolist() == [1, 2, 4]
        and data.time.tolist() == [0, 1, 3]
        and data.velocity.tolist() == [1, 2, 3]
    )
    assert data.normal_force.tolist() == [5, 5, 5] and data.coefficient.tolist() == [0.2, 0.4, 0.8]
    file.write_text("force\tvelocity\n1\t1\n2\t2\n3\t3\n", "utf-8")
    assert read_measurement(file, 1.0).time is None


def test_path_at_a_known_speed(tmp_path: Path) -> None:
    """Force over displacement without time: the time is the path divided by the speed."""
    file = tmp_path / "a.csv"
    file.write_text("displacement,force\n0,1\n2e-3,2\n1e-3,-1\n0,-2\n", "utf-8")
    data = read_measurement(file, 1.0, speed=1e-2)
    assert data.time == pytest.approx([0.0, 0.2, 0.3, 0.4])
    assert data.displacement is not None and data.displacement.tolist() == [0, 2e-3, 1e-3, 0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no column 'force'"),
        ("time,velocity,forse\n", "no column 'force' .*did you mean 'forse'"),
        ("time,force,Velocity\n0,1,1\n", "'velocity' .m/s. or 'displacement' .* did you mean 'Velocity'"),
        ("time,force\n0,1\n", "'velocity' .m/s. or 'displacement' .m.: one of them is required; it has: time, force"),
        ("displacement,force\n0,1\n1,1\n2,1\n", "no column 'time' .s.: add it or give --speed"),
        ("time,velocity,force,force\n", "two columns have the same name"),
        ("time [ms],velocity,force\n", "column 'time': unit 'ms': convert it to s"),
        (GOOD.replace("0.2,", "0.1,"), "line 4, column 'time': time must increase"),
        (GOOD.replace("0.1,", "nan,"), "line 3, column 'time': not a finite number"),
        (GOOD.replace("1.5", "NaN"), "line 4, column 'force': not a finite number: correct the row"),
        (GOOD.replace("1.5", "inf"), "line 4, column 'force': not a finite number"),
        (GOOD.replace("1.5", "1,5"), "line 4: 5 entries for 4 columns"),
        (GOOD.replace("1.5", "1.5 N"), "line 4, column 'force': '1.5 N' is not a number"),
        (GOOD.replace("1.5", ""), "line 4, column 'force': '' is not a number"),
        (GOOD.replace(",11", ",0"), "line 4, column 'normal_force': the normal force must be positive"),
        ("\n".join(GOOD.splitlines()[:3]), "2 rows of data: give at least 3"),
        (f"time,velocity,force\n0,0,{'1' * 140_000}\n", "line 2: it is not a line of a CSV table"),
        (f"time,velocity,{'f' * 140_000}\n", "first line: it is not a line of a CSV table"),
        ("velocity,force,normal_force\n1,1,1\n0,1,1\n2,1,1\n", "line 3, column 'velocity': the steady force requires"),
        ("velocity,force,normal_force\n1,-1,1\n2,-1,1\n3,-1,1\n", "drives the slip instead of resisting it"),
        ("velocity,force,normal_force\n1,0,1\n2,0,1\n3,0,1\n", "there is no slip, or the force is zero"),
    ],
)  # fmt: skip
def test_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "rig.csv"
    file.write_text(text, "utf-8")
    refused(f"rig.csv.*{said}", read_measurement, file)


def test_refused_around_the_file(tmp_path: Path) -> None:
    file = tmp_path / "rig.csv"
    refused(r"rig.csv: it cannot be read .No such file", read_measurement, file)
    file.write_bytes(b"\xff\xfe\x00")
    refused(r"rig.csv: it is not a text file in UTF-8", read_measurement, file)
    file.write_text(GOOD, "utf-8")
    refused("normal force is a column of the file: leave the constant one out", read_measurement, file, 10.0)
    with pytest.raises(InputError, match="--speed requires a column 'displacement'"):
        read_measurement(Path(_without_time(file)), speed=1.0)
    refused("has a column 'time': leave --speed out", lambda: read_measurement(_with_time(file), speed=1.0))


def _without_time(file: Path) -> Path:
    file.write_text("velocity,force,normal_force\n1,1,1\n2,1,1\n3,1,1\n", "utf-8")
    return file


def _with_time(file: Path) -> Path:
    file.write_text("time,displacement,force,normal_force\n0,0,1,1\n1,1,1,1\n2,2,1,1\n", "utf-8")
    return file


def test_arrays() -> None:
    column = np.arange(4.0)
    with pytest.raises(InputError, match=r"data, column 'time': shape \(3,\): give \(4,\)"):
        measured({"time": column[:3], "velocity": column, "force": column}, 1.0)
    with pytest.raises(InputError, match=r"no column 'normal_force' .N.: add it or give --normal-force"):
        measured({"time": column, "velocity": column, "force": column})
    with pytest.raises(InputError, match="normal force is -1: it must be above zero"):
        measured({"time": column, "velocity": column, "force": column}, -1.0)
    with pytest.raises(InputError, match="data, row 3, column 'displacement': the same as in the row before"):
        measured({"displacement": [0.0, 1.0, 2.0, 2.0], "force": column}, 1.0, speed=1.0)


def test_numbers_that_no_fit_can_use() -> None:
    """Squares that overflow, normal forces for which coefficients overflow, and values that are not arrays."""
    column = np.arange(4.0)
    for huge in (1e31, 1e300, -1e300):
        with pytest.raises(InputError, match=r"data, row 2, column 'force': beyond 1e\+30: give it in N"):
            measured({"time": column, "velocity": column, "force": [1.0, 1.0, huge, 1.0]}, 1.0)
    with pytest.raises(InputError, match=r"column 'normal_force': below 1e-30: give it in N"):
        measured({"time": column, "velocity": column, "force": column, "normal_force": column + 1e-300})
    with pytest.raises(InputError, match="the normal force is 1e-300: give it in N"):
        measured({"time": column, "velocity": column, "force": column}, 1e-300)
    with pytest.raises(InputError, match="column 'force': it is not an array of numbers"):
        measured({"time": column, "velocity": column, "force": ["a", "b", "c", "d"]}, 1.0)
    refused("1 rows of data", measured, {"time": column, "velocity": column, "force": 3.0}, 1.0)
