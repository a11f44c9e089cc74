"""Figure of periodic.md: response of Duffing's oscillator with its folds, and the backbone of its free vibrations.

From the root of the repository: `python -m docs.periodic_figure`.
"""

from __future__ import annotations

from pathlib import Path

import fem_mbd as fm
from tests.analysis.periodic.oscillators import duffing

FILE = Path(__file__).parent / "figures" / "periodic_duffing.png"


def main() -> None:
    """Calculate and draw."""
    driven = fm.periodic(duffing, {"omega": 0.7}, frequency="omega")
    response = fm.continuation(driven, "omega", (0.7, 1.5))
    free = fm.nonlinear_mode(duffing, {"zeta": 0.0, "force": 0.0}, amplitude=0.02)
    backbone = fm.continuation(free, "frequency", (0.9, 1.3), step=(0.05, 0.2))
    figure = response.plot("amplitude")
    ax = figure.axes[0]
    x, y = backbone.column("frequency"), backbone.column("amplitude")
    ax.plot(x, y, ":", color="0.3", linewidth=1.2, label="free, undamped")
    ax.set(xlabel="frequency (rad/s)", xlim=(0.7, 1.5), ylim=(0.0, 3.2))
    ax.legend(fontsize="small", frameon=False)
    figure.savefig(FILE, dpi=150)


if __name__ == "__main__":
    main()
