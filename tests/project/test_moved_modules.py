"""Tests of the import hook for former names of modules that were moved into a tier."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import fem_mbd
from fem_mbd.base.moved import PUBLIC, SINGLE_MODULES, TIERS

PACKAGE = Path(fem_mbd.__file__).parent


def test_every_module_of_a_tier_can_be_imported_by_its_former_name() -> None:
    """With a warning that gives the new name."""
    for tier, names in TIERS.items():
        modules = {path.stem for path in (PACKAGE / tier).iterdir() if path.suffix == ".py" or path.is_dir()}
        assert set(names.split()) <= modules
        for name in set(names.split()) - set(PUBLIC):
            with pytest.warns(DeprecationWarning, match=rf"fem_mbd\.{name} is now fem_mbd\.{tier}\.{name}$"):
                sys.modules.pop(f"fem_mbd.{name}", None)
                assert import_module(f"fem_mbd.{name}") is import_module(f"fem_mbd.{tier}.{name}")


def test_modules_moved_within_sub_packages_answer_to_their_former_names() -> None:
    """With a warning that gives the new name; these are imported here, which the process of the tests may share."""
    moved = {former: new for former, new in SINGLE_MODULES.items() if former.count(".") > 1}
    assert len(moved) > 30
    for former, new in moved.items():
        with pytest.warns(DeprecationWarning, match=rf"fem_mbd\.{former} is now {new}$"):
            sys.modules.pop(f"fem_mbd.{former}", None)
            assert import_module(f"fem_mbd.{former}") is import_module(new)


@pytest.mark.parametrize(
    "former", sorted({*(name for name in SINGLE_MODULES if name.count(".") < 2), *PUBLIC})
)
def test_single_modules_answer_to_their_former_names(former: str) -> None:
    """Those that are names of the package without a warning; a process of its own has no other names loaded."""
    script = f"""
import sys, warnings
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    import fem_mbd.{former} as former
print(former is sys.modules[former.__name__], *(warning.category.__name__ for warning in found))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] + ["DeprecationWarning"] * (former not in PUBLIC)


def test_a_module_is_not_loaded_twice() -> None:
    """In a separate process that imports the former name first."""
    code = """
import fem_mbd.results.checks as former
import fem_mbd.runs.results.checks as new
print(former is new, former.__spec__.name, former.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "fem_mbd.runs.results.checks", "fem_mbd.runs.results.checks"]


def test_unknown_modules_raise_the_usual_error() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"fem_mbd\.nowhere"):
        import_module("fem_mbd.nowhere")
    with pytest.raises(ModuleNotFoundError), pytest.warns(DeprecationWarning):
        import_module("fem_mbd.results.nowhere")
