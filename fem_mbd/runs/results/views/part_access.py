"""Base class for states with views by part (`of`), and momentum of the whole model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.beam import BeamView
from fem_mbd.runs.results.views.part import JointView, NodeView, PartView
from fem_mbd.runs.results.views.part_table import NODE, Entry
from fem_mbd.runs.results.views.states import States, extract_quantity, not_recorded

VIEWS: dict[str, type[PartView]] = {"beam": BeamView, "joint": JointView, NODE: NodeView}


class PartAccess(States):
    """States from which the quantities of a part can be requested by `of`."""

    def of(self, item: Any) -> Any:
        """View of a part: give its handle or name, a node, a point, or several of one kind in a list.

        Raises
        ------
        InputError
            When no part has this name; the message suggests the nearest one.
        """
        entry = self.table.find(item)
        view = VIEWS.get(entry.view, PartView)(self, entry)
        if isinstance(view, BeamView):
            view.section = getattr(item, "section", None) or self.table.sections.get(entry.name)
        return view

    @property
    def momentum(self) -> Array:
        """(…, 3) kg m/s of all bodies and beams, global axes."""
        mass, _, v, _ = self._inertial()
        return np.einsum("n,...ni->...i", mass, v)

    def angular_momentum(self, about: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """(…, 3) kg m^2/s of all bodies and beams about a fixed point (3,), global axes."""
        point = np.asarray(about, dtype=float)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise InputError(f"angular_momentum: about is {about!r}: give three finite numbers")
        mass, u, v, intrinsic = self._inertial()
        return np.asarray(np.einsum("n,...ni->...i", mass, np.cross(u - point, v)) + intrinsic.sum(axis=-2))

    def _inertial(self) -> tuple[Array, Array, Array, Array]:
        """Of every node with mass: mass (n,), position and velocity of the mass centre, angular momentum about it."""
        described = self.table.model["nodes"]
        massive = [k for k, node in enumerate(described) if "mass" in node]
        mass, centre, inertia = (
            np.array([described[k][item] for k in massive]) for item in ("mass", "centre", "inertia")
        )
        nodes = NodeView(self, Entry("all nodes", NODE, (), np.array(massive, dtype=np.int64), several=True))
        r, omega = nodes.rotation_matrix, nodes.angular_velocity_in_body
        arm = np.einsum("...nij,nj->...ni", r, centre)
        spin = np.einsum("...nij,...nj->...ni", r, omega)
        intrinsic = np.einsum("...nij,njk,...nk->...ni", r, inertia, omega)
        return mass, nodes.position + arm, nodes.velocity + np.cross(spin, arm), intrinsic


class SingleState(PartAccess):
    """A single state without a history, such as an equilibrium: its outputs by name."""

    def __init__(
        self, table: Any, outputs: dict[str, Any], time: float, driven: Mapping[str, float] | None = None
    ) -> None:
        self.table, self._outputs, self.times, self.driven = table, outputs, np.array(time), driven or {}

    def values(self, output: Any, quantity: Any, rows: Indices) -> Any:
        if output.name not in self._outputs:
            raise not_recorded(output.name, tuple(self._outputs))
        return extract_quantity(self._outputs[output.name][rows], output, quantity)
