"""The size of the next step in compiled code: the same kernels serve `StepSizes` and a run without Python.

What has been decided so far is a record of dtype `SIZES`; who decided it are numbers, names of which `StepSizes` knows.
Instants and sizes in s.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, indices, int64, record, vector, void
from fem_mbd.core.model.time_functions.kernels import ROUND_OFF, count_until

INITIAL, GROWTH, DT_MAX, DT_MIN, NEWTON_FAILURE, FIRST_RULE = range(6)
NOTCHES_PER_OCTAVE = 4
HAIR = 1e-9  # relative room for round-off in comparisons of sizes
SIZES = np.dtype(
    [
        ("dt_initial", "f8"),
        ("dt_min", "f8"),
        ("dt_max", "f8"),
        ("growth", "f8"),
        ("grid", "f8"),  # sizes are rounded down to this one times 2^(-k/4); 0: they are not
        ("end", "i8"),  # number of the name of the run's end
        ("wanted", "f8"),  # size without regard to stops
        ("wanted_by", "i8"),
        ("previous_dt", "f8"),  # of the last accepted step, 0 before it
        # of the step being tried
        ("start", "f8"),
        ("stop", "f8"),
        ("stop_name", "i8"),
        ("dt", "f8"),  # as it was aimed
        ("rule", "i8"),  # who decided its size
        ("jump", "i8"),  # whether it begins at a jump of a given motion
    ],
    align=True,
)
_AS_GOOD_AS_FITTING = 1e-6  # of the step: a step this much too short is stretched to the stop
_SLIVER = 0.1  # of the step: a rest shorter than this is avoided by splitting the way to the stop in two


@kernel
def _round_off(time):
    """As `stops.round_off`."""
    return ROUND_OFF * abs(time)


@kernel
def size_towards(stop, start, wanted, dt_min):
    """Size of a step from ``start`` that wants to be ``wanted`` long, and whether the stop has changed it.

    The step ends on the stop or leaves a rest that is worth a step: a rest below dt_min, or below a tenth
    of the step, is avoided by two equal steps, or by one longer one where half the way would be below
    dt_min.
    """
    way = stop - start
    rest = way - wanted
    if abs(rest) <= 0.5 * _round_off(stop):
        # to the bit, so that a run of equal steps stays one; end_of_step takes up the difference
        return wanted, True
    if rest <= _AS_GOOD_AS_FITTING * wanted:
        return way, True
    if rest < max(dt_min, _SLIVER * wanted):
        return (0.5 * way if 0.5 * way >= dt_min else way), True
    return wanted, False


@kernel
def end_of_step(stop, start, dt):
    """start + dt, or the stop itself when that is where the step was aimed."""
    end = start + dt
    return stop if abs(end - stop) <= _round_off(stop) else end


@kernel
def rounded(sizes, size):
    """A size rounded down to the grid, where there is one; ``sizes`` (1,) of dtype SIZES."""
    grid = sizes[0].grid
    if grid == 0.0:
        return size
    notch = np.floor(NOTCHES_PER_OCTAVE * np.log2(size / grid) + HAIR)
    return grid * 2.0 ** (notch / NOTCHES_PER_OCTAVE)


@kernel(void(record(SIZES)[::1], float64, int64))
def want(sizes, size, name):
    """Decide on a size, within the limits and on the grid."""
    s = sizes[0]
    if size > s.dt_max:
        size, name = s.dt_max, DT_MAX
    size = rounded(sizes, size)
    if size < s.dt_min:
        size, name = s.dt_min, DT_MIN
    s.wanted, s.wanted_by = size, name


@kernel(void(record(SIZES)[::1], vector, float64, boolean))
def choose(sizes, proposals, dt, pause):
    """Decide on the size after an accepted step of ``dt``; ``proposals`` (k,) of the rules, ``pause``: no growth."""
    s = sizes[0]
    growth, chosen = (1.0, NEWTON_FAILURE) if pause else (s.growth, GROWTH)
    least = max(s.wanted, growth * dt)
    for k in range(proposals.shape[0]):
        if proposals[k] < least:
            least, chosen = proposals[k], FIRST_RULE + k
    s.previous_dt = dt
    want(sizes, least, chosen)


@kernel(void(record(SIZES)[::1], vector, indices, vector, float64, float64))
def aim(sizes, stops, names, jumps, time, t_end):
    """The decided size for a step from ``time``, fitted to the next stop; 0.0 at the end of the run.

    stops, names (n,): instants to hit, ascending, and the numbers of their names; jumps (k,): instants.
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
