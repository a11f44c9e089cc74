"""Kernels that are compiled when they are called: results, errors, types, code kept on disk, and that it is late."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.compiled import late_example
from tests.running.fake_runs import ROOT


def test_called_from_a_kernel_for_real_and_complex_numbers() -> None:
    values = np.array([1.0, 2.0])
    assert late_example.all_together(1, values, 9.0) == 3.0 + 2.0 + 4.0
    assert values.tolist() == [2.0, 4.0]
    found = late_example.all_together(1, values, 9.0 + 6e-20j)
    assert found.real == 3.0 + 4.0 + 8.0
    assert found.imag == pytest.approx(1e-20, rel=1e-14)  # the derivative of the root is 1/6


def test_an_error_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="root of a negative number"):
        late_example.all_together(1, np.ones(2), -1.0)


def test_called_from_python() -> None:
    assert late_example.root(16.0) == 4.0 and late_example.halves(1.0) == (0.5, 0.5)


PROGRAM = """
import numpy as np
from tests.compiled import late_example as late
print(late.all_together(1, np.ones(2), 16.0))
for kernel in (late.root, late.never_called):
    stats = kernel.compiled.stats
    print(sum(stats.cache_misses.values()), sum(stats.cache_hits.values()))
"""


def test_only_what_is_called_is_compiled_and_it_is_kept_on_disk(tmp_path: Path) -> None:
    for compiled in ("1 0", "0 1"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, cwd=ROOT,
        )  # fmt: skip
        assert done.stdout.splitlines() == ["8.0", compiled, "0 0"]
