"""Building blocks of friction laws compared with each other."""

from typing import Any

import numpy as np
import pytest

from fem_mbd.friction.blocks import slide, slide_along, spring_along

CAP = 1e-5


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("far", [0.1, 0.9, 1.0, 1.5])
@pytest.mark.parametrize("path", [1e-3, 0.5, 3.0, 100.0])
def test_a_springs_part_along_a_vector_is_that_of_its_path(kind: Any, far: float, path: float) -> None:
    """Within the cap, sliding, beyond the cap at first, and far behind it, to and fro; derivatives too."""
    random = np.random.default_rng(7)
    for _ in range(20):
        z, s, along = random.normal(size=(3, 3))
        z, s = far * CAP * z / np.linalg.norm(z), path * CAP * s / np.linalg.norm(s)
        z, s, along = z.astype(kind), s.astype(kind), along.astype(kind)
        if kind is complex:
            z, s = z + 1e-40j * random.normal(size=3), s + 1e-40j * random.normal(size=3)
        z_f, elastic, plastic, spring = (np.empty(n, kind) for n in (3, 3, 3, 4))
        slide(z, s, kind(CAP), 0.5, z_f, elastic, plastic)
        spring_along(z, kind(CAP), along, spring)
        found, expected = slide_along(z @ s, s @ s, s @ along, spring), (elastic + plastic) @ along
        assert found.real == pytest.approx(expected.real, rel=1e-12, abs=1e-12 * CAP)
        assert found.imag == pytest.approx(expected.imag, rel=1e-9, abs=1e-51)
