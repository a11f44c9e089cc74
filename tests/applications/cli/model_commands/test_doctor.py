"""Tests of the doctor's report and of the import of petsc4py: with PETSc, without, and with an unsuitable one."""

import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from fem_mbd.applications.cli import doctor
from fem_mbd.base.dependencies import DEPENDENCIES
from fem_mbd.core.compiled import libraries
from fem_mbd.core.linear_solvers import petsc
from fem_mbd.errors import MissingDependency


@pytest.fixture
def no_petsc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates a missing petsc4py."""
    monkeypatch.setitem(sys.modules, "petsc4py", None)
    monkeypatch.setattr(petsc, "petsc", petsc.petsc.__wrapped__)


def fake_petsc(scalar: type = np.float64, version: tuple[int, int, int] = (3, 20, 1)) -> ModuleType:
    module = ModuleType("PETSc")
    module.__dict__.update(
        __file__="/opt/petsc4py/PETSc.so", ScalarType=scalar, Sys=SimpleNamespace(getVersion=lambda: version)
    )
    return module


def test_report_names_versions_and_solvers() -> None:
    found = doctor.report()
    assert found["packages"]["numpy"] == np.__version__
    assert found["petsc"]["version"] == ".".join(map(str, petsc.petsc().Sys.getVersion()))
    assert found["petsc"]["scalar"] == "float64"
    assert found["petsc"]["mpi"]
    assert set(found["petsc"]["solvers"]) == set(doctor.SOLVER_PACKAGES)
    missing = {entry["name"] for entry in found["missing"]}
    assert missing == {name for name, version in found["packages"].items() if version is None}


def test_rendered_report_names_every_package_and_solver() -> None:
    text = doctor.render(doctor.report())
    for name in [dependency.name for dependency in DEPENDENCIES] + list(doctor.SOLVER_PACKAGES):
        assert name in text


@pytest.mark.parametrize("checkout", [True, False])
def test_missing_packages_are_one_line_each_and_a_wheel_needs_no_scripts(
    checkout: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any optional package, and one that is required: a wheel has neither make nor tools/."""
    monkeypatch.setattr(libraries, "is_checkout", lambda: checkout)
    monkeypatch.setattr(
        doctor,
        "_version",
        lambda one, problems: None if one.name == "h5py" or not one.required else "1",
    )
    text = doctor.render(doctor.report())
    assert ("make setup" in text) is checkout
    advice = text[text.index("Missing: h5py") :]
    assert checkout or not any(path in advice for path in ("make ", "tools/", ".venv/"))
    assert "Missing: h5py, needed for result files" in text and "  pip     pip install h5py" in text
    last = text[text.index("needed only for") :].splitlines()
    assert len(last) == 1 + sum(not one.required for one in DEPENDENCIES)
    assert "  tables of sweeps as Parquet, besides CSV: pip install 'fem_mbd[parquet]'" in last


@pytest.mark.usefixtures("no_petsc")
def test_report_without_petsc_names_it_as_missing_and_not_as_problem() -> None:
    found = doctor.report()
    assert found["petsc"] is None
    assert any(entry["name"] == "petsc4py" and not entry["required"] for entry in found["missing"])
    assert not [problem for problem in found["problems"] if "petsc4py" in problem]
    assert "PETSc: not used, because petsc4py is not installed" in doctor.render(found)


@pytest.mark.usefixtures("no_petsc")
def test_petsc_that_is_wanted_and_not_there_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(petsc.SWITCH, "on")
    found = doctor.report()
    assert [problem for problem in found["problems"] if "petsc4py" in problem]
    assert "none usable" in doctor.render(found)


def test_foreign_numpy_layout_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(petsc.numpy, "__version__", "2.1.0")
    error = ValueError("numpy.dtype size changed, may indicate binary incompatibility")
    assert "pip install 'numpy<2'" in petsc._import_message(error)


@pytest.mark.parametrize(
    ("module", "match"),
    [
        (fake_petsc(np.complex128), "computes with complex128"),
        (fake_petsc(np.float32), "computes with float32"),
        (fake_petsc(version=(3, 15, 2)), r"3\.15\.2 .* too old; 3\.18"),
    ],
)
def test_unfit_petsc_is_refused(module: ModuleType, match: str) -> None:
    with pytest.raises(MissingDependency, match=match):
        petsc._check(module)


def test_fit_petsc_is_accepted() -> None:
    petsc._check(fake_petsc())


def debians(folder: Path, tag: str) -> Path:
    """A folder like that of Debian's package."""
    inside = folder / "petsc3.18/x86_64-linux-gnu-real/lib/python3/dist-packages"
    library = inside / f"petsc4py/lib/linux-gnu-real/PETSc{tag}"
    library.parent.mkdir(parents=True)
    library.touch()
    (inside / "petsc4py/__init__.py").touch()
    return inside


def test_debian_s_petsc_that_the_environment_does_not_see_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "petsc4py", None)
    monkeypatch.setattr(petsc, "DEBIAN", str(tmp_path))
    assert "Debian" not in petsc.reason_without_petsc()
    folder = debians(tmp_path, EXTENSION_SUFFIXES[0])
    assert f"set {petsc.SWITCH}={folder} to use it" in petsc.reason_without_petsc()
    assert f"  Debian's is in {folder}" in doctor.render(doctor.report())
    monkeypatch.setattr(petsc.numpy, "__version__", "2.1.0")
    assert petsc.reason_without_petsc().endswith("after pip install 'numpy<2'")


def test_debian_s_petsc_of_another_python_is_not_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "petsc4py", None)
    monkeypatch.setattr(petsc, "DEBIAN", str(tmp_path))
    debians(tmp_path, ".cpython-39-x86_64-linux-gnu.so")
    assert petsc.debian_folder() is None


def test_petsc_is_taken_from_the_folder_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "petsc4py"
    package.mkdir()
    (package / "__init__.py").write_text("def init(arguments): raise ImportError('from the named folder')")
    monkeypatch.setenv(petsc.SWITCH, str(tmp_path))
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if "petsc" not in entry])
    for name in [name for name in sys.modules if name.partition(".")[0] == "petsc4py"]:
        monkeypatch.delitem(sys.modules, name)
    assert petsc.has_petsc()
    with pytest.raises(MissingDependency, match="from the named folder"):
        petsc.petsc.__wrapped__()


def run_python(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_petsc_leaves_the_program_s_arguments_alone() -> None:
    program = (
        "import sys; from fem_mbd.core.linear_solvers.petsc import petsc; p = petsc(); "
        "print(sys.argv[1:], p.Options().hasName('fem_mbd_x'))"
    )
    assert run_python(program, "-fem_mbd_x", "3") == "['-fem_mbd_x', '3'] False"


def test_petsc_started_by_the_program_is_used_as_it_is() -> None:
    program = (
        "import petsc4py; petsc4py.init(['x', '-of_the_program', '1']); "
        "from fem_mbd.core.linear_solvers.petsc import petsc; "
        "print(petsc().Options().getString('of_the_program'))"
    )
    assert run_python(program) == "1"


def test_importing_the_package_does_not_start_petsc() -> None:
    assert (
        run_python("import sys, fem_mbd, fem_mbd.core.linear_solvers.petsc; print('petsc4py' in sys.modules)")
        == "False"
    )
