"""Tests of imports in a run: no private modules of numba or llvmlite, neither of these, no file outside the package."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fem_mbd.core.compiled.libraries import CHECKOUT

# Modules that the manuals of numba ("Extending Numba", "Reference") and llvmlite ("IR layer", "LLVM binding layer")
# describe. numba.core.errors is where numba documents its exceptions, which `numba` itself offers as numba.NumbaError.
PUBLIC = {
    "numba": {"from_dtype", "njit", "types", "typeof", "cfunc", "errors", "__version__"},
    "numba.extending": {
        "lower_builtin", "lower_cast", "models", "register_model", "type_callable", "typeof_impl", "overload",
        "overload_attribute",
    },
    "numba.core.errors": {"TypingError", "NumbaError"},
    "llvmlite": {"binding", "ir", "__version__"},
}  # fmt: skip
PARTS = ("fem_mbd", "elements", "joints", "friction", "cases", "tools", "benchmarks")
COMPILERS = ("numba", "llvmlite")


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for file in (file for part in PARTS for file in (CHECKOUT / part).rglob("*.py")):
        yield file, ast.parse(file.read_text("utf-8"))


def test_nothing_private_of_the_compilers_is_imported() -> None:
    met = set()
    for file, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = {one.name for one in node.names if one.name.partition(".")[0] in COMPILERS}
                assert names <= set(COMPILERS), (file, names)
            elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in COMPILERS:
                names = {one.name for one in node.names}
                assert names <= PUBLIC.get(str(node.module), set()), (file, node.module, names)
                met.add(str(node.module))
    assert met >= {"numba", "numba.extending", "llvmlite"}


def test_no_private_member_of_the_compilers_objects_is_used() -> None:
    """In the files that import them. ``_getvalue`` stands in numba's manual ("Low-level extension API")."""
    for file, tree in sources():
        text = ast.dump(tree)
        if any(f"module='{name}" in text or f"name='{name}'" in text for name in COMPILERS):
            own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)} | {"_getvalue"}
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and node.attr.startswith("_") and node.attr[:2] != "__":
                    known = node.attr in own or ast.unparse(node.value) == "self"
                    assert known, f"{file}, line {node.lineno}: {ast.unparse(node)}"


def test_a_run_imports_no_compiler_and_writes_into_its_folder_only(tmp_path: Path) -> None:
    kept, home = tmp_path / "kept", tmp_path / "home"
    home.mkdir()
    code = (
        "from fem_mbd.__main__ import main\n"
        "sys.argv[1:] = ['run', 'pendulum', '--set', 'end_time=0.05', '--no-plot', '--quiet', '--out', sys.argv[1]]\n"
        "print(main(), [name for name in ('numba', 'llvmlite') if name in sys.modules])"
    )
    trace = tmp_path / "trace"
    hook = f"import sys\nfiles = open({str(trace)!r}, 'a')\n"
    hook += "def look(event, given):\n"
    hook += "    if event == 'open' and isinstance(given[0], str) and isinstance(given[1], str):\n"
    hook += "        if set(given[1]) & set('wax+'): files.write(given[0] + chr(10)); files.flush()\n"
    hook += "sys.addaudithook(look)\n"
    done = subprocess.run(
        [sys.executable, "-B", "-c", hook + code, str(kept)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin", "HOME": str(home)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "0 []"
    written = {line for line in trace.read_text().splitlines() if not line.startswith((str(kept), "/dev/"))}
    assert written == set() and not list(home.iterdir())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["home", "kept", "trace"]


@pytest.mark.slow
def test_a_case_of_every_library_runs_without_compilers_there(tmp_path: Path) -> None:
    """As in a wheel, where neither numba nor a C compiler is."""
    code = (
        "import sys\nsys.modules.update(numba=None, llvmlite=None)\nfrom fem_mbd.__main__ import main\n"
        "sys.argv[1:] = ['run', sys.argv[1], '--set', sys.argv[2], '--no-plot', '--quiet', '--out', sys.argv[1]]\n"
        "sys.exit(main())"
    )
    for case, setting in (
        ("slider_crank_clearance", "revolutions=0.001"),
        ("pendulum_friction", "end_time=0.02"),
    ):
        command = [sys.executable, "-c", code, case, setting]
        environment = {"PYTHONPATH": str(CHECKOUT), "PATH": "/nowhere", "HOME": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_first_run_with_friction_in_a_joint() -> None:
    """It ended with ``KeyError: (float64,)`` in numba where its cache held other kernels, at every start."""
    code = """
import fem_mbd as fm
from fem_mbd.elements import RigidBody, RotationalSpringDamper
from fem_mbd.friction import CoulombStiction
from fem_mbd.joints import JointFriction, Revolute
model = fm.Model()
body = model.add(RigidBody(1.0, (.02, .02, .02), position=(0, 0, 0)))
law = CoulombStiction(mu_s=0.2, mu_k=0.2)
rub = JointFriction(law=law, pin_radius=0.01, torque_preload=0.15, loads=("preload",))
model.add(Revolute(model.ground, body.node, at=(0, 0, 0), axis=(0, 0, 1), friction=rub))
model.add(RotationalSpringDamper(model.ground, body.node, (0, 0, 1), 5.0, angle=-0.5))
print(fm.simulate(model, 0.1, fm.StepControl.fixed(2e-3), progress=False).steps)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("50\n", 0), done.stderr
