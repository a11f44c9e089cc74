"""Animations of runs, modes and buckling shapes: an HTML page for any browser, glTF files, films.

`animate` builds a scene from recorded states. Contents of a page and how to read it: docs/how-to/animation.md.
"""

from fem_mbd.output.animation.animate import Animation, animate

__all__ = ["Animation", "animate"]
