"""Tests of the public names of fem_mbd and its sub-packages, and of the imports in the documentation."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fem_mbd as fm

ROOT = Path(__file__).parents[2]
PUBLIC = {
    "fem_mbd",
    *(f"fem_mbd.{name}" for name in ("aerodynamics", "elements", "joints", "friction", "machines")),
}

# additional modules that scripts of a study may import
OF_CASES = ("fem_mbd.cases", "fem_mbd.case_parameters", "fem_mbd.errors")


@pytest.mark.parametrize("package", ["fem_mbd", "fem_mbd.elements", "fem_mbd.friction", "fem_mbd.joints"])
def test_names_are_imported_at_their_first_use(package: str) -> None:
    """In a separate process: nothing is imported before, then the same names as a type checker sees."""
    code = f"""
import sys, {package} as package
before = [m for m in ("numpy", "scipy", "numba", "h5py") if m in sys.modules]
all_names = package.__all__
print(before, sorted(all_names) == dir(package), all(getattr(package, name) is not None for name in all_names))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True True"


def test_every_public_name_exists_and_internal_modules_do_not_show() -> None:
    for name in dir(fm):
        assert getattr(fm, name) is not None
    assert {"Model", "elements", "simulate"} <= set(dir(fm))
    assert not {"base", "core", "lazy_names"} & set(dir(fm))
    with pytest.raises(AttributeError, match="did you mean 'Penetration'"):
        fm.Penetraton  # type: ignore[attr-defined]  # noqa: B018


def test_documentation_imports_public_modules_only() -> None:
    """Scripts of a study may import its case too."""
    scripts = [*(ROOT / "docs").glob("*.py"), *(ROOT / "docs" / "studies").glob("*.py")]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *scripts]
    # for those who extend the package, and the build of the documentation
    internal = ("add-a", "architecture", "conf.py", "moving_pages.py")
    deeper = []
    for page in pages:
        if page.name.startswith(internal):
            continue
        for module in re.findall(
            r"^\s*(?:from|import) (fem_mbd[\w.]*)", page.read_text(encoding="utf-8"), re.M
        ):
            if module not in PUBLIC and not (page.parent.name == "studies" and module.startswith(OF_CASES)):
                deeper.append(f"{page.name}: {module}")
    assert not deeper
