"""Instants at which states are recorded by runs that do so by the time and not by the number of steps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from fem_mbd.base.validation import finite, positive
from fem_mbd.core.stepping.stops import round_off
from fem_mbd.errors import InputError

MOST = 10_000_000  # instants of one run
RecordAt = float | Sequence[float]  # s: an interval, or instants


def checked_record_at(record_at: RecordAt | None, record_every: int) -> float | tuple[float, ...] | None:
    """What was asked for as plain numbers; InputError for what is neither an interval nor a row of instants (s)."""
    if record_at is None:
        return None
    if record_every != 1:
        raise InputError(
            "record_at and record_every are both given: record by the time or by the number of steps"
        )
    if isinstance(record_at, int | float):
        return positive(record_at, "record_at (an interval in s)")
    try:
        instants = tuple(sorted(finite(time, "record_at: an instant (s)") for time in record_at))
    except TypeError as error:
        raise InputError(
            f"record_at is {record_at!r}: give an interval or a sequence of instants in s"
        ) from error
    if not instants:
        raise InputError(
            "record_at is empty: give an interval or instants in s (quantities=() records no outputs)"
        )
    return instants


class RecordTimes:
    """The instants (s) of a run from ``start`` to ``end`` that ``record_at`` asks for.

    Attributes
    ----------
    times : in order, after the start; with an interval the start plus its multiples
    """

    def __init__(self, record_at: float | tuple[float, ...], start: float, end: float) -> None:
        if isinstance(record_at, tuple):
            self.times = tuple(t for t in record_at if start < t <= end + round_off(end))
            return
        number = (end - start) / record_at * (1 + 1e-12)  # the end counts although a division rounds it down
        if number > MOST:
            raise InputError(
                f"record_at is {record_at:g} s: that makes {number:.3g} records, more than {MOST:g}"
            )
        self.times = tuple(start + k * record_at for k in range(1, int(number) + 1))

    def __contains__(self, time: float) -> bool:
        """Whether a step that ends at this time (s) ends on an instant, but for round-off."""
        room = round_off(time)
        k = bisect_left(self.times, time - room)
        return k < len(self.times) and self.times[k] <= time + room
