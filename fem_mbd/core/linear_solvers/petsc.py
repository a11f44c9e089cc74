"""The only place that imports petsc4py: starts PETSc once and checks that it is one this package can use.

PETSc is loaded when first asked for, so that building models, reading results and plotting work without it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.machinery
import os
import sys
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from fem_mbd.base.dependencies import PETSC4PY, has
from fem_mbd.errors import InputError, MissingDependency

OLDEST = (3, 18)
SWITCH = "FEM_MBD_PETSC"  # of the environment: "off", "on" (PETSc has to be there), a folder with petsc4py, or not set
DEBIAN = "/usr/lib/petscdir"  # an environment without its packages sees nothing of PETSc there
# One of these is set in a process that a launcher (mpiexec of Open MPI, MPICH or Intel MPI, srun) has started.
LAUNCHED = ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD", "PMI_PORT")


def has_petsc() -> bool:
    """Whether PETSc is to be used: petsc4py is installed, unless the environment's FEM_MBD_PETSC decides.

    Raises
    ------
    InputError
        When that is neither "on" nor "off" nor a folder with petsc4py.
    """
    given = os.environ.get(SWITCH, "")
    if given not in ("", "on", "off") and not _is_folder(given):
        raise InputError(
            f"environment variable {SWITCH} is {given!r}: give 'on' or 'off' or the folder that petsc4py lies in"
        )
    if given:
        return given != "off"
    return has("petsc4py")


def _is_folder(given: str) -> bool:
    return os.path.isabs(given) and Path(given, "petsc4py").is_dir()


def of_debian() -> Path | None:
    """The folder of Debian's petsc4py, if there is one that this Python can load and does not see."""
    ours = importlib.machinery.EXTENSION_SUFFIXES[0]
    found = sorted(Path(DEBIAN).glob(f"petsc*/*-real/lib/python3/dist-packages/petsc4py/lib/**/PETSc{ours}"))
    return (
        None
        if has("petsc4py") or not found
        else next(p for p in found[-1].parents if p.name == "dist-packages")
    )


def why_without() -> str:
    """Why PETSc is not used, for messages; where `has_petsc` says so."""
    if os.environ.get(SWITCH) == "off":
        return f"PETSc is switched off by the environment's {SWITCH}=off"
    return f"petsc4py is not installed for {sys.executable}{_where_debian_has_it()}"


def _where_debian_has_it() -> str:
    folder = of_debian()
    if folder is None:
        return ""
    older = "" if numpy.__version__.startswith("1.") else " after pip install 'numpy<2'"
    return f"; Debian's lies in {folder}: {SWITCH}={folder} uses it{older}"


@functools.cache
def petsc() -> ModuleType:
    """Module ``petsc4py.PETSc``, initialised.

    ``sys.argv`` is left alone: PETSc options come from the environment variable PETSC_OPTIONS or through
    ``petsc().Options()``. PETSc's own ``.petscrc``, in the working folder or at home, is not obeyed, for a folder that
    others write to could redirect what PETSc writes; ``PETSC_OPTIONS="-options_file .petscrc"`` asks for it. A PETSc
    that the program has initialised before is used as it is.

    A process that was not started by mpiexec or its like talks to no other one: its MPI listens nowhere.

    Raises
    ------
    MissingDependency
        When petsc4py is not there, does not fit the numpy installed, or when its PETSc is older than 3.18, complex or
        single precision.
    """
    with _environment_of_mpi():
        module = _load()
    _check(module)
    return module


