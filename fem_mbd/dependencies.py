"""What the package needs besides Python: for which purpose, and how to install it.

One table, used by the messages about something missing and by ``fem-mbd doctor``. Its required packages are
the ones that ``setup.cfg`` lists; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dependency:
    """One package: its import name, its purpose, and a command (or a remark) for each way to install it."""

    name: str
    purpose: str
    debian: str
    pip: str
    conda: str
    required: bool = True

    def how_to_install(self) -> str:
        """The three ways, one per line, indented."""
        return (
            f"  Debian, Ubuntu: {self.debian}\n  conda:          {self.conda}\n  pip:            {self.pip}"
        )


def _plain(name: str, purpose: str, required: bool = True) -> Dependency:
    """A package of the same name everywhere; the required ones are what `make setup` installs into .venv."""
    debian = "make setup" if required else f".venv/bin/python -m pip install {name}"
    conda = f"conda install -c conda-forge {name}"
    return Dependency(name, purpose, debian, f"pip install {name}", conda, required)


PETSC4PY = Dependency(
    "petsc4py",
    "PETSc: faster linear solvers, MUMPS for grids, Newton-Krylov and other PETSc options",
    debian="apt-get install python3-petsc4py, then make setup, which makes it visible in .venv",
    pip="set PETSC_DIR (and PETSC_ARCH) to your PETSc, then make setup; "
    "pip install petsc4py without them compiles PETSc itself",
    conda="conda install -c conda-forge petsc4py",
    required=False,
)

DEPENDENCIES: tuple[Dependency, ...] = (
    _plain("numpy", "arrays"),
    _plain("scipy", "sparse matrices, eigenvalues, interpolation"),
    _plain("numba", "compiled kernels of elements, joints and laws"),
    _plain("h5py", "result files"),
    _plain("matplotlib", "figures"),
    _plain("meshio", "mesh formats"),
    _plain("pyarrow", "tables of sweeps (Parquet)"),
    _plain("rainflow", "counted ranges of load histories"),
    _plain("threadpoolctl", "one BLAS thread in runs"),
    _plain("argcomplete", "what the tab key offers in the shell"),
    PETSC4PY,
    Dependency(
        "exudyn",
        "the benchmarks' comparison with another program",
        debian="bash tools/setup.sh bench",
        pip="pip install 'fem_mbd[bench]'",
        conda="pip install 'fem_mbd[bench]'",
        required=False,
    ),
    _plain("distributed", "parameter sweeps on a cluster (Dask)", required=False),
    _plain("pygltflib", "moving pictures as glTF", required=False),
    Dependency(
        "imageio_ffmpeg",
        "moving pictures as .mp4",
        debian=".venv/bin/python -m pip install imageio-ffmpeg",
        pip="pip install imageio-ffmpeg",
        conda="conda install -c conda-forge imageio-ffmpeg",
        required=False,
    ),
    _plain("SALib", "Sobol indices of parameter sweeps", required=False),
    _plain("xarray", "results with named dimensions: to_xarray", required=False),
    _plain("control", "state space for control design: to_control", required=False),
    _plain("windIO", "machines from windIO files", required=False),
    _plain("pandas", "results as tables: to_pandas", required=False),
    _plain("pythonfmu3", "cases as functional mock-up units (FMU)", required=False),
)
