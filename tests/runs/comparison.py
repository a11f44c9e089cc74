"""Comparison of two results, bit for bit."""

import numpy as np

from fem_mbd import Result


def assert_same(one: Result, other: Result) -> None:
    """All histories must agree bit for bit, and so must the steps whose outputs are kept."""
    assert np.array_equal(one.output_index, other.output_index)
    for group in ("energy", "step", "outputs"):
        ours, theirs = getattr(one, group), getattr(other, group)
        assert tuple(ours) == tuple(theirs)
        for name in ours:
            assert ours[name].tobytes() == theirs[name].tobytes(), f"{group}/{name}"