@contextlib.contextmanager
def _environment_of_mpi() -> Iterator[None]:
    """The settings of Open MPI for this process while it starts; other MPIs do not know them.

    They are taken back, so that a program that this process starts with mpiexec is not bound by them.
    """
    settings: dict[str, str] = {}
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # It refuses to start for root (the usual user of containers) unless told twice.
        settings |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if not any(name in os.environ for name in LAUNCHED):
        # Alone it would start a daemon, both would listen on every network interface, and it would load the drivers
        # of networks to look for some.
        settings |= {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self", "OMPI_MCA_pml": "ob1"}
    added = [name for name in settings if name not in os.environ]
    os.environ.update({name: settings[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _load() -> ModuleType:
    folder = os.environ.get(SWITCH, "")
    if _is_folder(folder) and folder not in sys.path:
        sys.path.append(folder)  # behind all others: nothing but petsc4py is to come from there
    try:
        import petsc4py
    except ModuleNotFoundError as error:
        raise MissingDependency(
            f"petsc4py, needed for {PETSC4PY.purpose}, is not installed for {sys.executable}{_where_debian_has_it()}.\n"
            f"To install it:\n{PETSC4PY.how_to_install()}"
        ) from error
    try:
        # signals belong to the program: a run is ended cleanly on Ctrl-C
        petsc4py.init([sys.executable, "-no_signal_handler", "-skip_petscrc"])
        from petsc4py import PETSc
    except (ImportError, ValueError, AttributeError) as error:
        # numpy reports a foreign binary layout as any of these, depending on both versions
        raise MissingDependency(_explain(error)) from error
    return PETSc


def _explain(error: Exception) -> str:
    text = f"petsc4py is installed for {sys.executable} but cannot be loaded: {error}."
    numpy_version = numpy.__version__
    if "numpy" in str(error) and not numpy_version.startswith("1."):
        return (
            f"{text} It was compiled for numpy 1 and numpy {numpy_version} is installed: "
            "pip install 'numpy<2', or run make setup, which does this."
        )
    return f"{text} Check that PETSC_DIR and PETSC_ARCH name the PETSc it was compiled for, or unset them."


def _check(module: ModuleType) -> None:
    """Refuse what would fail later, in the middle of a run, with a message about PETSc's inside."""
    version = module.Sys.getVersion()
    where = f"PETSc {'.'.join(map(str, version))} found through {module.__file__}"
    if version[:2] < OLDEST:
        raise MissingDependency(f"{where} is too old; {'.'.join(map(str, OLDEST))} or newer is needed.")
    scalar = module.ScalarType.__name__
    if scalar != "float64":
        raise MissingDependency(
            f"{where} computes with {scalar}; a real double-precision one is needed. "
            "Debian: unset PETSC_DIR; conda: conda install -c conda-forge 'petsc=*=real*' petsc4py."
        )


@contextlib.contextmanager
def default_options(prefix: str, values: Mapping[str, str]) -> Iterator[None]:
    """PETSc options (names without prefix) that are set within the block unless the user has, and gone after it."""
    options = petsc().Options(prefix)
    mine = {name: value for name, value in values.items() if not options.hasName(name)}
    for name, value in mine.items():
        options.setValue(name, value)
    try:
        yield
    finally:
        for name in mine:
            options.delValue(name)


def has_package(name: str) -> bool:
    """Was PETSc compiled with this library (``"mumps"``, ``"suitesparse"``, ``"hypre"``, …)?

    Asked of PETSc's own list: to try each solver is unsafe, SuperLU_DIST ends the process when made and not used.
    """
    return bool(petsc().Sys.hasExternalPackage(name))


@functools.cache
def library() -> ctypes.CDLL:
    """PETSc and MPI in C, found through petsc4py, which is linked to them."""
    return ctypes.CDLL(petsc().__file__)


def mpi_library() -> str:
    """What the MPI that PETSc is linked to calls itself, for example ``Open MPI v4.1.4``."""
    if has_package("mpiuni"):
        return "none (PETSc was compiled for one process)"
    ask = library().MPI_Get_library_version
    text = ctypes.create_string_buffer(8192)  # MPI_MAX_LIBRARY_VERSION_STRING is at most this
    ask(text, ctypes.byref(ctypes.c_int()))
    return text.value.decode(errors="replace").split("\n")[0].split(",")[0].strip()


def freed_with(owner: object, objects: list[Any]) -> list[Any]:
    """The list, whose PETSc objects, also those added later, are destroyed when ``owner`` goes, the last one first.

    petsc4py leaves what nothing refers to for `PETSc.garbage_cleanup`: without a call of it nothing would be freed.
    """
    weakref.finalize(owner, _destroy, objects).atexit = False
    return objects


def _destroy(objects: list[Any]) -> None:
    while objects:
        objects.pop().destroy()
