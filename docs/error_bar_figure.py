"""Figure of error-bars.md: estimated over true errors of an oscillation, over the size of the steps.

From the root of the repository: `python -m docs.error_bar_figure`.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fem_mbd as fm
from tests.applications.gradients.test_error_bar import END, OSCILLATION, _oscillator

COUNTS = np.array([16, 20, 28, 40, 56, 80, 112])  # steps of the run; with rows at 0.5 s and 1.5 s

of = {name: text for name, (text, _) in OSCILLATION.items()}
exact = np.array([value for _, value in OSCILLATION.values()])
bars = [fm.error_of(_oscillator(fm.StepControl.fixed(END / count)), of) for count in COUNTS]
ratios = np.array([bar.time / (bar.values - exact) for bar in bars])
figure, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(6.4, 5.4), layout="constrained")
for k, name in enumerate(of):
    upper.semilogx(END / COUNTS, ratios[:, k], "o-", label=name, markersize=4)
    lower.loglog(END / COUNTS, np.abs([bar.values[k] - exact[k] for bar in bars]), "o-", markersize=4)
upper.axhspan(0.9, 1.1, color="0.9")
upper.set(ylabel="estimated / true error", ylim=(0.0, 2.0))
upper.legend(frameon=False, ncols=3, fontsize="small")
lower.set(xlabel="step [s]", ylabel="true error [m, m/s, m s]")
figure.savefig(Path(__file__).parent / "figures" / "error_bars.png", dpi=110)
