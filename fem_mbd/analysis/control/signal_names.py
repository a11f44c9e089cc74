"""Names of inputs and outputs, PART@PLACE.QUANTITY[COMPONENT], and the nodes and joints to which they refer.

    tower@1.force[x]                    PART@PLACE.QUANTITY[COMPONENT]; the place, 0 to 1, of beams only
    bob.displacement                    all components
    weld.force[2]                       components by name or by index, counted from 0
    collective(blade1@1.force[x])       of a rotor in multi-blade coordinates: collective, cosine, sine

Blade 1 represents all blades there: q_b = collective + cosine cos(psi_b) + sine sin(psi_b), psi_b the azimuth of blade
b from the upright position; components are those of blade 1 in its position in the model, rotated about the axis for
the others.

`read` has the values of a part's quantities by name; `SignalTargets` finds the nodes and joints of a name, on all
blades of a rotor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.core.rotations import rotation_about
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part import GROUPS, Wrench, canonical
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import NODE, PartTable

HARMONICS = ("collective", "cosine", "sine")
XYZ = ("x", "y", "z")
FORM = re.compile(
    r"(?P<part>.+?)(?:@(?P<at>[-+.\deE]+))?\."
    rf"(?P<quantity>(?:(?:{'|'.join(GROUPS)})\.)?[A-Za-z_]\w*)(?:\[(?P<component>\w+)\])?"
)
HARMONIC_SIGNAL = re.compile(r"(?P<harmonic>[A-Za-z]+)\((?P<inner>.+)\)")
# of quantities along beams: names of the components, units of the first three and of the last three
ALONG = {
    "section_force": (("N", "V2", "V3", "T", "M2", "M3"), ("N", "N m")),
    "section_strain": (("stretch", "shear2", "shear3", "twist", "bending2", "bending3"), ("1", "1/m")),
}
COMPONENTS: dict[int, Sequence[str]] = {1: (), 3: XYZ}
UNITS = {"displacement": "m", "velocity": "m/s", "angle": "rad", "angular_velocity": "rad/s"}


@dataclass(frozen=True)
class SignalName:
    """A parsed name.

    Attributes
    ----------
    part : name of a part, a body or a node
    quantity : quantity of the part
    at : fraction of a beam's length, None for other parts
    component : name or index of a component, "" for all
    harmonic : one of `HARMONICS`, "" outside multi-blade coordinates
    """

    part: str
    quantity: str
    at: float | None = None
    component: str = ""
    harmonic: str = ""

    @property
    def location(self) -> str:
        """The part with its position."""
        return self.part if self.at is None else f"{self.part}@{self.at:g}"

    def __str__(self) -> str:
        component = f"[{self.component}]" if self.component else ""
        plain = f"{self.location}.{self.quantity}{component}"
        return f"{self.harmonic}({plain})" if self.harmonic else plain

    def split(self, components: Sequence[str]) -> list[tuple[int, SignalName]]:
        """Index and full name of each component to which the name refers.

        Parameters
        ----------
        components : their names; () for a quantity that is a single number

        Raises
        ------
        InputError
            For an unknown component.
        """
        if not components:
            if self.component:
                raise InputError(
                    f"'{self}': {self.quantity} is a single number: leave [{self.component}] out"
                )
            return [(0, self)]
        if not self.component:
            return [(k, replace(self, component=name)) for k, name in enumerate(components)]
        known = {name: k for k, name in enumerate(components)} | {str(k): k for k in range(len(components))}
        if self.component not in known:
            raise InputError(
                f"'{self}' has no component '{self.component}'; {nearest(self.component, components)}"
            )
        k = known[self.component]
        return [(k, replace(self, component=components[k]))]


def read_signal_name(text: str) -> SignalName:
    """Parse a name given by the user.

    Parameters
    ----------
    text : see the module's docstring

    Raises
    ------
    InputError
        When it has another form or an unknown harmonic.
    """
    outer = HARMONIC_SIGNAL.fullmatch(text.strip())
    if outer is not None and outer["harmonic"] not in HARMONICS:
        raise InputError(
            f"'{text}': unknown harmonic {outer['harmonic']!r}; {nearest(outer['harmonic'], HARMONICS)}"
        )
    m = FORM.fullmatch(outer["inner"] if outer else text.strip())
    if m is None:
        raise InputError(
            f"'{text}' is not the name of an input or output: write PART.QUANTITY or "
            "PART.QUANTITY[COMPONENT], of a beam PART@PLACE.QUANTITY, e.g. tower@1.displacement[x]"
        )
    at = None if m["at"] is None else _fraction(m["at"], text)
    return SignalName(
        m["part"],
        canonical(m["quantity"]),
        at,
        m["component"] or "",
        outer["harmonic"] if outer else "",
    )


def _fraction(digits: str, text: str) -> float:
    try:
        at = float(digits)
    except ValueError:
        at = float("nan")
    if not 0.0 <= at <= 1.0:
        raise InputError(
            f"'{text}': @{digits} is not a fraction of a beam's length, from 0 (start) to 1 (end)"
        )
    return at


def read(state: Any, name: SignalName) -> Array:
    """(k,) values of a part's quantity in a state.

    Parameters
    ----------
    state : with the method ``of``
    name : of the quantity

    Raises
    ------
    InputError
        For unknown quantities, and those that are not numbers.
    """
    view = state.of(name.part)
    value = getattr(view, name.quantity)
    if callable(value) and not isinstance(value, scipy.spatial.transform.Rotation):
        if name.at is None:
            raise InputError(
                f"output '{name}': add the position along it, e.g. {name.part}@0.{name.quantity}"
            )
        value = value(at=name.at)
    elif name.at is not None:
        raise InputError(
            f"output '{name}': {name.quantity} is not defined along '{name.part}': leave @{name.at:g} out"
        )
    if isinstance(value, Wrench):
        raise InputError(f"output '{name}': choose {name.part}.force or {name.part}.moment")
    if isinstance(value, scipy.spatial.transform.Rotation):
        raise InputError(f"output '{name}': choose the rotation of a node, or for {name.part}.angle")
    values = np.atleast_1d(np.asarray(value, dtype=float))
    if values.ndim > 1:
        raise InputError(f"output '{name}': {name.quantity} is a table of numbers and cannot be an output")
    return values


def components_of(name: SignalName, size: int) -> Sequence[str]:
    """Names of the components of a quantity with ``size`` numbers.

    Parameters
    ----------
    name : of the output
    size : numbers
    """
    if name.quantity in ALONG:
        return ALONG[name.quantity][0]
    return COMPONENTS.get(size, tuple(map(str, range(size))))


def unit_of(name: SignalName, declared: Any, component: int) -> str:
    """Unit of one component of a quantity.

    Parameters
    ----------
    name : of the output
    declared : the quantity as the part declares it, or None
    component : its index
    """
    if name.quantity in ALONG:
        return ALONG[name.quantity][1][component // 3]
    return str(declared.unit) if declared is not None else UNITS.get(name.quantity, "1")


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
