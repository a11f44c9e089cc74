"""Import, initialisation and checks of PETSc: the only module that imports petsc4py.

PETSc is loaded at its first use, so that building models, reading results and plotting work without it.
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
SWITCH = "FEM_MBD_PETSC"  # environment variable: "off", "on" (PETSc is required), a folder with petsc4py, or not set
DEBIAN = "/usr/lib/petscdir"  # PETSc of Debian; a virtual environment does not find its petsc4py
# One of these is set in a process that a launcher (mpiexec of Open MPI, MPICH or Intel MPI, srun) has started.
LAUNCHED = ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD", "PMI_PORT")


def has_petsc() -> bool:
    """Whether PETSc is used: if petsc4py is installed, unless the environment variable FEM_MBD_PETSC decides.

    Raises
    ------
    InputError
        When the variable is neither "on" nor "off" nor a folder with petsc4py.
    """
    value = os.environ.get(SWITCH, "")
    if value not in ("", "on", "off") and not _has_petsc4py(value):
        raise InputError(
            f"environment variable {SWITCH} is {value!r}: give 'on' or 'off' or the folder that contains petsc4py"
        )
    if value:
        return value != "off"
    return has("petsc4py")


def _has_petsc4py(folder: str) -> bool:
    return os.path.isabs(folder) and Path(folder, "petsc4py").is_dir()


def debian_folder() -> Path | None:
    """The folder of Debian's petsc4py, if this Python could load it but does not find it."""
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    files = sorted(
        Path(DEBIAN).glob(f"petsc*/*-real/lib/python3/dist-packages/petsc4py/lib/**/PETSc{suffix}")
    )
    if has("petsc4py") or not files:
        return None
    return next(p for p in files[-1].parents if p.name == "dist-packages")


def reason_without_petsc() -> str:
    """Why PETSc is not used, for messages; when `has_petsc` is False."""
    if os.environ.get(SWITCH) == "off":
        return f"PETSc is switched off by the environment variable {SWITCH}=off"
    return f"petsc4py is not installed for {sys.executable}{_debian_advice()}"


def _debian_advice() -> str:
    folder = debian_folder()
    if folder is None:
        return ""
    older = "" if numpy.__version__.startswith("1.") else " after pip install 'numpy<2'"
    return f"; Debian's is in {folder}: set {SWITCH}={folder} to use it{older}"


@functools.cache
def petsc() -> ModuleType:
    """Module ``petsc4py.PETSc``, initialised.

    ``sys.argv`` is not used: PETSc options come from the environment variable PETSC_OPTIONS or through
    ``petsc().Options()``. PETSc's file ``.petscrc``, in the working folder or the home folder, is not read, as a folder
    that others may write to could redirect PETSc's output; ``PETSC_OPTIONS="-options_file .petscrc"`` reads it. A PETSc
    that the program has initialised before is used as it is.

    In a process that was not started by mpiexec or another launcher, MPI opens no network port.

    Raises
    ------
    MissingDependency
        When petsc4py is not installed, does not fit the installed numpy, or when its PETSc is older than 3.18, complex
        or single precision.
    """
    with _mpi_environment():
        module = _load()
    _check(module)
    return module


@contextlib.contextmanager
def _mpi_environment() -> Iterator[None]:
    """Environment variables of Open MPI for this process during its initialisation; other MPIs ignore them.

    They are removed afterwards, so that they do not affect a program that this process starts with mpiexec.
    """
    settings: dict[str, str] = {}
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Open MPI does not start for root (the usual user of containers) unless both are set.
        settings |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if not any(name in os.environ for name in LAUNCHED):
        # Without a launcher Open MPI would start a daemon, both would listen on every network interface, and it would
        # load network drivers to look for devices.
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
    if _has_petsc4py(folder) and folder not in sys.path:
        sys.path.append(folder)  # after all others: only petsc4py is to be imported from there
    try:
        import petsc4py
    except ModuleNotFoundError as error:
        raise MissingDependency(
            f"petsc4py, needed for {PETSC4PY.purpose}, is not installed for {sys.executable}{_debian_advice()}.\n"
            f"To install it:\n{PETSC4PY.how_to_install()}"
        ) from error
    try:
        # the program handles signals itself: a run ends cleanly on Ctrl-C
        petsc4py.init([sys.executable, "-no_signal_handler", "-skip_petscrc"])
        from petsc4py import PETSc
    except (ImportError, ValueError, AttributeError) as error:
        # numpy reports an incompatible binary layout as any of these, depending on both versions
        raise MissingDependency(_import_message(error)) from error
    return PETSc


def _import_message(error: Exception) -> str:
    text = f"petsc4py is installed for {sys.executable} but cannot be loaded: {error}."
    numpy_version = numpy.__version__
    if "numpy" in str(error) and not numpy_version.startswith("1."):
        return (
            f"{text} It was compiled for numpy 1 and numpy {numpy_version} is installed: "
            "pip install 'numpy<2', or run make setup, which does this."
        )
    return f"{text} Check that PETSC_DIR and PETSC_ARCH name the PETSc it was compiled for, or unset them."


def _check(module: ModuleType) -> None:
    """Raise MissingDependency for a PETSc that would fail later during a run, with a message that helps little."""
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
    """Set PETSc options (names without prefix) inside the context, except those that the user has set."""
    options = petsc().Options(prefix)
    added = {name: value for name, value in values.items() if not options.hasName(name)}
    for name, value in added.items():
        options.setValue(name, value)
    try:
        yield
    finally:
        for name in added:
            options.delValue(name)


def has_package(name: str) -> bool:
    """Whether PETSc was compiled with this library (``"mumps"``, ``"suitesparse"``, ``"hypre"``, …).

    From PETSc's own list: trying each solver is unsafe, SuperLU_DIST ends the process when created and not used.
    """
    return bool(petsc().Sys.hasExternalPackage(name))


@functools.cache
def library() -> ctypes.CDLL:
    """The C libraries of PETSc and MPI, through petsc4py, which is linked to them."""
    return ctypes.CDLL(petsc().__file__)


def mpi_library() -> str:
    """Name and version of the MPI that PETSc is linked to, for example ``Open MPI v4.1.4``."""
    if has_package("mpiuni"):
        return "none (PETSc was compiled for one process)"
    text = ctypes.create_string_buffer(8192)  # MPI_MAX_LIBRARY_VERSION_STRING is at most this
    library().MPI_Get_library_version(text, ctypes.byref(ctypes.c_int()))
    return text.value.decode(errors="replace").split("\n")[0].split(",")[0].strip()


def freed_with(owner: object, objects: list[Any]) -> list[Any]:
    """Destroy the PETSc objects in the list, also those added later, with ``owner``, last one first; return the list.

    petsc4py leaves unreferenced objects to `PETSc.garbage_cleanup`: without a call of it nothing would be freed.
    """
    weakref.finalize(owner, _destroy, objects).atexit = False
    return objects


def _destroy(objects: list[Any]) -> None:
    while objects:
        objects.pop().destroy()
