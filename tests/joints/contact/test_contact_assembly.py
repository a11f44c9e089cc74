"""The loops over contacts: one text, a compiled copy for each shape."""

from __future__ import annotations

from fem_mbd.joints.contact import clearance_kernels, contact_kernels, spatial_clearance_kernels

SHAPES = (clearance_kernels, contact_kernels, spatial_clearance_kernels)


def test_each_shape_has_loops_over_its_own_contact() -> None:
    for shape in SHAPES:
        for loop in (shape.residual, shape.tangent):
            assert loop.py_func.__globals__["contact_rows"] is shape.contact_rows


def test_their_machine_code_is_kept_apart() -> None:
    loops = [loop for shape in SHAPES for loop in (shape.residual, shape.tangent)]
    assert len({loop._cache._cache_file._index_path for loop in loops}) == len(loops)
