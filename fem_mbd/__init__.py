"""Flexible multibody dynamics: geometrically exact beams, rigid bodies, joints with clearance, contact and friction.

    import fem_mbd as fm
    from fem_mbd import elements, joints, friction

Build a `Model` and `simulate` it. The scheme is an energy-decaying time-discontinuous Galerkin method: every run
checks its own energy balance.

The public interface is this package with its modules `elements`, `joints`, `friction`, `machines`, `export`, `fitting`,
`plots` (figures of your own) and `time_functions`. Each name is imported at its first use, so that ``import fem_mbd``
takes next to no time.
"""

from typing import TYPE_CHECKING

from fem_mbd.base.attached import attach
from fem_mbd.base.lazy import lazy_names
from fem_mbd.base.moved import support_former_names

support_former_names()

attach("Equilibrium.loads", "fem_mbd.output.section_loads.channels", "loads_of_state")
attach("Result.loads", "fem_mbd.output.section_loads.loads", "section_loads")
attach("Machine.read", "fem_mbd.machines.analyses", "machine_of_file")
attach("Machine.modes", "fem_mbd.machines.analyses", "machine_modes")
attach("Machine.campbell", "fem_mbd.machines.analyses", "machine_campbell")
attach("Machine.loads", "fem_mbd.machines.analyses", "machine_loads")
attach("Simulation.of", "fem_mbd.runs.results.views.paths", "of_part")
attach("Simulation.value", "fem_mbd.runs.results.views.paths", "value_at")
attach("Result.plot", "fem_mbd.output.run_figures", "plot_run")
attach("Result.animate", "fem_mbd.output.animation.animate", "animate")
attach("Modes.animate", "fem_mbd.output.animation.animate", "animate_shapes")
attach("Buckling.animate", "fem_mbd.output.animation.animate", "animate_shapes")

if TYPE_CHECKING:
    from fem_mbd import elements, friction, joints, machines
    from fem_mbd.analysis.chaos.lyapunov import LyapunovExponent, exponent_of_points, exponent_of_two
    from fem_mbd.analysis.chaos.sections import poincare_section, recurrence_times, surface_section
    from fem_mbd.analysis.control.space import StateSpace
    from fem_mbd.analysis.control.state_space import state_space
    from fem_mbd.analysis.kinematics.continuation import kinematic_analysis
    from fem_mbd.analysis.kinematics.motion import BodyMotion, Kinematics, SingularPosition
    from fem_mbd.analysis.modal.craig_bampton import CraigBampton, craig_bampton
    from fem_mbd.analysis.modal.linear_model import LinearModel, linearise
    from fem_mbd.analysis.modal.modes import Modes, modes
    from fem_mbd.analysis.periodic.free_vibration import nonlinear_mode
    from fem_mbd.analysis.periodic.newton import LostOrbit
    from fem_mbd.analysis.periodic.orbit import Orbit
    from fem_mbd.analysis.periodic.periodic import periodic
    from fem_mbd.analysis.rotors.campbell import Campbell, campbell
    from fem_mbd.analysis.rotors.critical import CriticalSpeeds, critical_speeds
    from fem_mbd.analysis.rotors.floquet import Floquet, floquet
    from fem_mbd.analysis.statics.buckling import Buckling, buckling, critical_load
    from fem_mbd.analysis.statics.equilibrium import Equilibrium, EquilibriumWarning, find_equilibrium
    from fem_mbd.analysis.statics.relaxation import relax
    from fem_mbd.analysis.statics.steady_rotation import Spin
    from fem_mbd.applications import fitting
    from fem_mbd.applications.calibration.calibration import Calibration, calibrate
    from fem_mbd.applications.continuation.branch import Branch
    from fem_mbd.applications.continuation.continuation import continuation
    from fem_mbd.applications.gradients.error_bar import ErrorBar, error_of
    from fem_mbd.applications.gradients.gradient import Gradient, gradient
    from fem_mbd.applications.gradients.openmdao_component import to_openmdao
    from fem_mbd.applications.sweeps.run_table import RunTable
    from fem_mbd.applications.sweeps.sampling import Sample
    from fem_mbd.applications.sweeps.spec import Record
    from fem_mbd.applications.sweeps.sweep import sweep
    from fem_mbd.base.version import __version__
    from fem_mbd.core.model import time_functions
    from fem_mbd.core.model.model import Model
    from fem_mbd.core.model.node import Node, Point
    from fem_mbd.core.model.prescribed import PrescribedMotion
    from fem_mbd.core.model.time_functions.inputs import Input
    from fem_mbd.core.newton.newton_options import NewtonOptions
    from fem_mbd.core.scheme.unconnected_nodes import UnconnectedNodeWarning
    from fem_mbd.core.solver.saved_state import SavedState
    from fem_mbd.core.solver.simulation import Simulation
    from fem_mbd.core.stepping.default_control import default_control
    from fem_mbd.core.stepping.step_control import StepControl
    from fem_mbd.core.stepping.step_record import StepRecord
    from fem_mbd.core.stepping.step_rules import (
        ErrorEstimate,
        FixedStep,
        NewtonEffort,
        Penetration,
        PrintedPenetration,
        PrintedStribeck,
        StepRule,
        Stribeck,
    )
    from fem_mbd.errors import FemMbdError, FemMbdWarning, InputError, MissingDependency, SolverFailure
    from fem_mbd.machines.description.machine import Machine
    from fem_mbd.output import export
    from fem_mbd.output.animation.animate import Animation, animate
    from fem_mbd.output.figures import plots
    from fem_mbd.output.run_figures import plot_run
    from fem_mbd.runs.diagnosis.diagnosis import Diagnosis, diagnose
    from fem_mbd.runs.results.result import Result
    from fem_mbd.runs.running.controlled import Controlled
    from fem_mbd.runs.running.runs import RunFailed, RunInterrupted, resume, run, simulate
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__, LooseEndWarning="UnconnectedNodeWarning")

