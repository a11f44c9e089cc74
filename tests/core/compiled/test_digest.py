"""Tests of the digest of compiled code: it changes with code and constants, not with comments."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fem_mbd.core.compiled.build.digest import Digest

HELPER = """
from typing import Annotated, Any, NamedTuple
from fem_mbd.core.compiled.signatures import float64

SCALE = 3.0

class Unused:
    pass

class Group(NamedTuple):
    x: Annotated[Any, float64[:, ::1]]

def table():
    return (1.0, 2.0)
"""
KERNELS = '''
"""Words."""
import numpy as np
from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.signatures import float64, vector, void
from fem_mbd.core.compiled.kernels import unrolled
import fem_mbd.of_test_helper as helper
from fem_mbd.of_test_helper import SCALE, Group, Unused, table

FACTORS = np.array(table())
NOT_USED = 5.0

@unrolled
def rows(x, n):
    for k in range(3):
        x.store(n, x[n] * 2.0)

@kernel
def called(x):
    """What it does."""
    rows(x, 0)
    return x[0] - 1.0

@kernel(float64(vector))
def entry(x):
    """What it does."""
    # why
    return SCALE * called(x) + FACTORS[1] + helper.SCALE

@kernel(void(vector))
def other(x):
    x[0] = 2.0

@kernel(void(Group))
def third(group):
    group.x[0, 0] = 2.0
'''
Digested = Callable[[str, str], tuple[str, set[str]]]


@pytest.fixture
def digested(tmp_path: Path) -> Iterator[Digested]:
    """The digest of kernels and its origins, by the texts of two modules of the package."""

    def load(name: str, text: str) -> Any:
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        spec = importlib.util.spec_from_file_location(f"fem_mbd.{name}", file)
        assert spec is not None and spec.loader is not None
        sys.modules[f"fem_mbd.{name}"] = module = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode = True
        spec.loader.exec_module(module)
        return module

    def digest(helper: str, kernels: str) -> tuple[str, set[str]]:
        load("of_test_helper", helper)
        module = load("of_test_kernels", kernels)
        found = Digest("")
        return found.add([module.entry, module.other, module.third]), found.origins()

    before = sys.dont_write_bytecode
    yield digest
    sys.dont_write_bytecode = before
    for name in ("fem_mbd.of_test_helper", "fem_mbd.of_test_kernels"):
        sys.modules.pop(name, None)


CHANGES = [  # of the text, and whether they change the digest
    ("# why", "# why not\n    # at all", False),
    ("What it does", "What it does, told in other words", False),
    ('"""Words."""', '"""More words."""\n\n', False),
    ("def called(x):", "def called(x: float) -> float:", False),
    ("def other(x):", 'def other(x):\n    """Says something now."""', False),
    ("NOT_USED = 5.0", "NOT_USED = 6.0", False),
    ("return SCALE * called", "return SCALE + called", True),
    ("FACTORS[1] +", "FACTORS[0] +", True),
    ("x[0] - 1.0", "x[0] - 1.5", True),
    ("range(3)", "range(4)", True),
    ("x[n] * 2.0", "x[n] * 2.5", True),
    ("@kernel(void(vector))", "@kernel(void(float64[:]))", True),
]


@pytest.mark.parametrize(("old", "new", "counts"), CHANGES)
def test_code_numbers_and_types_change_it_and_words_do_not(
    digested: Digested, old: str, new: str, counts: bool
) -> None:
    assert old in KERNELS
    assert (digested(HELPER, KERNELS.replace(old, new))[0] != digested(HELPER, KERNELS)[0]) is counts


@pytest.mark.parametrize(
    ("old", "new"), [("SCALE = 3.0", "SCALE = 4.0"), ("2.0)", "2.5)"), (":, ::1", ":, :")]
)
def test_constants_of_other_modules_change_it(digested: Digested, old: str, new: str) -> None:
    """Global numbers, arrays made of what other modules return, types of named tuples; their files are looked at."""
    assert digested(HELPER.replace(old, new), KERNELS)[0] != digested(HELPER, KERNELS)[0]
    assert "fem_mbd.of_test_helper" in digested(HELPER, KERNELS)[1]


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("How", "In which way", False),
        ("2.0  # half", "2.0  # twice", False),
        ("2.0", "3.0", True),
        ("How", "", False),
    ],
)
def test_of_files_that_generate_machine_code_words_do_not_count(
    tmp_path: Path, old: str, new: str, counts: bool
) -> None:
    words = '"""How."""\n'
    text = f"{words}\nclass Some:\n    {words}\n    def f(self):\n        {words}        return 2.0  # half\n"
    digests = set()
    for one in (text, text.replace(old, new)):
        file = tmp_path / "generating.py"
        file.write_text(one)
        digests.add(Digest("", [file]).add([]))
    assert len(digests) == 1 + counts


ENTRY_ELSEWHERE = """
from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.signatures import float64

__name__ = "fem_mbd.core.solver.before"

@kernel(float64(float64))
def elsewhere(x):
    return 2.0 * x
"""


def test_names_of_modules_change_it_as_they_change_the_symbols_of_entries(
    digested: Digested, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the library's own entries, and those of entries of other libraries that its kernels call."""
    renamed = KERNELS.replace("FACTORS =", '__name__ = "fem_mbd.of_test_helper"\nFACTORS =')
    assert digested(HELPER, renamed)[0] != digested(HELPER, KERNELS)[0]
    calling = KERNELS.replace("return SCALE *", "return helper.elsewhere(x[0]) * SCALE *")
    assert calling != KERNELS
    for name in ("before", "after"):  # their files are looked for imports
        monkeypatch.setitem(sys.modules, f"fem_mbd.core.solver.{name}", sys.modules[__name__])
    before, after = (HELPER + ENTRY_ELSEWHERE.replace("before", name) for name in ("before", "after"))
    assert digested(before, calling)[0] != digested(after, calling)[0]


def test_records_are_among_the_origins() -> None:
    """A changed field of a law's record changes all kernels that take one."""
    from fem_mbd.core.compiled.build.digest import kernels_of

    digest = Digest("friction")
    digest.add(kernels_of("friction"))
    assert "fem_mbd.friction.records" in digest.origins()
