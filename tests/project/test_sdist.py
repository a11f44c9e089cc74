"""Test of the source distribution: all files of the packages are in it, and what builds a wheel of them."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("fem_mbd", "elements", "joints", "friction", "cases")
FILES = ("setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"


def tracked() -> list[str]:
    """Files of git that a wheel needs; the links in fem_mbd/ are for editors."""
    listed = subprocess.run(["git", "ls-files", *FOLDERS, *FILES], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout by git")
    names = listed.stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink()]


@pytest.mark.slow
def test_source_distribution_has_all_files_that_a_wheel_needs(tmp_path: Path) -> None:
    names, copy = tracked(), tmp_path / "copy"
    assert {
        "fem_mbd/core/compiled/build/stand_ins.ll",
        "cases/_data/pendulum_friction.xml",
        "joints/ideal.py",
    } <= set(names)
    for name in names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(tmp_path)], cwd=copy, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / done.stdout.splitlines()[-1]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert set(names) <= inside, sorted(set(names) - inside)
