"""Tests of building libraries: when kernels change, once, completely or not at all; messages on missing tools."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.core.compiled.checkout import BUILD, Checkout

pytestmark = pytest.mark.slow

CALLS = "fem_mbd/core/compiled/calls.py"
SIZES = "fem_mbd/core/stepping/step_rules.py"


def told(name: str) -> str:
    """What is said before a library is compiled."""
    return f"compiling kernels: {name} (once, up to 40 s of CPU time each)\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def bare(tree: Checkout) -> Checkout:
    """Nothing is built there."""
    for file in tree.libraries.glob("calls.*"):
        file.unlink()
    return tree


@pytest.mark.slow
def test_changed_code_builds_its_library_and_changed_words_none(tree: Checkout) -> None:
    status, said = tree.build("calls", "stepping")
    assert status == 0 and "calls" in said and "stepping" in said
    before = {file: file.stat().st_mtime_ns for file in tree.libraries.glob("*.so")}
    assert [file.stem for file in sorted(before)] == ["calls", "stepping"]
    tree.edit(CALLS, '    """Make the calls of', '    # a comment\n    """Make all calls of')
    tree.edit(SIZES, "def allowed_change(gap, eps_p,", "def allowed_change(gap: float, eps_p,")
    assert tree.build("calls", "stepping") == (0, "")
    assert {file: file.stat().st_mtime_ns for file in before} == before
    tree.edit(SIZES, "max(gap / (eps_p * q_min), 1.0)", "max(gap / (eps_p * q_min), 1.5)")
    assert tree.build("calls", "stepping") == (0, told("stepping"))


def test_processes_at_the_same_time_build_once(bare: Checkout) -> None:
    builds = [bare.start(*BUILD, "calls") for _ in range(3)]
    said = [one.communicate()[1] for one in builds]
    assert [one.returncode for one in builds] == [0, 0, 0]
    assert "".join(said) == told("calls")


@pytest.mark.parametrize("wait", [0.0, 0.3, 0.6])
def test_a_build_that_is_killed_leaves_nothing_half(bare: Checkout, wait: float) -> None:
    build = bare.start(*BUILD, "calls")
    assert build.stderr is not None and build.stderr.readline() == told("calls")
    time.sleep(wait)
    os.killpg(build.pid, signal.SIGKILL)
    build.communicate()
    label, library = bare.libraries / "calls.json", bare.libraries / "calls.so"
    assert library.exists() or not label.exists()  # the label comes last
    status, said = bare.build("calls")
    assert (status, said) in [(0, told("calls")), (0, "")]
    names = sorted(file.name for file in bare.libraries.iterdir() if "calls" in file.name)
    assert names == ["calls.json", "calls.lock", "calls.so"]


def test_a_damaged_library_of_a_checkout_is_built_again(bare: Checkout) -> None:
    assert bare.build("calls")[0] == 0
    for name in ("calls.so", "calls.json"):
        file = bare.libraries / name
        file.write_bytes(file.read_bytes()[:100])
        code = "from fem_mbd.core.compiled.calls import run_calls as r; print(hex(r.entries[0].address))"
        assert bare.run("-c", code) == (0, told("calls"))


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (
            {"PATH": "/nowhere"},
            "there is no C compiler (cc, gcc, clang). Debian, Ubuntu: apt-get install gcc",
        ),
        ({"CC": "no-such-compiler -O2"}, "CC is no-such-compiler: No such file or directory"),
    ],
)
def test_a_missing_compiler_is_named(bare: Checkout, environment: dict[str, str], words: str) -> None:
    status, said = bare.build("calls", **environment)
    assert status == 2 and words in said and "Traceback" not in said


def test_without_numba_the_command_says_what_to_install(bare: Checkout) -> None:
    code = "import sys, runpy; sys.modules['numba'] = None; runpy.run_module('fem_mbd.core.compiled.build')"
    status, said = bare.run("-c", code)
    assert status == 2 and "pip install numba" in said and "Traceback" not in said


def test_a_folder_that_cannot_be_written_to_is_named(bare: Checkout, tmp_path: Path) -> None:
    kept = (bare.folder / "build").rename(tmp_path / "build")
    (bare.folder / "build").write_text("no folder")
    try:
        status, said = bare.build("calls")
    finally:
        (bare.folder / "build").unlink()
        kept.rename(bare.folder / "build")
    assert status == 2 and f"cannot be put into {bare.libraries}" in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("line", "called"),
    [("print(x[0])", "numba_gil_ensure"), ("a = [x[0]]\n    a.append(x[1])\n    x[0] = a[k]", "NRT_")],
)
def test_kernels_that_call_python_or_numba_are_refused(bare: Checkout, line: str, called: str) -> None:
    """A file that is new, too: it is found."""
    new = bare.folder / "fem_mbd" / "core" / "compiled" / "added.py"
    new.write_text(
        "from fem_mbd.core.compiled.kernels import kernel\n"
        "from fem_mbd.core.compiled.signatures import int64, vector, void\n\n"
        f"\n@kernel(void(vector, int64))\ndef speak(x, k):\n    {line}\n"
    )
    try:
        status, said = bare.build("calls")
    finally:
        new.unlink()
    assert status == 2 and "Traceback" not in said
    assert f"kernels of calls call {called}" in said and "fem_mbd.core.compiled.added.speak.0" in said
    assert "leave out text, lists and arrays of unknown shape" in said
    assert not (bare.libraries / "calls.so").exists()
