"""Kinds of modes (flap backward, tower fore-aft, …) from the shares of motions, also where two shares are nearly equal.

Where modes of two kinds are close in frequency, both may have the largest share in the same kind, as the collective
and forward flap modes of the IEA 15 MW turbine near 0.52 Hz at 0.24 rad/s. By the largest share alone one kind
would be counted twice and the other not at all, and all higher modes of both would have a wrong number. Motions form
groups: a tower bends fore-aft and side-side, blades collectively, backward and forward, and each order of bending has
one mode of each. So a mode whose largest share is of a kind with more modes than others of its group gets another kind
with fewer modes whose share is not much smaller. Two modes then exchange kinds where this gives both larger shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

STANDING = {"flap": ("tilt", "yaw"), "edge": ("horizontal", "vertical"), "torsion": ("cosine", "sine")}
WHIRLS = ("backward", "forward")
NAMING_RATIO = 0.5  # fraction of the largest share, from which another share can name the mode


def kinds_of(shares: Sequence[dict[str, float]], oscillating: Sequence[bool]) -> list[str]:
    """The kind of each mode.

    Parameters
    ----------
    shares : of kinds in each mode, by ascending frequency
    swinging : whether each oscillates; others are not counted
    """
    counts: Counter[str] = Counter()
    kinds = []
    for own, counting in zip(shares, oscillating, strict=True):
        ranked = sorted(own, key=lambda kind: -own[kind])
        kind = ranked[0]
        if counting and counts[kind] and not _has_fewer(kind, counts):
            near = [k for k in ranked[1:] if own[k] >= NAMING_RATIO * own[kind] and _has_fewer(k, counts)]
            kind = near[0] if near else kind
        counts[kind] += counting
        kinds.append(kind)
    return _exchanged(kinds, shares)


def _has_fewer(kind: str, counts: Counter[str]) -> bool:
    """Whether there are fewer modes of a kind than of another of its group."""
    return counts[kind] < max(counts[other] for other in _group(kind))


def _group(kind: str) -> list[str]:
    part, _, motion = kind.rpartition(" ")
    if part == "tower":
        return ["tower fore-aft", "tower side-side"]
    if part not in STANDING:
        return [kind]
    pairs = [WHIRLS, STANDING[part]]
    own = [pair for pair in pairs if motion == "collective" or motion in pair]
    return [kind, f"{part} collective", *(f"{part} {name}" for pair in own for name in pair)]


def _exchanged(kinds: list[str], shares: Sequence[dict[str, float]]) -> list[str]:
    """Kinds, exchanged between two successive modes of one group where that gives both larger shares."""
    found = list(kinds)
    for part in STANDING:
        places = [k for k, kind in enumerate(kinds) if kind.startswith(f"{part} ")]
        for a, b in zip(places[:-1], places[1:], strict=True):
            first, second = found[a], found[b]
            as_is = shares[a][first] + shares[b][second]
            if shares[a].get(second, 0.0) + shares[b].get(first, 0.0) > as_is:
                found[a], found[b] = second, first
    return found
