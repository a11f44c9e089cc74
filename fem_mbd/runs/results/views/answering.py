"""Which view shows which part, and what a whole model has: its momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.beam import BeamView
from fem_mbd.runs.results.views.joint import JointView
from fem_mbd.runs.results.views.node import NodeView
from fem_mbd.runs.results.views.part import PartView
from fem_mbd.runs.results.views.part_table import NODE, Entry
from fem_mbd.runs.results.views.states import States, not_recorded, taken

VIEWS: dict[str, type[PartView]] = {"beam": BeamView, "joint": JointView, NODE: NodeView}


class Answering(States):
    """States that answer by part."""

    def of(self, what: Any) -> Any:
        """What was found of a part: give its handle or name, a node, a point, or several of one kind in a list.

        Raises
        ------
        InputError
            When no part has this name; the nearest one is named.
        """
        entry = self.table.find(what)
        return VIEWS.get(entry.view, PartView)(self, entry)

    @property
    def momentum(self) -> Array:
        """(…, 3) kg m/s of all bodies and beams, global axes."""
        mass, _, v, _ = self._inertial()
        return np.einsum("n,...ni->...i", mass, v)

    def angular_momentum(self, about: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """(…, 3) kg m^2/s of all bodies and beams about a point (3,) that stands still, global axes."""
        point = np.asarray(about, dtype=float)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise InputError(f"angular_momentum: about is {about!r}: give three finite numbers")
        mass, u, v, own = self._inertial()
        return np.asarray(np.einsum("n,...ni->...i", mass, np.cross(u - point, v)) + own.sum(axis=-2))

    def _inertial(self) -> tuple[Array, Array, Array, Array]:
        """Mass (n,), place and velocity of the mass centre and moment of momentum about it of every node with mass."""
        described = self.table.model["nodes"]
        heavy = [k for k, node in enumerate(described) if "mass" in node]
        mass, centre, inertia = (
            np.array([described[k][what] for k in heavy]) for what in ("mass", "centre", "inertia")
        )
        nodes = NodeView(self, Entry("all nodes", NODE, (), np.array(heavy, dtype=np.int64), several=True))
        r, omega = nodes.rotation_matrix, nodes.angular_velocity_in_body
        arm = np.einsum("...nij,nj->...ni", r, centre)
        spin = np.einsum("...nij,...nj->...ni", r, omega)
        own = np.einsum("...nij,njk,...nk->...ni", r, inertia, omega)
        return mass, nodes.position + arm, nodes.velocity + np.cross(spin, arm), own


class OneState(Answering):
    """One state without a history, such as an equilibrium: its outputs by name."""

    def __init__(self, table: Any, outputs: dict[str, Any], time: float) -> None:
        self.table, self._outputs, self.times = table, outputs, np.array(time)

    def values(self, output: Any, quantity: Any, rows: Indices) -> Any:
        if output.name not in self._outputs:
            raise not_recorded(output.name, tuple(self._outputs))
        return taken(self._outputs[output.name][rows], output, quantity)
