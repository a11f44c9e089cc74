"""Syntax of the names of inputs and outputs: PART@PLACE.QUANTITY[COMPONENT], with harmonics of multi-blade coordinates.

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

from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError

HARMONICS = ("collective", "cosine", "sine")
XYZ = ("x", "y", "z")
FORM = re.compile(
    r"(?P<part>.+?)(?:@(?P<at>[-+.\deE]+))?\.(?P<quantity>[A-Za-z_]\w*)(?:\[(?P<component>\w+)\])?"
)
AROUND = re.compile(r"(?P<harmonic>[A-Za-z]+)\((?P<inner>.+)\)")


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
    def place(self) -> str:
        """The part with its position."""
        return self.part if self.at is None else f"{self.part}@{self.at:g}"

    def __str__(self) -> str:
        component = f"[{self.component}]" if self.component else ""
        plain = f"{self.place}.{self.quantity}{component}"
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
    around = AROUND.fullmatch(text.strip())
    if around is not None and around["harmonic"] not in HARMONICS:
        raise InputError(
            f"'{text}': unknown harmonic {around['harmonic']!r}; {nearest(around['harmonic'], HARMONICS)}"
        )
    found = FORM.fullmatch(around["inner"] if around else text.strip())
    if found is None:
        raise InputError(
            f"'{text}' is not the name of an input or output: write PART.QUANTITY or "
            "PART.QUANTITY[COMPONENT], of a beam PART@PLACE.QUANTITY, e.g. tower@1.displacement[x]"
        )
    at = None if found["at"] is None else _fraction(found["at"], text)
    return SignalName(
        found["part"], found["quantity"], at, found["component"] or "", around["harmonic"] if around else ""
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
