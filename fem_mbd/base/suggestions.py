"""Help for mistyped names: the nearest of the names that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

from fem_mbd.errors import InputError

T = TypeVar("T")


class Named(dict[str, T]):
    """Things by name; a name that is not there is an InputError with the nearest one that is.

    Parameters
    ----------
    what : a name stands for, for messages
    things : by name
    """

    def __init__(self, what: str, things: Mapping[str, T]):
        super().__init__(things)
        self._what = what

    def __missing__(self, name: object) -> T:
        raise InputError(f"there is no {self._what} {name!r}; {nearest(str(name), self)}")


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Sentence that names what was probably meant by a wrong `name`: the nearest candidate, or all of them when none is
    near.
    """
    known = sorted(candidates)
    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"known names: {', '.join(known)}" if known else "there are none to choose from"
