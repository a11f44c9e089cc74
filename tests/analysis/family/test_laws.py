"""Every law of the package: the response of a mass on a plane to a small push, a run's against the linear model's."""

import pytest

from tests.analysis.family.laws import LAWS, WITHOUT_TANGENT, law_difference

# as asked of frequencies and damping; bonds take the slip at the end of the step: their error of first order is
# extrapolated away with steps of 1/400 and 1/800 of the motion, which leaves the square of 2 pi/800, 6e-5
ALLOWED = 1e-4


@pytest.mark.parametrize("name", [name for name in LAWS if name not in WITHOUT_TANGENT])
def test_a_linear_model_sees_what_a_run_sees(name: str) -> None:
    assert law_difference(LAWS[name]) < ALLOWED
