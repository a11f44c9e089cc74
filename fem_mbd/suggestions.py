"""Help for mistyped names: the nearest of the names that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Sentence that helps whoever typed `name` wrongly: the nearest candidate, or all of them when none is
    near.
    """
    known = sorted(candidates)
    folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"known names: {', '.join(known)}" if known else "there are none to choose from"
