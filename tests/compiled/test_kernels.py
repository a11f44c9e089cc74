"""Compiled code belongs to one state of the package, and processes that compile side by side do not mix theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba

from fem_mbd.compiled.storage import cache
from fem_mbd.scheme.nodes.node_map import node_configuration, variation_maps
from tests.running.fake_runs import ROOT


def output_of(program: str, *arguments: str, **environment: str) -> str:
    """What a Python process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True,
        env={**os.environ, **environment}, cwd=ROOT,
    )  # fmt: skip
    return done.stdout


def test_kernels_are_kept_in_a_folder_named_by_the_digest_of_all() -> None:
    name = cache.PREFIX + cache.kernels_digest()
    for function in (node_configuration, variation_maps):
        assert name in Path(function.stats.cache_path).parts
    assert name not in vars(numba.config)["CACHE_DIR"]  # other packages keep their own folder


ONE_KERNEL = """
import fcntl
from unittest import mock
from numba.core.caching import IndexDataCacheFile
from fem_mbd.compiled import kernel
from fem_mbd.compiled.storage.cache import cache_folder

@kernel
def inner(x): return x + 1
@kernel
def outer(x): return 2 * inner(x)

save = IndexDataCacheFile.save
def watched(self, key, data):
    with open(cache_folder() / "saving") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("saved under the lock:", self._index_name.split("-")[0])
    save(self, key, data)

with mock.patch.object(IndexDataCacheFile, "save", watched):
    print(outer(1.0), outer(2))
with open(cache_folder() / "saving") as handle:
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
print("free again")
"""


def test_one_process_at_a_time_stores_code(tmp_path: Path) -> None:
    """numba numbers its files: two that store at once would take the same number."""
    program = tmp_path / "one_kernel.py"
    program.write_text(ONE_KERNEL)
    run = f"import runpy; runpy.run_path({str(program)!r}, run_name='one_kernel')"
    said = output_of(run, NUMBA_CACHE_DIR=str(tmp_path))
    assert said.splitlines() == [
        *(f"saved under the lock: one_kernel.{name}" for name in ("inner", "outer") * 2), "4.0 6", "free again",
    ]  # fmt: skip
    assert output_of(run, NUMBA_CACHE_DIR=str(tmp_path)).splitlines() == ["4.0 6", "free again"]


CONSTANTS = """
from fem_mbd.compiled import kernel

@kernel
def power(x, n):
    result = 1.0
    for _ in range(n):
        result *= x
    return result

@kernel
def square_and_cube(x): return power(x, 2) + power(x, 3)

print(square_and_cube(2.0), power.signatures)
"""


def test_a_kernel_is_not_compiled_for_every_constant_that_it_is_called_with(tmp_path: Path) -> None:
    program = tmp_path / "constants.py"
    program.write_text(CONSTANTS)
    run = f"import runpy; runpy.run_path({str(program)!r}, run_name='constants')"
    assert output_of(run, NUMBA_CACHE_DIR=str(tmp_path)).strip() == "12.0 [(float64, int64)]"


CALLED_LATER = """
import sys
import numpy as np
from fem_mbd.compiled import kernel

@kernel
def inner(x):
    sums = np.zeros(2)
    sums[0] += x
    return sums[0] + sums[1]

@kernel
def outer(x): return 2 * inner(x)

if sys.argv[1] == "inner":
    print(inner(1.5), "numba" in sys.modules)
else:
    print(outer(1.5), "numba" in sys.modules and sum(inner.stats.cache_hits.values()))
"""


def test_kept_code_is_linked_by_callers_that_are_compiled_later(tmp_path: Path) -> None:
    """A process links a kernel without numba; one that compiles a caller reads what numba links with it."""
    program = tmp_path / "called_later.py"
    program.write_text(CALLED_LATER)

    def said(which: str) -> str:
        run = f"import runpy; runpy.run_path({str(program)!r}, run_name='called_later')"
        return output_of(run, which, NUMBA_CACHE_DIR=str(tmp_path)).strip()

    assert said("inner") == "1.5 True"  # compiled
    assert said("inner") == "1.5 False"  # linked
    assert said("outer") == "3.0 1"  # compiled, with what was read
    assert said("outer") == "3.0 False"  # linked alone


ONLY_WHAT_IS_ASKED_FOR = """
import sys
from fem_mbd.compiled import kernel

@kernel
def _inner(x): return x + 1
@kernel
def outer(x): return 2 * _inner(x)

def state(function):
    return [(len(found.library.entries), found.library.generated) for found in function.overloads.values()]

if sys.argv[1] == "outer":
    print(outer(1.5), state(outer), state(_inner))
print(_inner.dispatcher(1.5), state(_inner), sum(_inner.stats.cache_hits.values()))
"""


def test_a_kernel_gets_machine_code_and_an_entry_for_python_when_they_are_asked_for(tmp_path: Path) -> None:
    program = tmp_path / "asked_for.py"
    program.write_text(ONLY_WHAT_IS_ASKED_FOR)

    def said(which: str) -> list[str]:
        run = f"import runpy; runpy.run_path({str(program)!r}, run_name='asked_for')"
        return output_of(run, which, NUMBA_CACHE_DIR=str(tmp_path)).splitlines()

    assert said("outer") == ["5.0 [(2, True)] [(1, False)]", "2.5 [(2, True)] 0"]
    assert said("inner") == ["2.5 [(2, True)] 1"]  # read, with the entry


