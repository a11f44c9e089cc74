"""The figure of a gradient: elasticities of every output as bars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fem_mbd.applications.gradients.gradient import Gradient
from fem_mbd.output.figures.plots import new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_gradient(found: Gradient, file: Path, title: str = "") -> Path:
    """Draw the elasticities, largest at the top; an output that is zero has none.

    Parameters
    ----------
    found : outputs and derivatives
    file : of the figure
    title : above it
    """
    elasticities = np.nan_to_num(found.elasticities)
    order = np.argsort(np.abs(elasticities).max(axis=0))
    with styled():
        figure, axes = new_figure(height=1.4 + 0.25 * len(order) * len(found.outputs))
        ax: Axes = axes[0, 0]
        thick = 0.8 / len(found.outputs)
        for k, (name, row) in enumerate(zip(found.outputs, elasticities, strict=True)):
            ax.barh(
                np.arange(len(order)) - k * thick, row[order], thick, label=f"{name} = {found.values[k]:.4g}"
            )
        names = [f"{found.parameters[p]} = {found.at[p]:.4g}" for p in order]
        ax.set_yticks(np.arange(len(order)) - 0.5 * (0.8 - thick), names)
        ax.axvline(0.0, color="0.4", linewidth=0.8)
        ax.set(xlabel="relative change of the output over that of the parameter", title=title)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.35), fontsize="small")
        return save(figure, file)
