"""Models of the induced velocities of a rotor: objects that can be exchanged."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from fem_mbd.aerodynamics import momentum, stall
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError

AIR = 1.225  # kg/m^3
RELATIONS = {"hawc2": momentum.HAWC2, "glauert": momentum.GLAUERT}
STALL = {"none": stall.STATIC, "oye": stall.OYE, "hgm": stall.HGM}
StallModel = Literal["none", "oye", "hgm"]


@dataclass(frozen=True)
class Momentum:
    """Blade-element momentum theory for each blade and station, see `fem_mbd.aerodynamics.momentum`.

    Parameters
    ----------
    relation : between thrust and induction: "hawc2", or "glauert" with Buhl's correction
    tip_loss, hub_loss : Prandtl's factor at the tip, at the hub
    dynamic : inflow with Oye's time constants in runs; otherwise momentum theory holds at every instant
    swirl : induced velocities against the rotation
    axial_drag, tangential_drag : whether the drag counts in CT, and in the torque that causes the swirl
    slow : s, constant tau1 of the dynamic inflow, by Oye's formula when left out

    Raises
    ------
    InputError
        For an unknown relation, a time constant that is not above zero.
    """

    _: KW_ONLY
    relation: Literal["hawc2", "glauert"] = "hawc2"
    tip_loss: bool = True
    hub_loss: bool = False
    dynamic: bool = True
    swirl: bool = True
    axial_drag: bool = True
    tangential_drag: bool = True
    slow: float | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise InputError(f"Momentum: relation is {self.relation!r}: give 'hawc2' or 'glauert'")
        if self.slow is not None:
            positive(self.slow, "Momentum: slow (s)")


@dataclass(frozen=True)
class FrozenInduction:
    """Induced velocities stay as they are: those of the state from which a run or a linear model starts."""


@dataclass(frozen=True)
class NoInduction:
    """No induced velocities."""


Induction = Momentum | FrozenInduction | NoInduction
DEFAULT = Momentum()


def set_options(rotors: Any, induction: Induction, hub_radius: float) -> None:
    """Put a model of induction into records of rotors.

    Parameters
    ----------
    rotors : (n,) records of dtype `station.ROTOR`
    induction : the model
    hub_radius : m
    """
    if isinstance(induction, Momentum):
        rotors["induction"] = momentum.MOMENTUM
        rotors["relation"] = RELATIONS[induction.relation]
        rotors["tip_loss"] = int(induction.tip_loss)
        rotors["hub_radius"] = hub_radius if induction.hub_loss else 0.0
        rotors["dynamic"] = int(induction.dynamic)
        rotors["swirl"], rotors["slow"] = float(induction.swirl), induction.slow or 0.0
        rotors["axial_drag"] = float(induction.axial_drag)
        rotors["tangential_drag"] = float(induction.tangential_drag)
    elif isinstance(induction, (FrozenInduction, NoInduction)):
        rotors["induction"] = momentum.FROZEN if isinstance(induction, FrozenInduction) else momentum.NONE
    else:
        raise InputError(f"induction is {induction!r}: give Momentum(…), FrozenInduction() or NoInduction()")
