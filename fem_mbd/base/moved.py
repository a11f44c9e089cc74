"""Import hook for the former names of moved modules: they work for one version, with a DeprecationWarning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

TIERS = {
    "base": "arrays attached blas_threads dependencies file_names lazy mesh_files npz suggestions "
    "validation version",
    "core": "rotations compiled model scheme stepping linear_solvers newton solver",
    "runs": "results running diagnosis",
    "analysis": "chaos kinematics statics modal rotors control",
    "output": "figures export animation section_loads run_figures",
    "applications": "fitting sweeps cosimulation cli",
}
TIER_OF = {name: tier for tier, names in TIERS.items() for name in names.split()}
# Modules that have moved into a folder beside them: present folder and names.
INTO_FOLDERS = {
    "elements.beam.damping": "damping_fit modal_damping modes shape_damping",
    "joints.contact.revolute": "journal_bearing journal_position revolute_clearance",
    "friction.normal.adhesion": "dmt hamaker jkr maugis",
    "friction.normal.damping": "damped hunt_crossley impact_laws permanent power_damping",
    "friction.normal.elastic": "asperities cylinder hertz linear",
    "friction.static.regularised": "coulomb makkar velocity_laws",
    "friction.static.sticking": "awrejcewicz bond dry given_curve karnopp popp_stelter reset_integrator "
    "seven_parameter tustin wojewoda",
}
# Modules of cases that are in their module `model` now.
INTO_MODEL = {
    "belt_block": "parameters set_up laws step_rule",
    "constraint_methods": "parameters mechanism",
    "crank_mechanism": "parameters set_up mechanism",
    "cube_on_plane": "parameters set_up",
    "journal_bearing": "parameters rotor",
    "lattice": "parameters grid",
    "pendulum_friction": "parameters",
    "revolute_clearance_3d": "parameters mechanism",
    "slider_crank_clearance": "parameters set_up mechanism",
    "supercritical_rotor": "parameters set_up rotor critical_speeds",
    "translational_joint_friction": "parameters set_up",
    "turbine_blades": "parameters blades",
}
# Single modules of earlier versions, and names of `fem_mbd` that are modules.
SINGLE_MODULES = {
    "memory": "fem_mbd.base.validation",
    "plots": "fem_mbd.output.figures.plots",
    "time_functions": "fem_mbd.core.model.time_functions",
    "ledger_names": "fem_mbd.core.scheme.ledger_names",
    "newton_options": "fem_mbd.core.newton.newton_options",
    "simulation": "fem_mbd.core.solver.simulation",
    "step_control": "fem_mbd.core.stepping.step_control",
    "step_rules": "fem_mbd.core.stepping.step_rules",
    "system": "fem_mbd.core.scheme.system",
    "analysis.campbell": "fem_mbd.analysis.rotors.campbell",
    "analysis.linear_model": "fem_mbd.analysis.modal.linear_model",
    "analysis.modes": "fem_mbd.analysis.modal.modes",
    "machines.afloat": "fem_mbd.machines.floating",
    "elements.section_table": "fem_mbd.elements.section.table",
    "elements.beam.side_by_side": "fem_mbd.elements.beam.batches",
    "friction.dynamic.lubricated": "fem_mbd.friction.dynamic.harnoy_friedland",
    "friction.gallery": "fem_mbd.friction.probes.gallery",
    "friction.own": "fem_mbd.friction.user_laws",
    "friction.probes.driving": "fem_mbd.friction.probes.slip_path",
    "friction.probes.impacting": "fem_mbd.friction.probes.impact",
    "friction.probes.probes": "fem_mbd.friction.probes.feature_probes",
    "friction.probes.pulling": "fem_mbd.friction.probes.force_path",
    "friction.trial": "fem_mbd.friction.user_laws",
    "joints.contact.chosen_law": "fem_mbd.joints.contact.law_checks",
    "joints.contact.outer_contacts": "fem_mbd.joints.contact.points_and_spheres",
    "joints.contact.pairing": "fem_mbd.joints.contact.points_and_spheres",
    "joints.contact.recorded": "fem_mbd.joints.contact.contact_kind",
    "joints.contact.start_depth": "fem_mbd.joints.contact.law_checks",
    "joints.friction.adding": "fem_mbd.joints.friction.kind",
    "joints.friction.after_step": "fem_mbd.joints.friction.outputs",
    **{
        f"{folder.rpartition('.')[0]}.{name}": f"fem_mbd.{folder}.{name}"
        for folder, names in INTO_FOLDERS.items()
        for name in names.split()
    },
    **{
        f"cases.{case}.{name}": f"fem_mbd.cases.{case}.model"
        for case, names in INTO_MODEL.items()
        for name in names.split()
    },
    **{
        f"cases.{case}.histories": f"fem_mbd.cases.{case}.results"
        for case in ("crank_mechanism", "cube_on_plane", "journal_bearing", "supercritical_rotor")
    },
    "friction.passivity": "fem_mbd.friction.validity",
    "friction.user_law_checks": "fem_mbd.friction.user_laws",
}
# importable as modules too, `import fem_mbd.export`, without a warning
PUBLIC = ("export", "fitting", "plots", "time_functions")


def present_name(name: str) -> str | None:
    """Present name of a module, None when it has not moved.

    Parameters
    ----------
    name : the former name, without "fem_mbd."
    """
    if name in SINGLE_MODULES:
        return SINGLE_MODULES[name]
    tier = TIER_OF.get(name.partition(".")[0])
    return None if tier is None else f"fem_mbd.{tier}.{name}"


class MovedModules(MetaPathFinder, Loader):
    """Import ``fem_mbd.NAME…`` under its present name, e.g. ``fem_mbd.TIER.NAME…``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Specification of a moved module, with a warning; None for all other modules."""
        package, _, rest = fullname.partition(".")
        new = present_name(rest)
        if package != "fem_mbd" or new is None:
            return None
        if rest.partition(".")[0] not in PUBLIC:
            warnings.warn(f"{fullname} is now {new}", DeprecationWarning, stacklevel=2)
        return ModuleSpec(fullname, self, origin=new)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module imported under its new name."""
        module = import_module(spec.origin or "")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own specification; the module has been executed under its new name."""
        former = module.__spec__
        if former is not None:
            module.__spec__ = former.loader_state


def support_former_names() -> None:
    """Install the import hook, once; before other finders, which would load a second copy of a moved module."""
    sys.meta_path.insert(0, MovedModules())
