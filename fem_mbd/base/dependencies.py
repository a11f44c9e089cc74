"""Table of the libraries that the package uses, their purpose and how to install them; version of the package.

`package_version`, that of the installed package, is written into every result.

Messages about missing libraries and ``fem-mbd doctor`` use the table. A test compares its required libraries with
``setup.cfg``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from fem_mbd.errors import MissingDependency

__version__: str


@cache
def package_version() -> str:
    """Version in the installed package's metadata; "unknown" when the package is not installed."""
    # imported here, as importlib.metadata takes 10 ms (it imports the e-mail parser)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fem_mbd")
    except PackageNotFoundError:
        return "unknown"


def __getattr__(name: str) -> str:
    if name == "__version__":
        return package_version()
    raise AttributeError(name)


@dataclass(frozen=True)
class Dependency:
    """A library: its import name, its purpose, and a command (or a remark) for each way to install it."""

    name: str
    purpose: str
    debian: str
    pip: str
    conda: str
    required: bool = True
    extra: str = ""  # of setup.cfg, that installs it

    def how_to_install(self) -> str:
        """The three ways to install it, one per line, indented."""
        return (
            f"  Debian, Ubuntu: {self.debian}\n  conda:          {self.conda}\n  pip:            {self.pip}"
        )


def _plain(name: str, purpose: str, extra: str | None = None) -> Dependency:
    """A library with the same name in all indexes; `make setup` installs the required ones and the extras of tests."""
    in_setup = extra is None or extra in IN_SETUP
    debian = "make setup" if in_setup else f".venv/bin/python -m pip install {name}"
    pip = f"pip install 'fem_mbd[{extra}]'" if extra else f"pip install {name}"
    conda = f"conda install -c conda-forge {name}"
    return Dependency(name, purpose, debian, pip, conda, extra is None, extra or "")


IN_SETUP = ("figures", "parquet", "laws")  # extras that every .venv has


PETSC4PY = Dependency(
    "petsc4py",
    "PETSc: faster linear solvers, MUMPS for grids, Newton-Krylov and other PETSc options",
    debian="apt-get install python3-petsc4py, then make setup, which makes it importable in .venv",
    pip="pip install petsc4py, with PETSC_DIR (and PETSC_ARCH) set to your PETSc; without them it compiles PETSc",
    conda="conda install -c conda-forge petsc4py",
    required=False,
)

DEPENDENCIES: tuple[Dependency, ...] = (
    _plain("numpy", "arrays"),
    _plain("scipy", "sparse matrices, eigenvalues, interpolation"),
    _plain("h5py", "result files"),
    _plain("meshio", "mesh formats"),
    _plain("rainflow", "rainflow counting of load histories"),
    _plain("threadpoolctl", "one BLAS thread in runs"),
    _plain("argcomplete", "tab completion in the shell"),
    _plain("matplotlib", "figures and films", "figures"),
    _plain("pyarrow", "tables of sweeps as Parquet, besides CSV", "parquet"),
    _plain("numba", "user-defined laws and loads as compiled code; builds a checkout's kernels", "laws"),
    PETSC4PY,
    Dependency(
        "exudyn",
        "comparison with another program in the benchmarks",
        debian="bash tools/setup.sh bench",
        pip="pip install 'fem_mbd[bench]'",
        conda="pip install 'fem_mbd[bench]'",
        required=False,
        extra="bench",
    ),
    _plain("distributed", "parameter sweeps on a cluster (Dask)", "dask"),
    _plain("pygltflib", "animations as glTF", "film"),
    Dependency(
        "imageio_ffmpeg",
        "animations as .mp4",
        debian=".venv/bin/python -m pip install imageio-ffmpeg",
        pip="pip install 'fem_mbd[film]'",
        conda="conda install -c conda-forge imageio-ffmpeg",
        required=False,
        extra="film",
    ),
    _plain("SALib", "Sobol indices of parameter sweeps", "sensitivity"),
    _plain("xarray", "results with named dimensions: to_xarray", "xarray"),
    _plain("control", "state space for control design: to_control", "control"),
    _plain("openmdao", "runs as components of OpenMDAO: to_openmdao", "openmdao"),
    _plain("windIO", "machines from windIO files", "windio"),
    _plain("pandas", "results as tables: to_pandas", "pandas"),
    _plain("pythonfmu3", "cases as functional mock-up units (FMU)", "fmu"),
)


def has(name: str) -> bool:
    """Whether a library is installed; it is not imported."""
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # a finder refuses it; a module without a specification
        return False


def need(name: str) -> None:
    """Check that an optional library is installed.

    Raises
    ------
    MissingDependency
        When it is not installed; the message says how to install it.
    """
    if not has(name):
        dependency = next(d for d in DEPENDENCIES if d.name == name)
        raise MissingDependency(
            f"{name}, needed for {dependency.purpose}, is not installed: {dependency.pip}"
        )
