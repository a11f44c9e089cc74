"""Tests of plotting: files are images, and matplotlib's global state is unchanged."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.image import imread

from fem_mbd.output.figures.plots import Panel, draw_panels, logarithmic, new_figure, save, styled
from fem_mbd.output.run_figures import standard_figures
from fem_mbd.runs.running.runs import run
from tests.runs.running.fake_simulation import FakeSimulation


def has_ink(path: Path) -> bool:
    """Whether the file is an image that is not entirely white."""
    picture = imread(path)
    return picture.shape[0] > 100 and bool(np.any(picture[..., :3] < 0.5))


def test_standard_figures(tmp_path: Path) -> None:
    figures = standard_figures(run(FakeSimulation(80)), tmp_path)
    assert [f.name for f in figures] == ["energy.png", "steps.png"]
    assert all(has_ink(figure) for figure in figures)


@pytest.mark.parametrize("round_off_sensitivity", [0.0, 2.3e-16, 1e-15, 1e-12])
def test_logarithmic_axis_of_values_that_hardly_differ(tmp_path: Path, round_off_sensitivity: float) -> None:
    """Equal steps up to round-off: an axis between equal logarithms has no height and causes a division by zero."""
    with styled():
        figure, axes = new_figure()
        axes[0, 0].plot([0.0, 1.0], [1e-3, 1e-3 * (1.0 + round_off_sensitivity)], ".")
        logarithmic(axes[0, 0])
        low, high = axes[0, 0].get_ylim()
        assert low < 6e-4 and high > 1.7e-3
        assert has_ink(save(figure, tmp_path / "steps.png"))


def test_no_figures_without_a_step(tmp_path: Path) -> None:
    assert standard_figures(run(FakeSimulation(8, fail_at=1)), tmp_path) == []


@pytest.mark.parametrize("angle", [False, True])
def test_panels(tmp_path: Path, angle: bool) -> None:
    x = np.linspace(0.0, 720.0, 10_000)
    own = (x[::100], np.cos(np.radians(x[::100])))
    panels = [
        Panel("force [N]", {"F2": np.sin(np.radians(x)), "coarse": own}, shaded=[(150.0, 250.0)]),
        Panel("step [s]", {"dt": 1e-6 + x**2}, log=True, title="step size"),
    ]
    path = draw_panels(tmp_path / "a.png", x, panels, xlabel="angle [°]", angle=angle, limits=(360.0, 720.0))
    assert path == tmp_path / "a.png" and has_ink(path)


def test_style_stays_inside(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    with styled():
        figure, axes = new_figure(1, 2)
        axes[0, 1].plot([0.0, 1.0], [0.0, 1.0])
        save(figure, tmp_path / "b.png")
    assert dict(matplotlib.rcParams) == before
