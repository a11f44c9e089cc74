"""Names of inputs and outputs, PART@PLACE.QUANTITY[COMPONENT], with harmonics; values of a part's quantities by name.

    tower@1.force[x]                    PART@PLACE.QUANTITY[COMPONENT]; the place, 0 to 1, of beams only
    bob.displacement                    all components
    weld.force[2]                       components by name or by index, counted from 0
    collective(blade1@1.force[x])       of a rotor in multi-blade coordinates: collective, cosine, sine

Blade 1 represents all blades there: q_b = collective + cosine cos(psi_b) + sine sin(psi_b), psi_b the azimuth of blade
b from the upright position; components are those of blade 1 in its position in the model, rotated about the axis for
the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.node import Wrench
from fem_mbd.runs.results.views.part import GROUPS, canonical

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
