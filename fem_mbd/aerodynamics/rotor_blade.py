"""The blades of a rotor: beams or rigid spans with a layout, and the stations along them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics, cosine_stations
from fem_mbd.aerodynamics.station import STATION
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import unit_vector
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.quadrature import LOBATTO_NODES


@arguments()
@dataclass(frozen=True, eq=False)
class RigidSpan:
    """The straight reference line of a rigid blade, in the place of a beam.

    Parameters
    ----------
    body : the rigid body, or its node
    start, end : (3,) m, root and tip, global axes, reference configuration
    suction : (3,) direction of the suction side, which is made normal to the line
    name : shown in messages

    Raises
    ------
    InputError
        For a line without length, or along the direction of the suction side.
    """

    body: Any
    start: Any
    end: Any
    suction: Any
    _: KW_ONLY
    name: str = "rigid blade"

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            object.__setattr__(
                self, name, array(getattr(self, name), (3,), f"{self.name}: {name} of the span (m)")
            )
        along = unit_vector(self.end - self.start, f"{self.name}: span")
        up = array(self.suction, (3,), f"{self.name}: suction")
        up = unit_vector(up - (up @ along) * along, f"{self.name}: suction, normal to the span")
        object.__setattr__(self, "suction", up)

    @property
    def node(self) -> Node:
        """Of the body."""
        node: Node = self.body if isinstance(self.body, Node) else self.body.node
        return node

    @property
    def nodes(self) -> list[Node]:
        """The node of the body."""
        return [self.node]

    @property
    def axes(self) -> Array:
        """(3, 3) rows are the section axes, global axes."""
        along = (self.end - self.start) / self.length
        return np.array([along, self.suction, np.cross(along, self.suction)])

    @property
    def length(self) -> float:
        """m."""
        return float(np.linalg.norm(self.end - self.start))


@arguments()
@dataclass(frozen=True, eq=False)
class RotorBlade:
    """A blade of `RotorLoads`.

    Parameters
    ----------
    beam : its handle, or the span of a rigid blade
    aerodynamics : over the length of the beam
    """

    beam: BeamHandle | RigidSpan
    aerodynamics: BladeAerodynamics

    @property
    def length(self) -> float:
        """m."""
        return self.beam.length if isinstance(self.beam, RigidSpan) else self.beam.line.length

    @property
    def bounds(self) -> Array:
        """(elements + 1,) fractions of the length where elements begin and end."""
        return np.array([0.0, 1.0]) if isinstance(self.beam, RigidSpan) else self.beam.bounds

    def places(self, element: int, centre: Array) -> tuple[list[int], Array, Array]:
        """Nodes of an element, its points from their mass centres (k, 3) in node axes, node to section axes (3, 3).

        Parameters
        ----------
        element : its number
        centre : (nodes, 3) m, mass centres from the nodes, node axes
        """
        beam = self.beam
        if isinstance(beam, RigidSpan):
            arms = (np.array([beam.start, beam.end]) - beam.node.position) @ beam.node.rotation
            turn = beam.axes @ beam.node.rotation
            return [beam.node.index] * 2, arms - centre[beam.node.index], turn
        nodes = [beam.nodes[k].index for k in beam.elements[element]]
        return nodes, -centre[nodes], beam.offset_rotation

    def tip(self, centre: Array) -> tuple[int, Array]:
        """Node at the tip, and the tip from its mass centre (3,), node axes; centre as of `places`."""
        nodes, arms, _ = self.places(len(self.bounds) - 2, centre)
        return nodes[-1], arms[-1]


def blade_stations(blade: RotorBlade, count: int, angle_at: float) -> tuple[Any, Array]:
    """Records of a blade's stations, elements counted from that of its root, and their places along it, m.

    Parameters
    ----------
    blade : the blade
    count : of stations
    angle_at : fraction of the chord at which the angle of attack is taken
    """
    aero = blade.aerodynamics
    length, bounds = blade.length, blade.bounds
    end = min(float(aero.span[-1]), length)
    middle, lengths = cosine_stations(count, float(aero.span[0]), end)
    stations: Any = np.zeros(count, dtype=STATION)
    chord, twist, centre = aero.at(middle)
    stations["chord"], stations["length"], stations["centre"] = chord, lengths, centre
    stations["twist"] = np.stack([np.cos(twist), np.sin(twist)], axis=1)
    offset = (angle_at - 0.25) * chord  # along the chord, towards the trailing edge
    stations["control"] = centre + offset[:, None] * np.stack([np.sin(twist), np.cos(twist)], axis=1)
    s = middle / length
    number = np.clip(np.searchsorted(bounds, s, side="right") - 1, 0, len(bounds) - 2)
    stations["element"] = number
    nn = 2 if isinstance(blade.beam, RigidSpan) else blade.beam.elements.shape[1]
    xi = 2.0 * (s - bounds[number]) / (bounds[number + 1] - bounds[number]) - 1.0
    at = LOBATTO_NODES[nn]
    for k in range(nn):
        others = np.delete(at, k)
        stations["shape"][:, k] = np.prod((xi[:, None] - others) / (at[k] - others), axis=1)
    return stations, middle
