"""Tests of the steps of a path: rows in the middle of steps, static laws exact, dynamic ones of second order."""

import numpy as np
import pytest

from fem_mbd.applications.fitting import measured
from fem_mbd.applications.fitting.report import MODEL, demonstration
from fem_mbd.applications.fitting.search import path_of
from fem_mbd.errors import InputError
from fem_mbd.friction import TanhRegularised
from tests.applications.fitting.made import LUGRE, blank


def test_a_static_law_at_measured_speeds() -> None:
    """Speed linear in time: the mean speed of a row's step is the row's, whatever the number of steps."""
    t = np.linspace(0.0, 1.0, 21)
    v, normal = 1e-3 * (2.0 * t - 0.7), 5.0 + t
    data = measured({"time": t, "velocity": v, "force": np.sign(v), "normal_force": normal})
    expected = normal * 0.1 * np.tanh(1e3 * v)
    for substeps in (1, 4):
        assert path_of(data, substeps).force(TanhRegularised(0.1, 1e3))[1:-1] == pytest.approx(
            expected[1:-1], rel=1e-12, abs=1e-13
        )


def test_displacement_and_velocity_give_the_same_path() -> None:
    t = np.linspace(0.0, 1.0, 400)
    x, v = 1e-4 * np.sin(9.0 * t), 9e-4 * np.cos(9.0 * t)
    by_x = path_of(measured({"time": t, "displacement": x, "force": v}, 10.0), 1).force(LUGRE)
    by_v = path_of(measured({"time": t, "velocity": v, "force": v}, 10.0), 1).force(LUGRE)
    assert by_x[1:-1] == pytest.approx(by_v[1:-1], abs=5e-3)


def test_second_order_in_the_steps() -> None:
    """Errors against 64 steps between rows fall with the square of their number."""
    data = blank()
    reference = path_of(data, 128).force(LUGRE)
    steps = np.array([1, 2, 4, 8])
    error = [np.sqrt(np.mean((path_of(data, int(n)).force(LUGRE) - reference)[1:-1] ** 2)) for n in steps]
    order = -np.polyfit(np.log(steps), np.log(error), 1)[0]
    assert 1.8 < order < 2.2


@pytest.mark.parametrize("substeps", [0, 1.5, True, 1001])
def test_steps_are_whole(substeps: int) -> None:
    with pytest.raises(InputError, match=r"substeps is .*: give a whole number from 1 to 1000"):
        path_of(blank(), substeps)


def test_smooth_motion_between_rows() -> None:
    """Forces at rows of a sampled sinusoid are those of the sinusoid itself, independent of the sampling."""
    demo = demonstration(noise=0.0)
    assert np.sqrt(np.mean((path_of(demo, 16).force(MODEL) - demo.force)[1:-1] ** 2)) < 3e-4
    lugre = demonstration(LUGRE, noise=0.0)
    assert np.sqrt(np.mean((path_of(lugre, 8).force(LUGRE) - lugre.force)[1:-1] ** 2)) < 3e-4
