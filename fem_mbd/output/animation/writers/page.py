"""HTML page of an animation: scene, viewer and three.js in one file that needs no network."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

from fem_mbd.output.animation.scene.solids import as_script

FOLDER = files("fem_mbd.output.animation").joinpath("viewer")
SCRIPTS = (
    "three.min.js",
    "quality.js",
    "colours.js",
    "tubes.js",
    "solids.js",
    "plot.js",
    "stage.js",
    "viewer.js",
    "controls.js",
)


def page(scene: dict[str, Any]) -> str:
    """The whole page as text. Names are inserted as data only; the browser is forbidden to load or send anything."""
    filling = {
        "TITLE": escape(scene["title"]),
        "STYLE": _text("style.css"),
        "SCENE": as_script(scene),
        "LICENCE": escape(_text("three.LICENSE")),
        "SCRIPTS": "\n".join(f"<script>\n{_text(name)}</script>" for name in SCRIPTS),
    }
    text = _text("page.html")
    # split at the marks, so that inserted text is not searched for marks again
    parts = text.split("@@")
    return "".join(filling[part] if k % 2 else part for k, part in enumerate(parts))


def _text(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")
