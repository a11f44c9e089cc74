"""Figure of fits: force over time, over slip velocity and over displacement, and residuals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.applications.fitting.data import Measurement
from fem_mbd.applications.fitting.fit import Fit
from fem_mbd.base.arrays import Array
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURED: dict[str, Any] = {
    "color": "0.6",
    "marker": ".",
    "linestyle": "none",
    "markersize": 2.5,
    "zorder": 1,
}
DECADES = 1.5  # a wider range of speeds is drawn on a logarithmic axis


def draw_fits(fits: Sequence[Fit], path: Path) -> Path:
    """Draw one or more fits to the same measurement, saved as PNG at ``path``."""
    with styled():
        if fits[0].data.time is None:
            figure, axes = new_figure(2, height=5.0)
            _steady(fits, axes[0, 0], axes[1, 0])
        else:
            figure, grid = new_figure(3, 2, height=7.0, share_x=False)
            space = grid[0, 0].get_gridspec()
            for row in (0, 2):
                for axis in grid[row]:
                    axis.remove()
            force, residual = figure.add_subplot(space[0, :]), figure.add_subplot(space[2, :])
            _history(fits, force, residual, grid[1, 0], grid[1, 1])
        return save(figure, path)


def _history(fits: Sequence[Fit], force: Axes, residual: Axes, over_v: Axes, over_x: Axes) -> None:
    data = fits[0].data
    assert data.time is not None
    v, x = motion(data)
    for axis, at, label in (
        (force, data.time, "time [s]"),
        (over_v, v, "slip velocity [m/s]"),
        (over_x, x, "displacement [m]"),
    ):
        axis.plot(at, data.force, label="measured" if axis is force else None, **MEASURED)
        for fit, colour in zip(fits, COLOURS, strict=False):
            axis.plot(
                at, fit.force, color=colour, linewidth=0.8, label=_label(fit) if axis is force else None
            )
        axis.set_xlabel(label)
        axis.set_ylabel("force [N]")
    for fit, colour in zip(fits, COLOURS, strict=False):
        residual.plot(data.time[fit.used], fit.residuals, ".", markersize=2.5, color=colour)
    residual.set_xlabel("time [s]")
    residual.set_ylabel("measured - law [N]")
    legend(force, columns=3 if len(fits) < 3 else 2)


def _steady(fits: Sequence[Fit], force: Axes, residual: Axes) -> None:
    data = fits[0].data
    assert data.velocity is not None
    order = np.argsort(data.velocity)
    v = data.velocity[order]
    force.plot(v, data.force[order], label="measured", **MEASURED | {"markersize": 5.0})
    for fit, colour in zip(fits, COLOURS, strict=False):
        force.plot(v, fit.force[order], color=colour, label=_label(fit))
        residual.plot(v, fit.residuals[order], ".", markersize=4.0, color=colour)
    if v[0] > 0.0 and np.log10(v[-1] / v[0]) > DECADES:
        force.set_xscale("log")
        residual.set_xscale("log")
    force.set_ylabel("force [N]")
    residual.set_ylabel("measured - law [N]")
    residual.set_xlabel("slip velocity [m/s]")
    legend(force, columns=3 if len(fits) < 3 else 2)


def _label(fit: Fit) -> str:
    return f"{fit.form.name}, {fit.rms:.3g} N rms"


def motion(data: Measurement) -> tuple[Array, Array]:
    """Velocity (n,) in m/s and displacement (n,) in m of a measurement with time, each derived from the other."""
    assert data.time is not None
    if data.displacement is not None:
        return np.gradient(data.displacement, data.time), data.displacement
    assert data.velocity is not None
    v = data.velocity
    return v, np.r_[0.0, np.cumsum(0.5 * np.diff(data.time) * (v[1:] + v[:-1]))]
