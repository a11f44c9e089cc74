"""The figure of a calibration: measured and calculated histories, and their differences."""

from __future__ import annotations

from pathlib import Path

from fem_mbd.applications.calibration.calibration import Calibration
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled


def draw_calibration(found: Calibration, file: Path, title: str = "") -> Path:
    """Draw each history with the run's, and below what is left in units of sigma.

    Parameters
    ----------
    found : parameters and histories
    file : of the figure
    title : above it
    """
    with styled():
        figure, axes = new_figure(rows=len(found.measured), columns=2, height=2.2 * len(found.measured))
        for (left, right), history in zip(axes, found.measured, strict=True):
            calculated = found.calculated[history.name]
            left.plot(history.time, history.values, ".", color="0.6", markersize=3, label="measured")
            left.plot(history.time, calculated, color=COLOURS[0], label="calculated")
            left.set(ylabel=history.name)
            right.plot(history.time, (calculated - history.values) / history.sigma, color=COLOURS[1])
            right.set(ylabel="difference over sigma")
        for ax in axes[-1]:
            ax.set(xlabel="time [s]")
        legend(axes[0, 0])
        figure.suptitle(title)
        return save(figure, file)
