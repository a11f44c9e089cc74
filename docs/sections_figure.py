"""Figure of sections.md: the half cylinder with its centres, and tip twist of a box beam over the angle of its plies.

From the root of the repository: `python -m docs.sections_figure`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import PolyCollection

from fem_mbd.elements import Section
from tests.elements.section.box_beam import ANGLES, tip_twist
from tests.elements.section.section_meshes import arc
from tests.validation.test_sections import BECAS

FILE = Path(__file__).parent / "figures" / "sections.png"


def main() -> None:
    """Calculate and draw."""
    points, cells = arc(np.linspace(0.09, 0.1, 4), np.linspace(np.pi / 2, 1.5 * np.pi, 61))
    section = Section.from_mesh(points, cells, BECAS)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.add_collection(PolyCollection(points[cells], facecolors="0.85", edgecolors="0.4", linewidths=0.3))
    for name, marker in (("tension_centre", "o"), ("shear_centre", "s"), ("mass_centre", "^")):
        left.plot(*getattr(section, name), marker, fillstyle="none", label=name.replace("_", " "))
    left.set(xlabel="y2 (m)", ylabel="y3 (m)", xlim=(-0.14, 0.12), ylim=(-0.11, 0.11))
    left.set_aspect("equal")
    left.legend(fontsize="small", frameon=False, loc="center right")
    found = np.degrees([tip_twist(angle) for angle in ANGLES])
    right.plot(ANGLES, found[:, 0], label="tip twist")
    for angle, (value, slope) in list(zip(ANGLES, found, strict=True))[3::6]:
        step = np.array([-3.0, 3.0])
        right.plot(angle + step, value + slope * step, "k", linewidth=1.0)
    right.set(xlabel="ply angle (degrees)", ylabel="twist of the tip by 4.45 N (degrees)")
    right.set_title("black: derivative by the adjoint", fontsize="small")
    figure.savefig(FILE, dpi=150)


if __name__ == "__main__":
    main()