LINKED_ONCE = """
from fem_mbd.compiled import kernel

@kernel
def _inner(x): return x + 1
@kernel
def _middle(x): return 3 * _inner(x)
@kernel
def _outer(x): return 2 * _inner(x) + _middle(x)
@kernel
def called(x): return _outer(x)

print(called(1.5))
for one in (_inner, _middle, _outer):
    (found,) = one.overloads.values()
    print(found.library.linked)
"""


def test_a_callee_that_another_one_brings_is_linked_once(tmp_path: Path) -> None:
    program = tmp_path / "linked_once.py"
    program.write_text(LINKED_ONCE)
    run = f"import runpy; runpy.run_path({str(program)!r}, run_name='linked_once')"
    value, inner, middle, outer = map(float, output_of(run, NUMBA_CACHE_DIR=str(tmp_path)).split())
    # every kernel links numba's runtime, as the inner one does
    assert value == 12.5 and middle == inner + 1 + inner and outer == inner + 1 + middle


def test_folders_of_old_versions_go_unless_a_process_uses_them(tmp_path: Path) -> None:
    folders = [tmp_path / f"{cache.PREFIX}{k}" for k in range(cache.KEPT + 3)]
    for age, folder in enumerate(folders):
        folder.mkdir()
        (folder / "in_use").touch()
        os.utime(folder, (1e9 - age, 1e9 - age))
    importing = "from pathlib import Path; from fem_mbd.compiled.storage.cache import claimed"
    hold = f"{importing}; claimed(Path({str(folders[-1])!r}));"
    with subprocess.Popen(
        [sys.executable, "-c", hold + "print('held', flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    ) as other:  # fmt: skip
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        os.utime(folders[-1], (1e8, 1e8))
        own = cache.claimed(tmp_path / f"{cache.PREFIX}own")
        other.communicate("\n")
    left = sorted(folder.name for folder in tmp_path.iterdir())
    assert left == sorted(f.name for f in [own, *folders[: cache.KEPT], folders[-1]])


WHERE = """
import os, sys, warnings
os.environ.pop("NUMBA_CACHE_DIR", None)
from fem_mbd.compiled.storage import cache
lasting = {lasting}
cache._lasting_bases = lambda: iter(lasting)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import fem_mbd.compiled
    folder = cache.cache_folder(), cache.cache_folder()
print(folder[0].parent)
print(*[w.message for w in said], sep="\\n")
"""


def test_without_a_folder_that_lasts_code_is_kept_in_a_private_temporary_one_and_that_is_said_once(
    tmp_path: Path,
) -> None:
    blocked = tmp_path / "a file"
    blocked.touch()
    program = "from pathlib import Path\n" + WHERE.format(lasting=f"[Path({str(blocked)!r})]")
    folder, *said = output_of(program, TMPDIR=str(tmp_path)).splitlines()
    assert Path(folder) == tmp_path / f"{cache.PREFIX}user-{os.getuid()}"
    assert Path(folder).stat().st_mode & 0o77 == 0
    assert len(said) == 1 and f"compiled code is kept in {folder}" in said[0]
    Path(folder).chmod(0o755)  # others could have put code there
    assert Path(output_of(program, TMPDIR=str(tmp_path)).splitlines()[0]) != Path(folder)


STRAINS = """
import sys
import numpy as np
from fem_mbd.elements.beam.kernels import beam_dtype, section_state
for nodes in map(int, sys.argv[1:]):
    beams = np.zeros(1, dtype=beam_dtype(nodes))
    beams["nodes"], beams["shape"] = np.arange(nodes), 1.0 / nodes
    beams["slope"], beams["stiffness"] = np.arange(nodes) - (nodes - 1) / 2, np.eye(6)
    q = np.zeros((nodes, 4, 3))
    q[:, 0, 0], q[:, 1:] = np.arange(nodes), np.eye(3)
    strain, force = np.zeros((nodes - 1, 6)), np.zeros((nodes - 1, 6))
    section_state(beams, q, strain, force)
    print(nodes, strain[:, 0].tolist())
"""


def test_code_kept_by_several_processes_meets_in_one(tmp_path: Path) -> None:
    """Beams of three and of four nodes, compiled by two processes in the same order of things, loaded by a third."""

    def strains(*nodes: str) -> str:
        return output_of(STRAINS, *nodes, NUMBA_CACHE_DIR=str(tmp_path))

    apart = [strains("3"), strains("4")]
    assert "".join(apart) == strains("3", "4")
    # x = node number and slope s - mean: the sum of squares about the mean
    assert "3 [2.0" in apart[0] and "4 [5.0" in apart[1]


def test_the_digest_sees_every_file_with_kernels() -> None:
    """Counted from the folders of the checkout itself, not through the package's links."""
    marked = {
        path.name
        for top in ("fem_mbd", "elements", "joints", "friction")
        for path in (ROOT / top).rglob("*.py")
        if b"\n@kernel" in path.read_bytes()
    }
    package = cache.PACKAGE
    seen = {p.name for p in map(Path, cache.package_files(str(package))) if b"\n@kernel" in p.read_bytes()}
    assert seen == marked and len(seen) > 30


def test_a_kernel_two_levels_down_changes_the_digest(tmp_path: Path) -> None:
    """The package holds folders in folders; a search one level deep would keep code of an older version."""
    deep = tmp_path / "linked" / "room"
    deep.mkdir(parents=True)
    (deep / "law.py").write_text("")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "part").symlink_to(tmp_path / "linked")
    found = [Path(path).name for path in cache.package_files(str(tmp_path / "package"))]
    assert found == ["law.py"]
