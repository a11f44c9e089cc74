"""Figure of periodic.md: response of Duffing's oscillator with its folds, and the backbone of its free vibrations.

From the root of the repository: `python -m docs.periodic_figure`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import fem_mbd as fm
from fem_mbd.applications.continuation.figure import add_branch
from fem_mbd.output.figures.plots import new_figure, save, styled
from tests.analysis.periodic.oscillators import duffing

FILE = Path(__file__).parent / "figures" / "periodic_duffing.png"


def main() -> None:
    """Calculate and draw."""
    driven = fm.periodic(duffing, {"omega": 0.7}, frequency="omega")
    response = fm.continuation(driven, "omega", (0.7, 1.5))
    free = fm.nonlinear_mode(duffing, {"zeta": 0.0, "force": 0.0}, amplitude=0.02)
    backbone = fm.continuation(free, "frequency", (0.9, 1.3), step=0.05, largest_step=0.2)
    with styled():
        figure, axes = new_figure(height=3.4)
        ax = axes[0, 0]
        add_branch(ax, response, "amplitude")
        x, y = (np.array(backbone.column(name), float) for name in ("frequency", "amplitude"))
        ax.plot(x, y, ":", color="0.3", label="free, undamped")
        ax.set(xlabel="frequency (rad/s)", ylabel="amplitude (m)", xlim=(0.7, 1.5), ylim=(0.0, 3.2))
        ax.legend(fontsize="small")
        save(figure, FILE)


if __name__ == "__main__":
    main()
