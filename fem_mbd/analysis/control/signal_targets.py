"""Nodes and joints to which the names of inputs and outputs refer, on all blades of a rotor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.analysis.control.signal_names import HARMONICS, SignalName
from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import NODE, PartTable

GENERATOR = "generator"  # denotes the joint about which a machine's rotor turns
POSITION_TOLERANCE = 1e-6  # fraction of a beam's length: a position nearer than that to a node is at the node


@dataclass(frozen=True)
class Target:
    """One of the parts of a model to which a name refers: on every blade, or the only one.

    Attributes
    ----------
    name : of the part, without harmonic
    azimuth : rad, of the blade, from the upright position; 0 for the only one
    turn : rad, rotation of its axes about the rotor's axis, from those of blade 1
    """

    name: SignalName
    azimuth: float = 0.0
    turn: float = 0.0


class SignalTargets:
    """Nodes and joints of a linear model by name.

    Parameters
    ----------
    linear : the model
    blades : its multi-blade coordinates, None without
    generator : name of the joint denoted by "generator", "" for none
    """

    def __init__(self, linear: LinearModel, blades: MultiBlade | None, generator: str = ""):
        self.linear, self.blades, self.generator = linear, blades, generator
        self.table = PartTable(linear.system.describe())

    @cached_property
    def _parts(self) -> dict[frozenset[int], list[str]]:
        """Names of all parts by their nodes."""
        names: dict[frozenset[int], list[str]] = {}
        for name in self.table.names:
            names.setdefault(frozenset(map(int, self.table.find(name).nodes)), []).append(name)
        return names

    def is_generator(self, name: SignalName) -> bool:
        """Whether the name refers to the generator of a machine.

        Parameters
        ----------
        name : of an input or output
        """
        return bool(self.generator) and name.part == GENERATOR and GENERATOR not in self.table.names

    def node(self, name: SignalName) -> int:
        """Index of the node to which a name refers.

        Parameters
        ----------
        name : of a node or a body, or of a beam with the position of one of its nodes

        Raises
        ------
        InputError
            For anything else.
        """
        entry = self.table.find(name.part)
        if entry.view == NODE:
            self._refuse_position(name)
            return int(entry.nodes[0])
        if entry.view != "beam":
            raise InputError(
                f"'{name}': '{name.part}' is not a node, body or beam, which {name.quantity} needs"
            )
        at = SingleState(self.table, {}, 0.0).of(name.part).nodes_at
        if name.at is None:
            raise InputError(
                f"'{name}': '{name.part}' is a beam: add the position, e.g. {name.part}@1.{name.quantity}"
            )
        nearest = int(np.argmin(np.abs(at - name.at)))
        if abs(at[nearest] - name.at) > POSITION_TOLERANCE:
            nearby = ", ".join(f"{s:.6g}" for s in sorted(at, key=lambda s: abs(s - name.at))[:2])
            raise InputError(
                f"'{name}': beam '{name.part}' has no node at {name.at:g}; the next ones are at {nearby}"
            )
        return int(entry.nodes[nearest])

    def joint(self, name: SignalName) -> tuple[int, Any]:
        """Index and data of the ideal joint to which a name refers.

        Parameters
        ----------
        name : of the joint

        Raises
        ------
        InputError
            For anything else.
        """
        self.table.find(name.part)
        self._refuse_position(name)
        joints = self.linear.system.joints
        for number, spec in enumerate(joints.specs if joints is not None else ()):
            if spec.name == name.part:
                return number, spec
        raise InputError(f"'{name}': '{name.part}' is not an ideal joint, which {name.quantity} needs")

    def targets(self, name: SignalName) -> list[Target]:
        """The parts to which a name refers: for a harmonic one on every blade.

        Parameters
        ----------
        name : of an input or output

        Raises
        ------
        InputError
            For a harmonic without multi-blade coordinates, or of a part that is not on blade 1, and for a single blade
            of a turning rotor in multi-blade coordinates.
        """
        if self.is_generator(name):
            name = replace(name, part=self.generator)
        nodes = frozenset(map(int, self.table.find(name.part).nodes))
        on_blade = self.blades is not None and bool(nodes & set(map(int, self.blades.blades.ravel())))
        plain = replace(name, harmonic="")
        if not name.harmonic:
            if on_blade and np.any(self.linear.spin):
                raise InputError(
                    f"'{name}': in multi-blade coordinates there are no single blades: choose "
                    f"{', '.join(f'{h}({plain})' for h in HARMONICS)}"
                )
            return [Target(plain)]
        if self.blades is None:
            raise InputError(f"'{name}': {name.harmonic}(…) is for rotors in multi-blade coordinates")
        first = list(map(int, self.blades.blades[0]))
        at = [first.index(node) for node in nodes & set(first)]
        hub = nodes - set(first)  # a bearing joins its blade to the hub, which belongs to all blades
        if not at or hub & set(map(int, self.blades.blades.ravel())):
            raise InputError(f"'{name}': '{name.part}' is not on blade 1, which represents all blades")
        counterparts = [hub | {int(blade[k]) for k in at} for blade in self.blades.blades]
        index = self._parts[nodes].index(name.part)
        start = float(self.blades.azimuths[0])
        return [
            Target(replace(plain, part=self._parts[members][index]), float(psi), float(psi) - start)
            for members, psi in zip(counterparts, self.blades.azimuths, strict=True)
        ]

    def turn(self, target: Target) -> Array:
        """(3, 3) rotation from the axes of blade 1 to those of a target.

        Parameters
        ----------
        target : of this model
        """
        if self.blades is None or target.turn == 0.0:
            return np.eye(3)
        return rotation_about(self.blades.spin.direction, target.turn)

    @staticmethod
    def _refuse_position(name: SignalName) -> None:
        if name.at is not None:
            raise InputError(f"'{name}': '{name.part}' is not a beam: leave @{name.at:g} out")


def harmonic_factor(name: SignalName, target: Target) -> float:
    """Factor of a blade in the harmonic: 1, cos psi or sin psi.

    Parameters
    ----------
    name : with the harmonic
    target : the blade
    """
    return {"cosine": float(np.cos(target.azimuth)), "sine": float(np.sin(target.azimuth))}.get(
        name.harmonic, 1.0
    )
