"""Tests of tab completion, requested in the way of argcomplete's shell function."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.cases import case_names
from tests.docs.pages import ROOT


def offered(line: str, folder: Path) -> set[str]:
    """The words offered at the end of a command line."""
    answer = folder / "answer"
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_IFS": "\n",
             "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n\"'><=;|&(:", "COMP_LINE": line, "COMP_POINT": str(len(line)),
             "PYTHONPATH": str(ROOT)}  # fmt: skip
    program = "import sys; from fem_mbd.applications.cli.main import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **asked}, cwd=folder, check=False)
    return {word.strip() for word in answer.read_text().split("\n")}


def test_commands_and_cases_are_offered(tmp_path: Path) -> None:
    assert {"run", "resume"} <= offered("fem-mbd r", tmp_path)
    assert set(case_names()) <= offered("fem-mbd run ", tmp_path)
    assert offered("fem-mbd static cant", tmp_path) == {"cantilever"}


def test_folders_of_studies_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "swing"]) == 0
    (tmp_path / "data").mkdir()
    assert offered("fem-mbd run ./", tmp_path) == {"./swing"}
    assert offered("fem-mbd run ./swing --set ma", tmp_path) == {"mass="}


def test_parameters_and_their_choices_are_offered(tmp_path: Path) -> None:
    assert offered("fem-mbd run pendulum --set ga", tmp_path) == {"gap="}
    assert offered("fem-mbd run pendulum --set gap=1e-4 joint=", tmp_path) == {"ideal", "clearance"}
    assert offered("fem-mbd run no_such_case --set ga", tmp_path) == {""}
