"""Compiled code is kept only as long as no kernel of the package has changed."""

from __future__ import annotations

import pytest
from numba.core.caching import IndexDataCacheFile

from fem_mbd import compiled
from fem_mbd.node_map import node_configuration, variation_maps


def test_the_stamp_of_every_kernel_covers_all_kernels() -> None:
    for function in (node_configuration, variation_maps):
        own, package = function._cache._cache_file._source_stamp
        assert package == compiled.kernels_digest()
        assert own != package


def test_numba_compares_the_stamp_when_it_loads(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {stamp: IndexDataCacheFile(str(tmp_path), "kernel", stamp) for stamp in (("a", 1), ("a", 2))}
    files[("a", 1)].save("signature", "machine code")
    assert files[("a", 1)].load("signature") == "machine code"
    assert files[("a", 2)].load("signature") is None


def test_the_digest_sees_every_sub_package() -> None:
    package = compiled.Path(compiled.__file__).parent
    marked = {p.parent.name for p in package.glob("*/*.py") if b"@kernel" in p.read_bytes()}
    assert {"elements", "joints", "friction"} <= marked
