"""Template of a study: a mass released on a spring oscillates with the period 2 pi sqrt(m/k).

    fem-mbd run ./spring_mass                       from the folder above: checks and figures
    fem-mbd run ./spring_mass --set mass=2          other parameters; fem-mbd list ./spring_mass shows them
    python -m pytest spring_mass                    its tests

Replace the contents by your own: parameters.py, model.py, results.py (checks and figures), test_spring_mass.py.
"""

from __future__ import annotations

from fem_mbd.case import Case

from .model import build
from .parameters import Parameters
from .results import checks, plot

CASE = Case("spring_mass", "a mass released on a spring", Parameters, build, checks, plot)
