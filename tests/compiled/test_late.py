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
import sys
import numpy as np
from fem_mbd.compiled.storage.cache import cache_folder
from tests.compiled import late_example as late
print(late.all_together(1, np.ones(2), 16.0), "numba" in sys.modules)
kept = (file.name.split("-")[0].split(".") for file in (cache_folder() / "linked").iterdir())
print(*sorted(name for *module, name in kept if module[-1] == "late_example"))
"""


def test_only_what_is_called_is_compiled_and_a_process_that_finds_it_does_without_numba(
    tmp_path: Path,
) -> None:
    for with_numba in (True, False):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, cwd=ROOT,
        )  # fmt: skip
        assert done.stdout.splitlines() == [f"8.0 {with_numba}", "all_together double halves parts root"]
