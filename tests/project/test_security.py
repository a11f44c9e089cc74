"""Security tests: no code in input files is executed, files are written in the given folder only, no port is opened."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

import fem_mbd
from fem_mbd.applications.cli.main import main
from fem_mbd.applications.sweeps.executors import Task
from fem_mbd.output.animation.animate import page

ROOT = Path(fem_mbd.__file__).parents[1]
PARTS = ("fem_mbd", "elements", "joints", "friction", "cases")
# modules that execute code in a file, or unpack a file to paths that it contains
MODULES = {
    "pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "zipfile", "tarfile", "yaml",
}  # fmt: skip
ERRORS = {"BadZipFile"}  # exceptions of these modules may be imported
# The builder of kernels makes the text of a function with as many arguments as a kernel has, of nothing else; calls of
# laws are made of numbers and the names of arguments of the package's own kernels, of nothing that is read.
OWN_TEXT = {
    "fem_mbd/core/compiled/build/duals/dual_kernels.py": ["exec()"],
    "friction/records.py": ["exec()"],
}
CALLS = {"eval", "exec", "compile", "unpack_archive", "read_pickle"}


def breaches(text: str) -> Iterator[str]:
    """The forbidden imports and calls in a source file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            if {alias.name for alias in node.names} - ERRORS:
                yield str(node.module)
        elif isinstance(node, ast.Call):
            # methods of the same name, such as compile of regular expressions, are allowed
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in CALLS and (isinstance(node.func, ast.Name) or name not in {"eval", "exec", "compile"}):
                yield f"{name}()"
            yield from (
                f"{name}({k.arg}=True)" for k in node.keywords if k.arg == "allow_pickle" and not off(k.value)
            )


def off(value: ast.expr) -> bool:
    """Whether an argument is the literal False."""
    return isinstance(value, ast.Constant) and value.value is False


def test_no_module_executes_code_of_files() -> None:
    assert list(breaches("import pickle\nfrom yaml import load\neval('1')\nnp.load(f, allow_pickle=True)\n"))
    files = [file for part in PARTS for file in (ROOT / part).rglob("*.py")]
    assert len(files) > 300
    found = {str(file.relative_to(ROOT)): list(breaches(file.read_text())) for file in files}
    assert {name: what for name, what in found.items() if what} == OWN_TEXT


def test_names_in_a_page_are_escaped() -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    text = page({"title": hostile, "curves": [hostile]})
    assert hostile not in text and "<img" not in text
    assert "default-src 'none'" in text


@pytest.mark.skipif(sys.platform != "linux", reason="open files of a process are looked up in /proc")
def test_workers_do_not_listen(tmp_path: Path) -> None:
    """A worker communicates through its standard input and output: none of its open files is a socket."""
    parameters = {"end_time": 0.002, "dt": 1e-3}
    task = Task("a", "pendulum", parameters, str(tmp_path / "run"), {"steps": "steps"})
    log = tmp_path / "workers.log"
    log.touch()
    with subprocess.Popen(
        [sys.executable, "-m", "fem_mbd.applications.sweeps.worker", str(log)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, text=True,
        env=dict(os.environ),  # without what an MPI that another library has started adds for its children
    ) as worker:  # fmt: skip
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(json.dumps(asdict(task)) + "\n")
        worker.stdin.flush()
        assert json.loads(worker.stdout.readline())["status"] == "done"
        opened = [os.readlink(entry) for entry in Path(f"/proc/{worker.pid}/fd").iterdir()]
        worker.stdin.close()
    assert any("pipe:" in target for target in opened)
    assert not [target for target in opened if target.startswith("socket:")]


def test_a_spec_writes_in_its_folder_only(tmp_path: Path) -> None:
    """Also where names of outputs are paths or shell commands."""
    spec = tmp_path / "a" / "b" / "spec.toml"
    spec.parent.mkdir(parents=True)
    spec.write_text(
        'case = "pendulum"\n[set]\nend_time = 0.002\ndt = 1e-3\n[grid]\ndamping = [1e-4, 1e-3]\n'
        f'[outputs]\n"../../evil" = "steps"\n"{tmp_path}/evil" = "steps"\n"$(touch evil)" = "newton_iterations"\n'
    )
    out = spec.parent / "out"
    assert main(["sweep", str(spec), "--out", str(out)]) == 0
    written = {file for file in tmp_path.rglob("*") if file.is_file()} - {spec}
    assert written and all(out in file.parents for file in written)
    assert len(list((out / "figures").iterdir())) == 3
