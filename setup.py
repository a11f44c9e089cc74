"""Libraries of compiled kernels for the wheel; everything else is in setup.cfg.

A wheel carries the libraries for all kinds of processors of its machine's family, a checkout (an editable install)
builds its own when it needs them. They depend on neither Python's version nor its interface, so that one wheel serves
all versions.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent.resolve()
GLIBC = re.compile(rb"\0GLIBC_(\d+)\.(\d+)")
INSIDE = "fem_mbd/core/compiled/machine_code"  # of the package


class BuildWithLibraries(build_py):
    """Copies the package, then builds its libraries from the copy."""

    def run(self) -> None:
        """Into an empty folder: what earlier builds have left there would go into the wheel."""
        if self.editable_mode:
            super().run()
            return
        copy = Path(self.build_lib).resolve()
        shutil.rmtree(copy / "fem_mbd", ignore_errors=True)
        super().run()
        made = ROOT / "build" / "machine_code"
        command = [
            sys.executable,
            "-m",
            "fem_mbd.core.compiled.build",
            "--version",
            self.distribution.get_version(),
        ]
        made.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [*command, "--into", str(made), "--known", str(ROOT / "build" / "kernels")],
            cwd=made,  # where there is no other fem_mbd
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), os.environ.get("PYTHONPATH", "")])},
            check=True,
        )
        ignored = shutil.ignore_patterns("*.lock", "*.bc", ".*")
        shutil.copytree(made, copy / INSIDE, ignore=ignored)


def newest_glibc(folder: Path) -> tuple[int, int] | None:
    """Oldest glibc that has all symbols which the libraries of a folder need; None where there are no libraries."""
    names = [name for file in folder.rglob("*.so") for name in GLIBC.findall(file.read_bytes())]
    return max(((int(major), int(minor)) for major, minor in names), default=None)


class PlatformWheel(bdist_wheel):
    """A wheel for one kind of machine and every Python."""

    def get_tag(self) -> tuple[str, str, str]:
        """Python, its binary interface, and the machine: for glibc the name that package indexes take (PEP 600)."""
        machine = super().get_tag()[2]
        newest = newest_glibc(Path(self.bdist_dir) / INSIDE)
        if newest and machine.startswith("linux_"):
            machine = machine.replace("linux", f"manylinux_{newest[0]}_{newest[1]}", 1)
        return "py3", "none", machine


class WithLibraries(Distribution):
    """Has machine code, though no extension module."""

    def has_ext_modules(self) -> bool:
        """So that all goes to where a machine's files belong."""
        return True


setup(cmdclass={"build_py": BuildWithLibraries, "bdist_wheel": PlatformWheel}, distclass=WithLibraries)
