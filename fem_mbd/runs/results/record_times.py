"""Times at which states are recorded: multiples of an interval, or a given sequence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from fem_mbd.base.validation import finite, positive
from fem_mbd.core.stepping.stops import round_off
from fem_mbd.errors import InputError

MAX_RECORDS = 10_000_000  # number of record times of one run
RecordAt = float | Sequence[float]  # s: an interval, or times


def checked_record_at(record_at: RecordAt | None, record_every: int) -> float | tuple[float, ...] | None:
    """Check `record_at` and convert it to plain numbers; InputError unless it is an interval or a sequence of times
    (s).
    """
    if record_at is None:
        return None
    if record_every != 1:
        raise InputError(
            "record_at and record_every are both given: give one of them, to record by time or by number "
            "of steps"
        )
    if isinstance(record_at, int | float):
        return positive(record_at, "record_at (an interval in s)")
    try:
        instants = tuple(sorted(finite(time, "record_at: a time (s)") for time in record_at))
    except TypeError as error:
        raise InputError(
            f"record_at is {record_at!r}: give an interval or a sequence of times in s"
        ) from error
    if not instants:
        raise InputError(
            "record_at is empty: give an interval or times in s (quantities=() records no outputs)"
        )
    return instants


class RecordTimes:
    """The record times (s) of a run from ``start`` to ``end``.

    Attributes
    ----------
    times : in order, after the start; for an interval the start plus its multiples
    """

    def __init__(self, record_at: float | tuple[float, ...], start: float, end: float) -> None:
        if isinstance(record_at, tuple):
            self.times = tuple(t for t in record_at if start < t <= end + round_off(end))
            return
        number = (
            (end - start) / record_at * (1 + 1e-12)
        )  # include the end although division may round it down
        if number > MAX_RECORDS:
            raise InputError(
                f"record_at is {record_at:g} s: that makes {number:.3g} records, more than {MAX_RECORDS:g}"
            )
        self.times = tuple(start + k * record_at for k in range(1, int(number) + 1))

    def __contains__(self, time: float) -> bool:
        """Whether a step ending at this time (s) ends on a record time, up to round-off."""
        room = round_off(time)
        k = bisect_left(self.times, time - room)
        return k < len(self.times) and self.times[k] <= time + room
