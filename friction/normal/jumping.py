"""Jump-in and jump-off of adhesive contacts: they close at one gap and open at a larger one.

A law with adhesion of elastic bodies has a branch of equilibria that reaches from the depth to the gap ``reach``.
Bodies that come near jump onto it at the gap ``touch``, those that part fall off it at ``reach``. V is the energy of
the branch, zero for bodies apart: below zero at ``touch`` and above zero at ``reach``, so that both jumps lose energy
(to waves).

In a step the force is the mean over that part of the path on which the bodies hold each other; the elastic force is the
one whose work is the change of the stored energy. Both are the same unless the step jumps.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel


@kernel
def held_after(held: bool, touch: float, reach: float, q_f: float) -> bool:
    """Whether the bodies hold each other at the end of a step, at the gap ``q_f``; ``held``: at its start."""
    return q_f < touch or (held and q_f < reach)


@kernel
def held_path(
    held: bool, touch: float, reach: float, q_i: complex, q_f: complex
) -> tuple[complex, complex, complex]:
    """Gaps (m) between which the bodies hold each other in a step that begins or ends so, and its share of the path."""
    none = 0.0 * (q_i + q_f)
    if not held:
        return touch + none, q_f + none, (touch - q_f) / (q_i - q_f)
    if q_f.real < reach:
        return q_i + none, q_f + none, 1.0 + none
    return q_i + none, reach + none, (reach - q_i) / (q_f - q_i)
