"""A process that finds machine code links it without numba; what it finds damaged, old or unfit it does not use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.running.fake_runs import ROOT

KERNELS = """
import sys
import numpy as np
from fem_mbd.compiled import kernel

@kernel
def scaled(record, rows, factor, turn):
    if factor < 0.0:
        raise ValueError("a negative factor")
    if turn:
        factor = -factor
    copy = rows.copy()
    for i in range(rows.shape[0]):
        copy[i] = record.mass * factor * rows[i]
    return copy.sum(), rows.shape[0], factor > 0.0

@kernel
def ones(like): return np.ones(3, like.dtype)

record = np.zeros(2, dtype=[("name", "U3"), ("mass", float)])
record["mass"] = 3.0
"""
ALL = """
print(scaled(record[0], np.arange(4.0), 2.0, True), scaled(record[1], np.arange(8.0)[::2], 2.0, False))
print(scaled(record[0], np.arange(4.0), np.float64(1.0), False))
print("numba" in sys.modules)
print(ones(np.ones(1)), ones(np.ones(1, complex)))  # numba makes arrays for Python
try:
    scaled(record[0], np.ones(1), -1.0, False)
except ValueError as error:
    print(error)
"""
ONE = 'print(scaled(record[0], np.arange(4.0), 2.0, True), "numba" in sys.modules)'
FOUND = "(-36.0, 4, False)"


def said(folder: Path, *parts: str) -> list[str]:
    """What a process prints that keeps its code in ``folder``; the same program again is the same file."""
    program, text = folder / "program.py", "".join(parts)
    if not program.exists() or program.read_text() != text:
        program.write_text(text)
    run = f"import runpy; runpy.run_path({str(program)!r}, run_name='program')"
    done = subprocess.run(
        [sys.executable, "-c", run], capture_output=True, text=True, check=True, cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
    )  # fmt: skip
    return done.stdout.splitlines()


def kept(folder: Path) -> list[Path]:
    return list(folder.glob("fem_mbd-*/linked/*"))


def test_records_arrays_numbers_results_constants_and_errors_without_numba(tmp_path: Path) -> None:
    for with_numba in (True, False):
        assert said(tmp_path, KERNELS, ALL) == [
            f"{FOUND} (72.0, 4, True)",
            "(18.0, 4, True)",
            str(with_numba),
            "[1. 1. 1.] [1.+0.j 1.+0.j 1.+0.j]",
            "a negative factor",
        ]
    assert len(kept(tmp_path)) == 5  # `scaled` for float and np.float64 and rows apart, `ones` for two


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[:999], lambda data: data[:-9] + b"damaged!!"]
)
def test_a_damaged_file_is_not_used_and_made_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    assert said(tmp_path, KERNELS, ONE) == [f"{FOUND} True"]
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert said(tmp_path, KERNELS, ONE) == [f"{FOUND} True"]
    assert kept(tmp_path) == [file] and file.read_bytes() == whole
    assert said(tmp_path, KERNELS, ONE) == [f"{FOUND} False"]


def test_code_of_an_edited_kernel_is_not_used(tmp_path: Path) -> None:
    said(tmp_path, KERNELS, ONE)
    doubled = KERNELS.replace("record.mass * factor", "record.mass * 2.0 * factor")
    assert said(tmp_path, doubled, ONE) == ["(-72.0, 4, False) True"]


def test_code_for_another_processor_or_setting_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(tmp_path, KERNELS, ONE)
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert said(tmp_path, KERNELS, ONE) == [f"{FOUND} True"]
    other = "from llvmlite import binding; binding.get_host_cpu_name = lambda: 'z80'\n"
    assert said(tmp_path, KERNELS, other, ONE) == [f"{FOUND} True"]


def test_without_the_files_of_numba_that_are_needed_numba_reads_its_own(tmp_path: Path) -> None:
    moved = "from fem_mbd.compiled.storage import machine_code; machine_code.EXTENSION_SUFFIXES = []\n"
    for _ in range(2):
        assert said(tmp_path, KERNELS, moved, ONE) == [f"{FOUND} True"]


def test_a_folder_that_may_not_be_written_keeps_nothing_and_the_kernel_runs(tmp_path: Path) -> None:
    full = "from fem_mbd.compiled.storage import kept_code\ndef full(*a): raise OSError('no space left')\n"
    full += "kept_code.Path.write_bytes = full\n"
    assert said(tmp_path, KERNELS, full, ONE) == [f"{FOUND} True"]
    assert not kept(tmp_path)
