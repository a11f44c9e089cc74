"""Animations of all cases for the gallery, made when the documentation is built: the beginning of a run of each.

    python docs/moving_pages.py FOLDER [CASE ...]

Runs are as long as shows what moves and takes seconds; `fem-mbd run` and `fem-mbd show` make whole ones.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cli.reports import CHECK_FAILED
from fem_mbd.cases import case_names
from fem_mbd.cases._blades import DATA
from fem_mbd.errors import FemMbdError

FRAMES = "150"
# parameters of the short runs
SHORT: dict[str, dict[str, object]] = {
    "articulated_rotor": {"revolutions": 1},
    "belt_block": {"end_time": 1.5},
    "cantilever": {"end_time": 0.06},
    "constraint_methods": {"end_time": 1},
    "crank_mechanism": {"revolutions": 0.2},
    "cube_on_plane": {"end_time": 0.5},
    "ground_resonance": {"revolutions": 2},
    "iea15mw_blade": {"end_time": 2},
    "iea15mw_turbine": {"end_time": 1},
    "journal_bearing": {"end_time": 0.06},
    "lattice": {"cells": 6, "amplitude": 0.02},
    "nrel5mw_blade": {"end_time": 2},
    "nrel5mw_turbine": {"end_time": 1},
    "pendulum": {"joint": "clearance", "end_time": 0.5},
    "pendulum_friction": {"end_time": 1},
    "revolute_clearance_3d": {"end_time": 0.03},
    "rotor_rub": {"end_time": 0.2},
    "slider_crank_clearance": {"revolutions": 0.3},
    "supercritical_rotor": {"end_time": 0.1},
    "translational_joint_friction": {"end_time": 0.4},
    "turbine_blades": {"end_time": 0.04},
    "xml_model": {"file": DATA / "pendulum_friction.xml", "end_time": 1},
}


def write_page(case: str, folder: Path) -> Path:
    """Run the beginning of a case and write ``folder/CASE.html``; what stands there already is kept."""
    page = folder / f"{case}.html"
    if page.exists():
        return page
    folder.mkdir(parents=True, exist_ok=True)
    settings = [text for name, value in SHORT[case].items() for text in ("--set", f"{name}={value}")]
    with TemporaryDirectory() as run:
        # the beginning of a run, with motions large enough to be seen, may fail what its case checks of a whole one
        for command, accepted in (
            (["run", case, *settings, "--out", run, "--quiet", "--no-plot"], (0, CHECK_FAILED)),
            (["show", run, "--out", str(page), "--frames", FRAMES], (0,)),
        ):
            if main(command) not in accepted:
                raise FemMbdError(f"the gallery's page of {case}: fem-mbd {' '.join(command)} failed")
    return page


if __name__ == "__main__":
    for name in sys.argv[2:] or case_names():
        write_page(name, Path(sys.argv[1]))
