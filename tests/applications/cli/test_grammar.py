"""Parser of the command line: imports no library, and has the same choices as the library."""

import subprocess
import sys

import pytest

from fem_mbd.applications.cli import options
from fem_mbd.applications.cli.main import parser
from fem_mbd.elements.blades import hawc2
from fem_mbd.output.animation import animate
from fem_mbd.output.export import FORMATS

LIGHT = (
    "import sys; from fem_mbd.applications.cli.main import parser; "
    "parser(); print([m for m in {!r} if m in sys.modules])"
)


def test_help_and_completion_load_no_library() -> None:
    heavy = ("numpy", "scipy", "numba", "h5py", "matplotlib", "petsc4py")
    done = subprocess.run(
        [sys.executable, "-c", LIGHT.format(heavy)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


CASES = """
import sys
from fem_mbd.cases import case_names, load_case
for name in case_names():
    load_case(name)
print("matplotlib" in sys.modules)
"""


def test_a_run_without_figures_loads_no_matplotlib() -> None:
    done = subprocess.run([sys.executable, "-c", CASES], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_choices_are_those_of_the_library() -> None:
    assert sorted(options.EXPORT_FORMATS) == sorted(FORMATS)
    assert options.CENTRES == hawc2.CENTRES
    assert options.PAGE_STATES == sys.modules[animate.__module__].FRAMES


def test_speeds_are_even_and_end_where_asked() -> None:
    options = parser().parse_args(["campbell", "rotor", "--speeds", "0:0.7:8"])
    assert options.speeds == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], rel=1e-15)
    assert options.speeds[-1] == 0.7
