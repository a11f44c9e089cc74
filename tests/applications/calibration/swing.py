"""A measured swing of the case `pendulum_friction`, made by a run."""

import warnings
from pathlib import Path

import numpy as np

import fem_mbd as fm
from fem_mbd.cases import load_case
from fem_mbd.errors import FemMbdWarning


def swing_of_pendulum(file: Path, end_time: float = 0.05) -> None:
    """Write time (s) and rate of rotation (rad/s) of the bob up to a time (s) into a CSV file."""
    case = load_case("pendulum_friction")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FemMbdWarning)
        result = fm.run(case.build(case.parameters(end_time=end_time)), progress=False)
    t = np.linspace(0.0, end_time, 61)
    rows = np.column_stack([t, np.asarray(result.of("bob").at(t).omega)[:, 1]])
    np.savetxt(file, rows, delimiter=",", header="time,bob.omega[1]", comments="", fmt="%.17g")
