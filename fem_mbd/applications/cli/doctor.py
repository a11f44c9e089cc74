"""Command `fem-mbd doctor`: reports what is installed, what is missing, and how to install it."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from typing import Any

from fem_mbd.applications.cli.options import add_json
from fem_mbd.applications.cli.reports import write_report
from fem_mbd.base.dependencies import DEPENDENCIES, Dependency, package_version
from fem_mbd.errors import MissingDependency

# libraries with which PETSc can be compiled, and their use here
SOLVER_PACKAGES = {
    "mumps": "sparse LU for large or redundantly constrained models",
    "superlu_dist": "sparse LU",
    "superlu": "sparse LU",
    "suitesparse": "sparse LU: KLU (chain-like models), UMFPACK",
    "hypre": "algebraic multigrid",
}
# without these, some models or some sizes of model cannot be solved well
EXPECTED_PACKAGES = ("mumps", "suitesparse")

Report = dict[str, Any]


def report() -> Report:
    """The report as plain data that ``json.dumps`` accepts; `render` formats it.

    Keys: ``fem_mbd``, ``python``, ``platform``, ``threads``, ``packages`` (name: version or None), ``petsc``
    (None without a usable one), ``without_petsc`` (reason why runs do not use it, None when they do),
    ``missing`` (list of name, purpose, required, debian, conda, pip), ``problems`` (list of sentences). Missing
    packages never raise an error.
    """
    from fem_mbd.core.linear_solvers import petsc

    problems: list[str] = []
    petsc_report = _petsc(problems)  # first, since it may be in a folder given by the environment only
    packages = {dependency.name: _version(dependency, problems) for dependency in DEPENDENCIES}
    return {
        "fem_mbd": package_version(),
        "python": {"version": platform.python_version(), "executable": sys.executable},
        "platform": platform.platform(),
        "threads": {"cpus": os.cpu_count(), "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS")},
        "packages": packages,
        "petsc": petsc_report,
        "without_petsc": None if petsc.has_petsc() else petsc.reason_without_petsc(),
        "missing": [_missing(dependency) for dependency in DEPENDENCIES if not packages[dependency.name]],
        "problems": problems,
    }


def _version(dependency: Dependency, problems: list[str]) -> str | None:
    """Version, or None when it is not installed or, if required, fails to import."""
    if importlib.util.find_spec(dependency.name) is None:
        if dependency.required:
            problems.append(f"{dependency.name}, needed for {dependency.purpose}, is not installed.")
        return None
    if dependency.required:
        try:
            importlib.import_module(dependency.name)
        except Exception as error:  # an installation can be broken in any way; all are reported
            problems.append(f"{dependency.name} is installed but fails to import: {error}")
            return None
    try:
        return importlib.metadata.version(dependency.name)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _petsc(problems: list[str]) -> Report | None:
    from fem_mbd.core.linear_solvers import petsc

    if not petsc.has_petsc():
        return None
    try:
        module = petsc.petsc()
    except MissingDependency as error:
        problems.append(str(error).split("\n")[0])  # how to install it is in "missing"
        return None
    solvers = {name: petsc.has_package(name) for name in SOLVER_PACKAGES}
    for name in EXPECTED_PACKAGES:
        if not solvers[name]:
            problems.append(
                f"PETSc was compiled without {name} ({SOLVER_PACKAGES[name]}). Debian's and conda-forge's PETSc "
                f"have it; configure your own with --download-{name}."
            )
    return {
        "version": ".".join(map(str, module.Sys.getVersion())),
        "library": module.__file__,
        "scalar": module.ScalarType.__name__,
        "integer": module.IntType.__name__,
        "mpi": petsc.mpi_library(),
        "solvers": solvers,
    }


def _missing(dependency: Dependency) -> dict[str, str | bool]:
    names = ("name", "purpose", "required", "debian", "conda", "pip")
    return {name: getattr(dependency, name) for name in names}


def render(report_data: Report) -> str:
    """The report as text for a terminal."""
    python, threads = report_data["python"], report_data["threads"]
    lines = [
        f"fem_mbd {report_data['fem_mbd']}",
        f"Python {python['version']} ({python['executable']})",
        f"{report_data['platform']}, {threads['cpus']} CPUs, "
        f"OPENBLAS_NUM_THREADS {threads['OPENBLAS_NUM_THREADS'] or 'not set'}",
        "",
        "Packages",
        *(f"  {name:12} {version or 'missing'}" for name, version in report_data["packages"].items()),
        "",
        *(
            _render_without(report_data["without_petsc"])
            if report_data["without_petsc"]
            else _render_petsc(report_data["petsc"])
        ),
    ]
    lines += ["", "Problems" if report_data["problems"] else "No problems found."]
    lines += [f"  {problem}" for problem in report_data["problems"]]
    required = [entry for entry in report_data["missing"] if entry["required"]]
    for entry in required:
        lines += ["", f"Missing: {entry['name']}, needed for {entry['purpose']}"]
        lines += [f"  {way:7} {entry[way]}" for way in _ways()]
    optional = [entry for entry in report_data["missing"] if not entry["required"]]
    if optional:
        lines += ["", "Not installed, and needed only for"]
        lines += [f"  {entry['purpose']}: {entry[_ways()[-1]]}" for entry in optional]
    return "\n".join(lines)


def _ways() -> tuple[str, ...]:
    """Ways to install a package: those of a checkout need its scripts."""
    from fem_mbd.core.compiled import libraries

    return ("debian", "conda", "pip") if libraries.is_checkout() else ("conda", "pip")


def _render_without(reason: str) -> list[str]:
    first, *more = reason.split("; ")
    return [
        f"PETSc: not used, because {first}",
        *(f"  {line}" for line in more),
        "  runs factorise all but large grids in place, these by SciPy's SuperLU",
        "  PETSc would add: MUMPS (two to five times as fast for large grids), its options",
        "  (-fem_mbd_…: Newton-Krylov and all others of SNES, KSP and PC)",
    ]


def _render_petsc(report_data: Report | None) -> list[str]:
    if report_data is None:
        return ["PETSc: none usable"]
    solvers = [
        f"    {'yes' if available else 'no ':3} {name:12} {SOLVER_PACKAGES[name]}"
        for name, available in report_data["solvers"].items()
    ]
    return [
        f"PETSc {report_data['version']}, {report_data['scalar']}, {report_data['integer']} indices",
        f"  from {report_data['library']}",
        f"  MPI: {report_data['mpi']}",
        "  compiled with",
        *solvers,
    ]


def add_doctor_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    add_json(command)
    command.set_defaults(command=examine_installation)


def examine_installation(options: argparse.Namespace) -> int:
    """Print the report on the installation."""
    from fem_mbd.applications.cli.doctor import render, report

    data = report()
    return write_report(data, options, render(data))
