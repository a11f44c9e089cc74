"""Tests of SI prefixes on axes: same numbers, without powers of ten; labels without a unit are unchanged."""

import numpy as np
import pytest

from fem_mbd.output.figures.plots import new_figure, prefix_axes, prefix_power, styled


@pytest.mark.parametrize(
    ("size", "power"),
    [(25e3, 3), (999.0, 0), (1000.0, 3), (0.1, 0), (0.099, -3), (4e-6, -6), (3e8, 6), (0.0, 0), (1e-15, -9)],
)
def test_prefix_leaves_numbers_between_one_and_a_thousand(size: float, power: int) -> None:
    assert prefix_power(size) == power
    if power > -9:
        assert size == 0.0 or 0.1 <= size / 10.0**power < 1000.0


def test_axes_are_drawn_with_prefixes() -> None:
    with styled():
        figure, axes = new_figure(3, share_x=False)
        for ax, label in zip(axes[:, 0], ("force [N]", "angle [deg]", "power [W]"), strict=True):
            ax.plot(np.linspace(0.0, 0.04, 5), np.linspace(-2.5e4, 2.5e4, 5))
            ax.set(xlabel="time [s]", ylabel=label)
        axes[2, 0].set(yscale="symlog")
        prefix_axes(figure)
        assert [ax.get_ylabel() for ax in axes[:, 0]] == ["force [kN]", "angle [deg]", "power [W]"]
        assert axes[0, 0].get_xlabel() == "time [ms]"
        form = axes[0, 0].yaxis.get_major_formatter()
        assert [form(value) for value in (-2.5e4, 0.0, 1e4)] == ["−25", "0", "10"]
        prefix_axes(figure)  # once is enough: a label with a prefix is left alone
        assert axes[0, 0].get_ylabel() == "force [kN]"


def test_a_picture_to_scale_keeps_one_unit() -> None:
    with styled():
        figure, axes = new_figure(1)
        axes[0, 0].plot([0.0, 0.01], [0.0, 2.0])
        axes[0, 0].set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
        prefix_axes(figure)
        assert axes[0, 0].get_xlabel() == "x [m]" and axes[0, 0].get_ylabel() == "y [m]"
