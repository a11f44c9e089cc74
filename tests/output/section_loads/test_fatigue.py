"""Tests of rainflow counting and damage-equivalent loads.

ASTM E1049-85 (2017), section 5.4.4 and figure 6: the history A to I of -2, 1, -3, 5, -1, 3, -4, 4, -2 units has half
cycles of ranges 3, 4, 8, 9, 8, 6 and one whole cycle of range 4, so that the ranges 3, 4, 6, 8, 9 are counted 0.5,
1.5, 0.5, 1.0, 0.5 times.
"""

import numpy as np
import pytest

from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.fatigue import count_ranges, damage_equivalent_load
from fem_mbd.output.section_loads.loads import Loads

ASTM = (-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0)
COUNTS = {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


def test_the_standards_example_is_counted_as_it_says() -> None:
    counted = count_ranges(ASTM)
    found = {r: float(counted["count"][counted["range"] == r].sum()) for r in np.unique(counted["range"])}
    assert found == COUNTS
    whole = counted[counted["count"] == 1.0]
    # the whole cycle is E-F, from -1 to 3
    assert whole["range"].tolist() == [4.0] and whole["mean"].tolist() == [1.0]


def test_values_between_reversals_are_not_counted() -> None:
    between = np.interp(np.linspace(0.0, 8.0, 801), np.arange(9.0), ASTM)
    assert np.array_equal(count_ranges(between), count_ranges(ASTM))


def test_damage_of_the_example_by_hand() -> None:
    """m = 3, 60 s at 1 Hz: the sum of n S^3 is 13.5 + 96 + 108 + 512 + 364.5 = 1094."""
    assert damage_equivalent_load(ASTM, 60.0, 3.0) == pytest.approx((1094.0 / 60.0) ** (1 / 3), rel=1e-14)


def test_a_sine_has_its_own_range() -> None:
    """Amplitude a for n periods in T: n ranges 2a, whatever the exponent; at 1 Hz and n = T the load is 2a."""
    t = np.linspace(0.0, 50.0, 50 * 400 + 1)
    y = 7.0 + 3.0 * np.sin(2 * np.pi * t)
    for m in (1.0, 4.0, 10.0):
        # the history begins and ends at the mean: its first and last quarters are smaller ranges
        assert damage_equivalent_load(y, 50.0, m) == pytest.approx(6.0, rel=0.02 / m)
    twice = damage_equivalent_load(y, 50.0, 4.0, frequency=2.0)
    assert twice == pytest.approx(damage_equivalent_load(y, 50.0, 4.0) * 0.5**0.25, rel=1e-12)


def test_large_loads_and_exponents_do_not_overflow() -> None:
    assert damage_equivalent_load(np.array(ASTM) * 1e60, 1.0, 12.0) == pytest.approx(
        damage_equivalent_load(ASTM, 1.0, 12.0) * 1e60, rel=1e-12
    )


def test_a_constant_load_does_no_damage() -> None:
    assert damage_equivalent_load(np.full(5, 2.0), 1.0, 4.0) == 0.0


@pytest.mark.parametrize(
    ("values", "options", "says"),
    [
        ([1.0], {"duration": 1.0, "exponent": 4.0}, "two finite values"),
        ([1.0, np.nan], {"duration": 1.0, "exponent": 4.0}, "two finite values"),
        (ASTM, {"duration": 0.0, "exponent": 4.0}, r"duration \(s\)"),
        (ASTM, {"duration": 1.0, "exponent": -1.0}, "exponent"),
        (ASTM, {"duration": 1.0, "exponent": 4.0, "frequency": 0.0}, r"frequency \(Hz\)"),
    ],
)
def test_bad_input(values: object, options: dict[str, float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        damage_equivalent_load(values, **options)  # type: ignore[arg-type]


def test_mean_and_deviation_are_those_over_time() -> None:
    """Zero for a second, one for three, with instants that crowd at the change: 3/4 and (3/16)^(1/2)."""
    time = np.concatenate([[0.0, 1.0], 1.0 + 1e-9 * np.arange(1, 30), [4.0]])
    loads = Loads(time, {"Fx": np.where(time > 1.0, 1.0, 0.0)}, {"Fx": "N"})
    row = loads.table()[0]
    assert (row["mean"], row["std"]) == pytest.approx((0.75, np.sqrt(3.0) / 4.0), rel=1e-6)
