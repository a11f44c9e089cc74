"""Figure of rotor_rub.md: amplitudes of the rubbing rotor over its speed, by continuation and by the closed form.

From the root of the repository: `python -m docs.studies.rotor_rub`; it takes a minute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import fem_mbd as fm
from fem_mbd.cases import rotor_rub
from fem_mbd.cases.rotor_rub import Parameters
from tests.cases.rotors.test_rotor_rub import build, rub

FILE = Path(__file__).parents[1] / "figures" / "rotor_rub.png"


def main() -> None:
    """Follow the rub through its fold, and the whirl without contact, and draw both."""
    without = fm.periodic(build, {"speed": 100.0}, frequency="speed", steps=60, settle=60)
    branches = (
        fm.continuation(without, "speed", (100.0, 174.0)),
        fm.continuation(rub(steps=60, speed=176.0), "speed", (175.0, 450.0), step=0.1, largest_step=4.0),
    )
    points = [
        (orbit.values["speed"], float(np.hypot(*orbit.state.u[1, :2])))
        for branch, every in zip(branches, (6, 2), strict=True)
        for orbit in branch.orbits[::every]
    ]
    speeds, sizes = np.transpose(points)
    rotor_rub.draw_response(Parameters(), {"continuation": (speeds, sizes)}, FILE)
    print(*branches, sep="\n")


if __name__ == "__main__":
    main()
