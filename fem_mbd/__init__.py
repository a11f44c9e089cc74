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

from fem_mbd.base.lazy import attach, lazy_names

attach("Equilibrium.loads", "fem_mbd.output.section_loads.loads", "loads_of_state")
attach("Result.loads", "fem_mbd.output.section_loads.loads", "section_loads")
attach("BeamView.stress", "fem_mbd.elements.section.mesh.stress", "beam_stress")
attach("Machine.read", "fem_mbd.machines.readers.any_file", "read_machine")
attach("Machine.modes", "fem_mbd.machines.family", "machine_modes")
attach("Machine.steady", "fem_mbd.machines.steady", "machine_steady")
attach("Machine.steady_gradient", "fem_mbd.machines.steady_gradient", "machine_steady_gradient")
attach("Machine.campbell_over_winds", "fem_mbd.machines.aeroelastic", "machine_campbell_over_winds")
attach("Machine.campbell", "fem_mbd.machines.family", "machine_campbell")
attach("Machine.loads", "fem_mbd.machines.family", "machine_loads")
attach("Simulation.of", "fem_mbd.runs.results.views.paths", "of_part")
attach("Simulation.value", "fem_mbd.runs.results.views.paths", "value_at")
attach("Result.plot", "fem_mbd.output.run_figures", "plot_run")
attach("Result.animate", "fem_mbd.output.animation.animate", "animate")
attach("Campbell.plot", "fem_mbd.output.figures.modal", "campbell_figure")
attach("Modes.animate", "fem_mbd.output.animation.animate", "animate_shapes")
attach("Buckling.animate", "fem_mbd.output.animation.animate", "animate_shapes")

if TYPE_CHECKING:
    from fem_mbd import elements as elements, friction as friction, joints as joints, machines as machines
    from fem_mbd.aerodynamics.free_flight import DragArea as DragArea, FreeFlight as FreeFlight
    from fem_mbd.aerodynamics.trim import Trim as Trim, TrimFailure as TrimFailure, trim as trim
    from fem_mbd.analysis.chaos import (
        LyapunovExponent as LyapunovExponent,
        exponent_of_points as exponent_of_points,
        exponent_of_two as exponent_of_two,
        poincare_section as poincare_section,
        recurrence_times as recurrence_times,
        surface_section as surface_section,
    )
    from fem_mbd.analysis.control.state_space import StateSpace as StateSpace, state_space as state_space
    from fem_mbd.analysis.kinematics import (
        BodyMotion as BodyMotion,
        Kinematics as Kinematics,
        SingularPosition as SingularPosition,
        kinematic_analysis as kinematic_analysis,
    )
    from fem_mbd.analysis.modal.craig_bampton import (
        CraigBampton as CraigBampton,
        craig_bampton as craig_bampton,
    )
    from fem_mbd.analysis.modal.linear_model import LinearModel as LinearModel, linearise as linearise
    from fem_mbd.analysis.modal.modes import Modes as Modes, modes as modes
    from fem_mbd.analysis.periodic.newton import LostOrbit as LostOrbit
    from fem_mbd.analysis.periodic.orbit import Orbit as Orbit
    from fem_mbd.analysis.periodic.periodic import nonlinear_mode as nonlinear_mode, periodic as periodic
    from fem_mbd.analysis.rotors.campbell import Campbell as Campbell, campbell as campbell
    from fem_mbd.analysis.rotors.critical import (
        CriticalSpeeds as CriticalSpeeds,
        critical_speeds as critical_speeds,
    )
    from fem_mbd.analysis.rotors.floquet import Floquet as Floquet, floquet as floquet
    from fem_mbd.analysis.statics.buckling import (
        Buckling as Buckling,
        buckling as buckling,
        critical_load as critical_load,
    )
    from fem_mbd.analysis.statics.equilibrium import (
        Equilibrium as Equilibrium,
        EquilibriumWarning as EquilibriumWarning,
        find_equilibrium as find_equilibrium,
    )
    from fem_mbd.analysis.statics.relaxation import relax as relax
    from fem_mbd.analysis.statics.steady_rotation import Spin as Spin
    from fem_mbd.applications import fitting as fitting
    from fem_mbd.applications.calibration.calibration import (
        Calibration as Calibration,
        calibrate as calibrate,
    )
    from fem_mbd.applications.continuation.branch import Branch as Branch
    from fem_mbd.applications.continuation.continuation import continuation as continuation
    from fem_mbd.applications.gradients.error_bar import ErrorBar as ErrorBar, error_of as error_of
    from fem_mbd.applications.gradients.gradient import Gradient as Gradient, gradient as gradient
    from fem_mbd.applications.gradients.openmdao_component import to_openmdao as to_openmdao
    from fem_mbd.applications.sweeps.run_table import RunTable as RunTable
    from fem_mbd.applications.sweeps.sampling import Sample as Sample
    from fem_mbd.applications.sweeps.spec import Record as Record
    from fem_mbd.applications.sweeps.sweep import sweep as sweep
    from fem_mbd.base.dependencies import __version__ as __version__
    from fem_mbd.core.model import time_functions as time_functions
    from fem_mbd.core.model.model import (
        Model as Model,
        PrescribedMotion as PrescribedMotion,
        UnconnectedNodeWarning as UnconnectedNodeWarning,
    )
    from fem_mbd.core.model.node import Node as Node, Point as Point
    from fem_mbd.core.model.time_functions.inputs import Input as Input
    from fem_mbd.core.newton.equations import NewtonOptions as NewtonOptions
    from fem_mbd.core.solver.saved_state import SavedState as SavedState
    from fem_mbd.core.solver.simulation import Simulation as Simulation
    from fem_mbd.core.stepping.step_control import (
        StepControl as StepControl,
        default_control as default_control,
    )
    from fem_mbd.core.stepping.step_record import StepRecord as StepRecord
    from fem_mbd.core.stepping.step_rules import (
        ErrorEstimate as ErrorEstimate,
        FixedStep as FixedStep,
        NewtonEffort as NewtonEffort,
        Penetration as Penetration,
        PrintedPenetration as PrintedPenetration,
        PrintedStribeck as PrintedStribeck,
        RotationLimit as RotationLimit,
        StepRule as StepRule,
        Stribeck as Stribeck,
    )
    from fem_mbd.errors import (
        FemMbdError as FemMbdError,
        FemMbdWarning as FemMbdWarning,
        InputError as InputError,
        MissingDependency as MissingDependency,
        SolverFailure as SolverFailure,
    )
    from fem_mbd.machines.description.machine import Machine as Machine
    from fem_mbd.output import export as export
    from fem_mbd.output.animation.animate import Animation as Animation, animate as animate
    from fem_mbd.output.figures import plots as plots
    from fem_mbd.output.run_figures import plot_run as plot_run
    from fem_mbd.runs.diagnosis import Diagnosis as Diagnosis, diagnose as diagnose
    from fem_mbd.runs.results.result import Result as Result
    from fem_mbd.runs.running.controlled import Controlled as Controlled
    from fem_mbd.runs.running.interruption import Interrupted as Interrupted
    from fem_mbd.runs.running.runs import (
        RunFailed as RunFailed,
        RunInterrupted as RunInterrupted,
        resume as resume,
        run as run,
        simulate as simulate,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
