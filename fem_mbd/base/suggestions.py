"""Suggestions for mistyped names: the most similar of the names that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

from fem_mbd.errors import InputError

T = TypeVar("T")


class Named(dict[str, T]):
    """Dictionary by name; an unknown name raises an InputError that suggests the most similar one.

    Parameters
    ----------
    what : kind of the entries, for messages
    things : entries by name
    """

    def __init__(self, what: str, things: Mapping[str, T]):
        super().__init__(things)
        self._what = what

    def __missing__(self, name: object) -> T:
        raise InputError(f"there is no {self._what} {name!r}; {nearest(str(name), self)}")


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Sentence that suggests the candidate most similar to a wrong `name`, or lists all when none is similar."""
    known = sorted(candidates)
    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"known names: {', '.join(known)}" if known else "there are none to choose from"