__all__ = [
    "Animation",
    "BodyMotion",
    "Branch",
    "Buckling",
    "Calibration",
    "Campbell",
    "Controlled",
    "CraigBampton",
    "CriticalSpeeds",
    "Diagnosis",
    "Equilibrium",
    "EquilibriumWarning",
    "ErrorBar",
    "ErrorEstimate",
    "FemMbdError",
    "FemMbdWarning",
    "FixedStep",
    "Floquet",
    "Gradient",
    "Input",
    "InputError",
    "Kinematics",
    "LinearModel",
    "LostOrbit",
    "LyapunovExponent",
    "Machine",
    "MissingDependency",
    "Model",
    "Modes",
    "NewtonEffort",
    "NewtonOptions",
    "Node",
    "Orbit",
    "Penetration",
    "Point",
    "PrescribedMotion",
    "PrintedPenetration",
    "PrintedStribeck",
    "Record",
    "Result",
    "RunFailed",
    "RunInterrupted",
    "RunTable",
    "Sample",
    "SavedState",
    "Simulation",
    "SingularPosition",
    "SolverFailure",
    "Spin",
    "StateSpace",
    "StepControl",
    "StepRecord",
    "StepRule",
    "Stribeck",
    "UnconnectedNodeWarning",
    "__version__",
    "animate",
    "buckling",
    "calibrate",
    "campbell",
    "continuation",
    "craig_bampton",
    "critical_load",
    "critical_speeds",
    "default_control",
    "diagnose",
    "elements",
    "error_of",
    "exponent_of_points",
    "exponent_of_two",
    "export",
    "find_equilibrium",
    "fitting",
    "floquet",
    "friction",
    "gradient",
    "joints",
    "kinematic_analysis",
    "linearise",
    "machines",
    "modes",
    "nonlinear_mode",
    "periodic",
    "plot_run",
    "plots",
    "poincare_section",
    "recurrence_times",
    "relax",
    "resume",
    "run",
    "simulate",
    "state_space",
    "surface_section",
    "sweep",
    "time_functions",
    "to_openmdao",
]
