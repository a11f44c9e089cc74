"""Tests of the command's start and its end by signals, full disks and closed pipes, in separate processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.runs.results.result import Result
from tests.runs.running.fake_runs import ROOT


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a separate process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_package_is_a_command_of_python(tmp_path: Path) -> None:
    done = python(
        "import runpy, sys; sys.argv[1:] = ['--version']; runpy.run_module('fem_mbd', run_name='__main__')",
        tmp_path,
    )
    assert done.stdout.startswith("fem_mbd ") and done.returncode == 0


def test_ctrl_c_during_imports(tmp_path: Path) -> None:
    code = """
import builtins, os, signal
from fem_mbd import __main__ as start
usual = builtins.__import__
def importing(name, *more):
    if name == "argparse":
        os.kill(os.getpid(), signal.SIGINT)
    return usual(name, *more)
builtins.__import__ = importing
start.main()
"""
    done = python(code, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "fem-mbd: interrupted\n")


SWING = """
import resource, sys
import fem_mbd.cases
from tests.applications.cli import fake_case
from fem_mbd.applications.cli.main import main
sys.modules["fem_mbd.cases.swing"] = fake_case.module()
fem_mbd.cases.CASE_NAMES = ("swing",)
"""


@pytest.mark.parametrize("size", [3_000, 250_000, 600_000])
def test_full_disk(tmp_path: Path, size: int) -> None:
    """A limit on the size of files acts like a full disk: one message, no crash when the program ends."""
    code = SWING + (
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "sys.exit(main(['run', 'swing', '--set', 'steps=20000', '--out', 'out', '--no-plot']))"
    )
    done = python(code, tmp_path)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("fem-mbd: results file out/results.h5: it cannot be written")
    if size == 3_000:
        assert not list((tmp_path / "out").iterdir())
    else:
        assert Result.open(tmp_path / "out").status == "unfinished"


def test_plot_on_a_full_disk(tmp_path: Path) -> None:
    code = SWING + (
        "main(['run', 'swing', '--out', 'out', '--no-plot', '--quiet'])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "sys.exit(main(['plot', 'out']))"
    )
    done = python(code, tmp_path)
    assert done.returncode == 3, done.stderr
    assert done.stderr.splitlines()[-1].startswith("fem-mbd: error: ") and "Traceback" not in done.stderr
    assert "File too large" in done.stderr


def test_figures_go_where_they_may(tmp_path: Path) -> None:
    code = SWING + (
        "main(['run', 'swing', '--out', 'out', '--no-plot', '--quiet'])\n"
        "open('out/figures', 'w').close()\n"
        "refused = main(['plot', 'out'])\n"
        "sys.exit(10 * refused + main(['plot', 'out', '--out', 'elsewhere']))"
    )
    done = python(code, tmp_path)
    assert done.returncode == 20, done.stderr
    assert done.stderr == "fem-mbd: error: out/figures: File exists; give another folder with --out\n"
    assert (tmp_path / "elsewhere" / "swing.png").exists()


def test_output_that_nobody_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w", buffering=1) as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert main(["list"]) == 141
        monkeypatch.undo()
