"""A command line with its exit status and what it writes."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from fem_mbd.applications.cli.main import main

Says: TypeAlias = Callable[..., Any]


@pytest.fixture
def says(capsys: pytest.CaptureFixture[str]) -> Says:
    """Runs a command line, whose exit status has to be the given one; returns what it writes, `out` and `err`."""

    def run(arguments: list[str], status: int = 0) -> Any:
        capsys.readouterr()
        assert main(arguments) == status
        return capsys.readouterr()

    return run
