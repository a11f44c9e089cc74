"""Case: classical methods for enforcing a mechanism's constraints, compared with this package's scheme.

A rigid spatial slider-crank without losses moves under gravity for 20 s. Eight methods, each with Runge-Kutta's and one
of SciPy's integrators, are compared with the run of the case: violation of the position and velocity constraints,
energy, cost. Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), sections 2.3 and 2.4.

The source compares the first five methods and describes the other three. Its statements are the checks. One fails:
direct correction, which is said to change the energy most, changes it least here (docs/studies/constraint_methods.md).
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases._spatial_slider_crank import build_mechanism
from fem_mbd.cases.constraint_methods.figures import plot
from fem_mbd.cases.constraint_methods.model import Parameters
from fem_mbd.cases.constraint_methods.results import checks
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl


def build(p: Parameters) -> Simulation:
    """The run of this package: constant steps."""
    return Simulation(build_mechanism().model, p.end_time, StepControl.fixed(p.dt))


CASE = Case(
    "constraint_methods",
    "a spatial slider-crank by eight classical constraint methods, and by this package",
    Parameters,
    build,
    checks,
    plot,
)
