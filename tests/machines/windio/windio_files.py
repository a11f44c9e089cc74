"""A small windIO file: what the reader uses of windIO's example of the IEA 15 MW turbine, at a few stations."""

from pathlib import Path
from typing import Any

import numpy as np

EXAMPLE = Path("examples", "turbine", "IEA-15-240-RWT.yaml")
GRID = [0.0, 0.3, 0.7, 1.0]
# not needed by windIO's schema, nor by the reader
UNUSED = {
    "": ("control", "materials", "airfoils"),
    "components": ("monopile",),
    "components.blade.structure": ("webs", "joint", "root"),
    "components.tower.structure": ("layers", "outfitting_factor"),
    "components.drivetrain": ("lss", "hss", "nose", "bedplate", "other_components"),
}
# needed by the schema only
FIRST = {"components.blade.structure": ("layers", "anchors"), "components.blade.outer_shape": ("airfoils",)}


def write_turbine(folder: Path, old: str = "", new: str = "") -> Path:
    """Write the file, with ``new`` for the first ``old`` of its text, and return its path."""
    import windIO

    turbine = windIO.load_yaml(Path(windIO.__file__).parent / EXAMPLE)
    for place, names in UNUSED.items():
        for name in names:
            del _at(turbine, place)[name]
    for place, names in FIRST.items():
        for name in names:
            del _at(turbine, place)[name][1:]
    path = folder / "turbine.yaml"
    windIO.write_yaml(_thinned(turbine), str(path))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


def _at(tree: dict[str, Any], place: str) -> dict[str, Any]:
    for word in place.split(".") if place else ():
        tree = tree[word]
    return tree


def _thinned(value: Any) -> Any:
    """Tables over a grid at a few stations."""
    if not isinstance(value, dict):
        return [_thinned(each) for each in value] if isinstance(value, list) else value
    grid = value.get("grid")
    if not isinstance(grid, list):
        return {key: _thinned(each) for key, each in value.items()}
    number = len(grid)
    return {
        key: np.interp(GRID, grid, each).tolist() if isinstance(each, list) and len(each) == number else each
        for key, each in value.items()
    } | {"grid": GRID}
