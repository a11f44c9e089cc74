"""Figure of cross-sections: their meshes, coloured by material or by a value of each element."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.output.figures.plots import new_figure, save, styled

COLUMNS = 3
CORNERS = {3: 3, 4: 4, 6: 3, 8: 4}  # by the number of nodes


def draw_sections(
    meshes: Sequence[Any],
    titles: Sequence[str],
    path: Path,
    values: Sequence[Array] | None = None,
    label: str = "",
    centres: Sequence[dict[str, Array]] = (),
) -> Path:
    """Draw section meshes into ``path`` (PNG) and return it.

    Parameters
    ----------
    meshes : with `points`, `blocks` and `kind_of`, as of `SectionMesh`
    titles : one for each
    path : of the picture
    values : (m,) numbers of the elements of each mesh; by default the numbers of their materials
    label : of the values
    centres : for each mesh, points (2,) m to mark, by name
    """
    from matplotlib.collections import PolyCollection

    with styled():
        columns = min(COLUMNS, len(meshes))
        figure, axes = new_figure(-(-len(meshes) // columns), columns, share_x=False)
        for axis, mesh, title, k in zip(axes.flat, meshes, titles, range(len(meshes)), strict=False):
            colours = np.asarray(mesh.kind_of if values is None else values[k], dtype=float)
            first, shapes = 0, []
            limits = (colours.min(), max(colours.max(), colours.min() + 1e-300))
            for block in mesh.blocks:
                corners = mesh.points[block[:, : CORNERS[block.shape[1]]]][:, :, ::-1] * [1, 1]
                shapes.append(
                    PolyCollection(
                        corners,
                        array=colours[first : first + len(block)],
                        cmap="tab10" if values is None else "viridis",
                        clim=(0, 9) if values is None else limits,
                        edgecolors="0.3" if values is None else "face",
                        linewidths=0.1,
                    )
                )
                axis.add_collection(shapes[-1])
                first += len(block)
            for marker, (name, point) in zip("o^sD", (centres[k] if centres else {}).items(), strict=False):
                axis.plot(point[1], point[0], marker, color="k", markersize=4, fillstyle="none", label=name)
            if centres:
                axis.legend(loc="best")
            axis.autoscale()
            axis.set_aspect("equal", adjustable="datalim")
            axis.set_title(title)
            axis.set_xlabel("y3 [m]")
            axis.set_ylabel("y2 [m]")
            if values is not None:
                figure.colorbar(shapes[0], ax=axis, label=label)
        for axis in axes.flat[len(meshes) :]:
            axis.set_visible(False)
        return save(figure, path)
