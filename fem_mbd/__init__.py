"""Flexible multibody dynamics: geometrically exact beams, rigid bodies, joints with clearance, contact and friction.

    import fem_mbd as fm
    from fem_mbd import elements, joints, friction

Build a `Model`, choose a `StepControl`, and `simulate`. The scheme is an energy-decaying time-discontinuous Galerkin
method: every run audits its own energy.
"""

from fem_mbd.errors import FemMbdError, InputError, MissingDependency, SolverFailure
from fem_mbd.modal.campbell import Campbell, campbell
from fem_mbd.modal.critical import CriticalSpeeds, critical_speeds
from fem_mbd.modal.floquet import Floquet, floquet
from fem_mbd.modal.linear_model import LinearModel, linearise
from fem_mbd.modal.modes import Modes, modes
from fem_mbd.model.model import Model
from fem_mbd.model.node import Node, Point
from fem_mbd.model.prescribed import PrescribedMotion
from fem_mbd.results.result import Result
from fem_mbd.running.runs import resume, run, simulate
from fem_mbd.solver.newton_options import NewtonOptions
from fem_mbd.solver.simulation import Simulation
from fem_mbd.solver.step_control import StepControl
from fem_mbd.statics.buckling import Buckling, buckling, critical_load
from fem_mbd.statics.equilibrium import Equilibrium, EquilibriumWarning, find_equilibrium
from fem_mbd.statics.relaxation import relax
from fem_mbd.statics.steady_rotation import Spin
from fem_mbd.version import package_version

__version__ = package_version()

__all__ = [
    "Buckling",
    "Campbell",
    "CriticalSpeeds",
    "Equilibrium",
    "EquilibriumWarning",
    "FemMbdError",
    "Floquet",
    "InputError",
    "LinearModel",
    "MissingDependency",
    "Model",
    "Modes",
    "NewtonOptions",
    "Node",
    "Point",
    "PrescribedMotion",
    "Result",
    "Simulation",
    "SolverFailure",
    "Spin",
    "StepControl",
    "buckling",
    "campbell",
    "critical_load",
    "critical_speeds",
    "find_equilibrium",
    "floquet",
    "linearise",
    "modes",
    "relax",
    "resume",
    "run",
    "simulate",
]
