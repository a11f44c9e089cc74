"""Snap-in and separation of bodies with adhesion: contact closes at one gap and opens at a larger one.

The equilibria of elastic bodies with adhesion form a branch that extends up to the gap ``reach``. Approaching bodies
snap onto it at the gap ``touch``; separating bodies leave it at ``reach``. V is the energy of the branch, zero for
separate bodies: negative at ``touch`` and positive at ``reach``, so both jumps dissipate energy (by waves).

In a step the force is the mean over the part of the path on which the bodies adhere; the work of the elastic force is
the change of the stored energy. Both are the same unless the step contains a jump.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel


@kernel
def adheres_after(held: bool, touch: float, reach: float, q_f: float) -> bool:
    """Whether the bodies adhere at the end of a step, at the gap ``q_f``; ``held``: at its start."""
    return q_f < touch or (held and q_f < reach)


@kernel
def adhesion_path(
    held: bool, touch: float, reach: float, q_i: complex, q_f: complex
) -> tuple[complex, complex, complex]:
    """Gaps (m) between which the bodies adhere in a step that begins or ends so, and their fraction of the path."""
    none = 0.0 * (q_i + q_f)
    if not held:
        return touch + none, q_f + none, (touch - q_f) / (q_i - q_f)
    if q_f.real < reach:
        return q_i + none, q_f + none, 1.0 + none
    return q_i + none, reach + none, (reach - q_i) / (q_f - q_i)
