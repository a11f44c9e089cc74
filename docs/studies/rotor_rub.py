"""Figure of rotor_rub.md: amplitudes of the rubbing rotor over its speed, by continuation and by the closed form.

From the root of the repository: `python -m docs.studies.rotor_rub`; it takes a minute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import fem_mbd as fm
from fem_mbd.cases import rotor_rub
from fem_mbd.cases.rotor_rub import Parameters
from tests.cases.rotors.test_rotor_rub import build

FILE = Path(__file__).parents[1] / "figures" / "rotor_rub.png"


def main() -> None:
    """Follow the whirl over both corners and the fold of the rub, and draw it."""
    without = fm.periodic(build, {"speed": 100.0}, frequency="speed", steps=60, settle=60)
    branch = fm.continuation(without, "speed", (100.0, 450.0), step=(0.02, 0.2))
    points = [(orbit.values["speed"], float(np.hypot(*orbit.state.u[1, :2]))) for orbit in branch.orbits[::2]]
    speeds, sizes = np.transpose(points)
    rotor_rub.draw_response(Parameters(), {"continuation": (speeds, sizes)}, FILE)
    print(branch)


if __name__ == "__main__":
    main()
