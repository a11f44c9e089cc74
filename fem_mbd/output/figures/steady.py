"""Figure of steady states of a turbine: power, thrust, pitch, deflection over the wind; forces along the blade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.output.figures.plots import new_figure, save, styled

MAX_LINES = 6  # of distributions


def draw_steady(
    data: Mapping[str, Any], along: Sequence[tuple[float, Array, Array]], file: Path, title: str
) -> Path:
    """Draw steady states.

    Parameters
    ----------
    data : lists over the wind, as of `SteadyStates.plain`
    along : wind (m/s), span (m) and forces (n, 3), N/m, along the wind, driving and radial, of each state
    file : to write
    title : of the figure
    """
    winds = data["winds_m_s"]
    tip = np.array(data["tip_deflection_m"])
    over_wind = (
        ("power [MW]", np.array(data["power_w"]) / 1e6),
        ("thrust [MN]", np.array(data["thrust_n"]) / 1e6),
        ("pitch [deg]", np.array(data["pitch_deg"])),
        ("tip, to the suction side [m]", tip[:, 0]),
    )
    with styled():
        figure, axes = new_figure(3, 2, share_x=False)
        for axis, (label, values) in zip(axes[:2].ravel(), over_wind, strict=True):
            axis.plot(winds, values, "o-", markersize=3)
            axis.set_xlabel("wind [m/s]")
            axis.set_ylabel(label)
        for k in np.unique(np.linspace(0, len(along) - 1, MAX_LINES).round().astype(int)):
            wind, span, force = along[k]
            for axis, values in zip(axes[2], force.T[:2], strict=True):
                axis.plot(span, values / 1e3, label=f"{wind:.3g} m/s")
        for axis, label in zip(axes[2], ("force along the wind [kN/m]", "driving force [kN/m]"), strict=True):
            axis.set_xlabel("along the blade [m]")
            axis.set_ylabel(label)
        axes[2, 0].legend(loc="best", fontsize="small")
        axes[0, 0].set_title(f"{title}: steady states")
        return save(figure, file)
