"""Size of the next step, compiled: kernels that `StepSizes` and the compiled time loop share.

The decisions so far are a record of dtype `SIZES`. Numbers in it say which rule or limit decided; `StepSizes` has their
names. Times and sizes in s.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, indices, int64, record, vector, void
from fem_mbd.core.model.time_functions.kernels import ROUND_OFF, count_until

INITIAL, GROWTH, DT_MAX, DT_MIN, NEWTON_FAILURE, RANGE, FIRST_RULE = range(7)
SIZES_PER_OCTAVE = 4
TOLERANCE = 1e-9  # relative, for round-off in comparisons of sizes
SIZES = np.dtype(
    [
        ("dt_initial", "f8"),
        ("dt_min", "f8"),
        ("dt_max", "f8"),
        ("growth", "f8"),
        ("grid", "f8"),  # sizes are rounded down to this size times 2^(-k/4); 0: no rounding
        ("end", "i8"),  # number of the name "end", of the run
        ("wanted", "f8"),  # size before it is fitted to stops
        ("wanted_by", "i8"),
        ("previous_dt", "f8"),  # of the last accepted step, 0 before the first
        # of the present attempt
        ("start", "f8"),
        ("stop", "f8"),
        ("stop_name", "i8"),
        ("dt", "f8"),  # planned size
        ("rule", "i8"),  # the rule or limit that decided its size
        ("jump", "i8"),  # whether it begins at a jump of a given motion
    ],
    align=True,
)
_STRETCH = 1e-6  # fraction of the step: a shorter remainder before a stop is added to the step
_SHORT_REMAINDER = 0.1  # fraction of the step: a shorter remainder is avoided by two equal steps to the stop


@kernel
def _round_off(time):
    """As `step_control.round_off`."""
    return ROUND_OFF * abs(time)


@kernel
def size_towards(stop, start, wanted, dt_min):
    """Size of a step from ``start``, ``wanted`` or fitted to the stop, and whether the stop has changed it.

    The step ends at the stop or leaves a remainder that is long enough for a step. A remainder below dt_min, or below a
    tenth of the step, is avoided by two equal steps, or by one longer step where half the time to the stop would be
    below dt_min.
    """
    time_left = stop - start
    remainder = time_left - wanted
    if abs(remainder) <= 0.5 * _round_off(stop):
        # exactly, so that equal steps stay equal; end_of_step corrects the difference
        return wanted, True
    if remainder <= _STRETCH * wanted:
        return time_left, True
    if remainder < max(dt_min, _SHORT_REMAINDER * wanted):
        return (0.5 * time_left if 0.5 * time_left >= dt_min else time_left), True
    return wanted, False


@kernel
def end_of_step(stop, start, dt):
    """start + dt, or exactly the stop when the two agree to round-off."""
    end = start + dt
    return stop if abs(end - stop) <= _round_off(stop) else end


@kernel
def rounded(sizes, size):
    """A size rounded down to the grid of allowed sizes, if there is one; ``sizes`` (1,) of dtype SIZES."""
    grid = sizes[0].grid
    if grid == 0.0:
        return size
    k = np.floor(SIZES_PER_OCTAVE * np.log2(size / grid) + TOLERANCE)
    return grid * 2.0 ** (k / SIZES_PER_OCTAVE)


@kernel(void(record(SIZES)[::1], float64, int64))
def set_wanted(sizes, size, name):
    """Set the wanted size, within the limits and on the grid; ``name``: number of the rule that decided."""
    s = sizes[0]
    if size > s.dt_max:
        size, name = s.dt_max, DT_MAX
    size = rounded(sizes, size)
    if size < s.dt_min:
        size, name = s.dt_min, DT_MIN
    s.wanted, s.wanted_by = size, name


@kernel(void(record(SIZES)[::1], vector, float64, boolean))
def choose(sizes, proposals, dt, pause):
    """Choose the size after an accepted step of ``dt``; ``proposals`` (k,) of the rules, ``pause``: no growth."""
    s = sizes[0]
    growth, chosen = (1.0, NEWTON_FAILURE) if pause else (s.growth, GROWTH)
    smallest = max(s.wanted, growth * dt)
    for k in range(proposals.shape[0]):
        if proposals[k] < smallest:
            smallest, chosen = proposals[k], FIRST_RULE + k
    s.previous_dt = dt
    set_wanted(sizes, smallest, chosen)


@kernel(void(record(SIZES)[::1], vector, indices, vector, float64, float64))
def plan_step(sizes, stops, names, jumps, time, t_end):
    """Plan the step from ``time``: the wanted size fitted to the next stop; 0.0 at the end of the run.

    stops, names (n,): times to hit exactly, ascending, and the numbers of their names; jumps (k,): times of jumps.
    """
    s = sizes[0]
    s.start, s.stop, s.stop_name = time, t_end, s.end
    k = count_until(stops, time + _round_off(time))
    if k < stops.shape[0] and stops[k] < t_end - _round_off(t_end):
        s.stop, s.stop_name = stops[k], names[k]
    s.jump = 0
    for jump in jumps:
        if abs(time - jump) <= _round_off(jump):
            s.jump = 1
    if time >= t_end:
        s.dt, s.rule = 0.0, s.end
        return
    wanted, by = s.wanted, s.wanted_by
    if s.jump and s.dt_initial < wanted:
        wanted, by = s.dt_initial, INITIAL
    dt, changed = size_towards(s.stop, time, wanted, s.dt_min)
    s.dt = dt
    s.rule = s.stop_name if changed else by
