"""Runs as moving pictures: one page for a browser (`animate`), built from a scene of recorded states.

What a page shows and how to read it: docs/how-to/animation.md.
"""

from fem_mbd.output.animation.animate import Animation, animate

__all__ = ["Animation", "animate"]
