"""Draws docs/figures/pendulum.png from the README's first model: `python docs/readme_figure.py`."""

from pathlib import Path

import numpy as np

from fem_mbd import plots

namespace: dict = {}
here = Path(__file__).parent
exec((here / "readme_example.py").read_text(), namespace)
result, arm = namespace["result"], namespace["arm"]
tip = result.of(arm.end).position
contact = result.of("pivot")
friction = np.linalg.norm(contact.friction_force, axis=1)
energy = result.energy
total = sum(energy[name] for name in ("kinetic", "elastic", "gravity", "contact", "bristle"))
lost = sum(
    np.cumsum(energy[name]) for name in ("dissipation_friction", "dissipation_viscous", "dissipation_scheme")
)
plots.draw_panels(
    here / "figures" / "pendulum.png",
    result.time,
    [
        plots.Panel("tip [m]", {"x": tip[:, 0], "z": tip[:, 2]}),
        plots.Panel("joint force [N]", {"normal": contact.normal_force, "friction": friction}),
        plots.Panel("energy [J]", {"in the system": total, "lost": lost, "sum": total + lost}),
    ],
)
