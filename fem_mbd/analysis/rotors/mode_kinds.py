"""Kinds of modes from the shares of motions in them, where two motions have nearly equal parts.

Where modes of two kinds come close in frequency both may have the larger part of the same kind, as a blade's collective
and forward flap modes near 0.52 Hz of the IEA 15 MW turbine at 0.24 rad/s. Taken by the largest share alone one kind
would be counted twice and the other not, and all higher modes of both would bear a wrong number. Motions come in
groups: a tower bends fore-aft and side-side, blades collectively, backward and forward, and each order of bending has
one mode of each. So a mode whose largest share is of a kind that has had its turn is of another kind that is behind in
its group and has a share not much smaller. Two modes then trade kinds where both have larger shares so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

STANDING = {"flap": ("tilt", "yaw"), "edge": ("horizontal", "vertical"), "torsion": ("cosine", "sine")}
WHIRLS = ("backward", "forward")
NEARLY = 0.5  # of the largest share: another that can name the mode


def kinds_of(shares: Sequence[dict[str, float]], swinging: Sequence[bool]) -> list[str]:
    """The kind of each mode.

    Parameters
    ----------
    shares : of kinds in each mode, by ascending frequency
    swinging : whether each swings; others are not counted
    """
    counts: Counter[str] = Counter()
    kinds = []
    for own, counting in zip(shares, swinging, strict=True):
        ranked = sorted(own, key=lambda kind: -own[kind])
        kind = ranked[0]
        if counting and counts[kind] and not _behind(kind, counts):
            near = [k for k in ranked[1:] if own[k] >= NEARLY * own[kind] and _behind(k, counts)]
            kind = near[0] if near else kind
        counts[kind] += counting
        kinds.append(kind)
    return _traded(kinds, shares)


def _behind(kind: str, counts: Counter[str]) -> bool:
    """Whether there have been fewer modes of a kind than of another of its group."""
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


def _traded(kinds: list[str], shares: Sequence[dict[str, float]]) -> list[str]:
    """Kinds, with those of two modes in succession of one part exchanged where that gives them larger shares."""
    found = list(kinds)
    for part in STANDING:
        places = [k for k, kind in enumerate(kinds) if kind.startswith(f"{part} ")]
        for a, b in zip(places[:-1], places[1:], strict=True):
            first, second = found[a], found[b]
            as_is = shares[a][first] + shares[b][second]
            if shares[a].get(second, 0.0) + shares[b].get(first, 0.0) > as_is:
                found[a], found[b] = second, first
    return found
