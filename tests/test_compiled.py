"""Compiled code is kept only as long as no kernel of the package has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fem_mbd import compiled
from fem_mbd.compiled import KernelFile
from fem_mbd.scheme.node_map import node_configuration, variation_maps
from tests.running.fake_runs import ROOT


def test_the_stamp_of_every_kernel_covers_all_kernels() -> None:
    for function in (node_configuration, variation_maps):
        own, package = function._cache._cache_file._source_stamp
        assert package == compiled.kernels_digest()
        assert own != package


def test_code_of_another_version_is_not_loaded(tmp_path: Path) -> None:
    old, new = (KernelFile(str(tmp_path), "kernel", ("kernel.py", digest)) for digest in ("old", "new"))
    old.save("signature", "old code")
    assert old.load("signature") == "old code"
    assert new.load("signature") is None


def test_versions_compiled_side_by_side_never_get_each_others_code(tmp_path: Path) -> None:
    """Two processes read the index, compile, and write: index of the one, code of the other, in any order."""
    old, new = (KernelFile(str(tmp_path), "kernel", ("kernel.py", digest)) for digest in ("old", "new"))
    old.save("signature", "old code")
    index = (tmp_path / "kernel.nbi").read_bytes()
    new.save("signature", "new code")
    (tmp_path / "kernel.nbi").write_bytes(index)
    assert old.load("signature") is None
    new.save("signature", "new code")
    assert new.load("signature") == "new code"


def test_signatures_have_files_of_their_own(tmp_path: Path) -> None:
    kept = KernelFile(str(tmp_path), "kernel", ("kernel.py", "digest"))
    kept.save("float", "code for float")
    kept.save("complex", "code for complex")
    assert (kept.load("float"), kept.load("complex")) == ("code for float", "code for complex")


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
        done = subprocess.run(
            [sys.executable, "-c", STRAINS, *nodes], capture_output=True, text=True, check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, cwd=ROOT,
        )  # fmt: skip
        return done.stdout

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
    package = Path(compiled.__file__).parent
    seen = {path.name for path in compiled.package_files(package) if b"\n@kernel" in path.read_bytes()}
    assert seen == marked and len(seen) > 30


def test_a_kernel_two_levels_down_changes_the_digest(tmp_path: Path) -> None:
    """The package holds folders in folders; a search one level deep would keep code of an older version."""
    deep = tmp_path / "linked" / "room"
    deep.mkdir(parents=True)
    (deep / "law.py").write_text("")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "part").symlink_to(tmp_path / "linked")
    found = [path.name for path in compiled.package_files(tmp_path / "package")]
    assert found == ["law.py"]
