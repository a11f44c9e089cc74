"""Figure of load channels: history, spectrum and counted ranges of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fem_mbd.output.figures.plots import COLOURS, new_figure, save, styled
from fem_mbd.output.section_loads.loads import Loads

DEFAULT_CHANNELS = (
    "RootMxb1",
    "RootMyb1",
    "RotThrust",
    "RotTorq",
    "TwrBsMxt",
    "TwrBsMyt",
)  # default channels
MAX_CHANNELS = 12  # largest number of channels in a figure
HEIGHT = 1.7  # inches per channel
FLOOR = 1e-14  # fraction of the largest density: smaller values are round-off


def draw_loads(loads: Loads, path: Path, names: Sequence[str] = ()) -> Path:
    """Draw channels one below the other and return the file.

    Parameters
    ----------
    loads : of a run
    path : of the PNG file
    names : of the channels; by default the most usual ones, or the first ones. At most 12 are drawn
    """
    chosen = (
        list(names)
        or [name for name in DEFAULT_CHANNELS if name in loads]
        or list(loads)[: len(DEFAULT_CHANNELS)]
    )
    chosen = chosen[:MAX_CHANNELS]
    with styled():
        figure, axes = new_figure(
            len(chosen), 3, width=10.0, height=HEIGHT * len(chosen) + 0.6, share_x=False
        )
        for row, name in zip(axes, chosen, strict=True):
            unit, colour = loads.units[name], COLOURS[0]
            row[0].plot(loads.time, loads[name], color=colour)
            row[0].set_ylabel(f"{name} [{unit}]")
            frequency, density = loads.spectrum(name)
            drawn = density > FLOOR * density.max()
            row[1].semilogy(frequency[drawn], density[drawn], color=colour)
            row[1].set_ylabel(f"density [{f'({unit})' if ' ' in unit else unit}²/Hz]")
            counted = loads.ranges(name)
            if len(counted):
                reached = np.cumsum(counted["count"][::-1])
                row[2].step(reached, counted["range"][::-1], where="post", color=colour)
                row[2].set_xscale("log")
            row[2].set_ylabel(f"range [{unit}]")
        for ax, label in zip(
            axes[-1], ("time [s]", "frequency [Hz]", "cycles of this range or more"), strict=True
        ):
            ax.set_xlabel(label)
        return save(figure, path)
