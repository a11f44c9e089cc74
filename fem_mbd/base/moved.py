"""Modules that were moved into a tier answer to their former names for one version, with a DeprecationWarning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

TIERS = {
    "base": (
        "arrays",
        "attached",
        "blas_threads",
        "dependencies",
        "file_names",
        "lazy",
        "memory",
        "mesh_files",
        "npz",
        "suggestions",
        "validation",
        "version",
    ),
    "core": (
        "rotations",
        "compiled",
        "model",
        "scheme",
        "stepping",
        "linear_solvers",
        "newton",
        "solver",
    ),
    "runs": ("results", "running", "diagnosis"),
    "analysis": ("chaos", "kinematics", "statics", "modal", "rotors", "control"),
    "output": ("figures", "export", "animation", "section_loads", "run_figures"),
    "applications": ("fitting", "sweeps", "cosimulation", "cli"),
}
TIER_OF = {name: tier for tier, names in TIERS.items() for name in names}


class MovedModules(MetaPathFinder, Loader):
    """Finds ``fem_mbd.NAME…`` as ``fem_mbd.TIER.NAME…``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for all but moved modules; they are warned about."""
        package, _, rest = fullname.partition(".")
        tier = TIER_OF.get(rest.partition(".")[0])
        if package != "fem_mbd" or tier is None:
            return None
        new = f"fem_mbd.{tier}.{rest}"
        warnings.warn(f"{fullname} is now {new}", DeprecationWarning, stacklevel=2)
        return ModuleSpec(fullname, self, origin=new)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module under its new name."""
        module = import_module(spec.origin or "")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It was executed under its new name, whose specification it keeps."""
        former = module.__spec__
        if former is not None:
            module.__spec__ = former.loader_state


def answer_to_former_names() -> None:
    """Called once by the package; before other finders, which would load a second copy of a moved module."""
    sys.meta_path.insert(0, MovedModules())
