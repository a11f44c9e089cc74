"""Tests of PETSc's initialisation: no open port, no daemon, no options from files in the working folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

LOOK = """
import os, sys
from pathlib import Path
from fem_mbd.core.linear_solvers.petsc import petsc
before = dict(os.environ)
world = petsc().COMM_WORLD
assert dict(os.environ) == before, "settings are removed"
links = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
sockets = {link[8:-1] for link in links if link.startswith("socket:")}
lines = [line.split() for name in ("tcp", "tcp6") for line in open("/proc/self/net/" + name)]
listening = [line[1] for line in lines if line[3] == "0A" and line[9] in sockets]
children = Path("/proc/self/task", str(os.getpid()), "children").read_text().split()
options = petsc().Options()
sys.stdout.write(f"{world.size} {listening} {children} {options.hasName('fem_mbd_from_file')}\\n")
"""


def look(folder: Path, *launcher: str, **environment: str) -> list[str]:
    """Output of processes started in `folder`, a line each: size, open ports, children, whether the option is set."""
    (folder / "look.py").write_text(LOOK)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    done = subprocess.run(
        [*launcher, sys.executable, "look.py"],
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_single_process_does_not_listen(tmp_path: Path) -> None:
    (tmp_path / ".petscrc").write_text("-fem_mbd_from_file 1\n")
    assert look(tmp_path) == ["1 [] [] False"]
    with_file = look(tmp_path, PETSC_OPTIONS="-options_file .petscrc")
    assert with_file == ["1 [] [] True"]


def test_processes_under_a_launcher_know_each_other(tmp_path: Path) -> None:
    mpiexec = shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("no mpiexec here")
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    lines = look(tmp_path, mpiexec, "-n", "2", "--oversubscribe", **root)
    assert [line.split()[0] for line in lines] == ["2", "2"]
