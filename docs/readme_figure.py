"""Draws docs/figures/pendulum.png from the README's model: `python docs/readme_figure.py`."""

from pathlib import Path

import numpy as np

import fem_mbd as fm

HERE = Path(__file__).parent
STORED = ("kinetic", "elastic", "gravity", "contact", "bristle")
LOST = ("dissipation_friction", "dissipation_contact", "dissipation_viscous", "dissipation_scheme")

page = (HERE.parent / "README.md").read_text(encoding="utf-8")
namespace: dict = {}
exec(page.split("```python\n")[1].split("```")[0], namespace)
result, arm = namespace["result"], namespace["arm"]

tip = result.of(arm.end).position
pivot = result.of("pivot")
total = sum(result.energy[name] for name in STORED)
lost = sum(np.cumsum(result.energy[name]) for name in LOST)
fm.plots.draw_panels(
    HERE / "figures" / "pendulum.png",
    result.time,
    [
        fm.plots.Panel("tip [m]", {"x": tip[:, 0], "z": tip[:, 2]}),
        fm.plots.Panel(
            "joint force [N]",
            {"normal": pivot.normal_force, "friction": np.linalg.norm(pivot.friction_force, axis=-1)},
        ),
        fm.plots.Panel("energy [J]", {"in the system": total, "lost": lost, "sum": total + lost}),
    ],
)
