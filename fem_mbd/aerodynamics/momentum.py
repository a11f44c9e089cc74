"""Momentum theory of annuli: quasi-steady induced velocities, Prandtl's loss, dynamic inflow of Oye.

n is the rotor's axis, downwind; t the direction in which a blade of the rotor would be driven by the relative flow of
its rotation: opposite to its motion. The induced velocity at a station is -W_n n + W_t t. With f_n the force per radius
along n, f_t that against t, both per blade, V the free wind along n and F Prandtl's factor (Glauert 1935; Madsen et al.
2020, Wind Energy Science 5, eqs. 6 to 12):

    CT = B f_n/(pi rho r V^2)        W_n = V a(CT/F)        W_t = B f_t/(4 pi rho r (V - W_n))

with a(CT) of
- hawc2:   a = 0.0883 CT^3 + 0.0586 CT^2 + 0.2460 CT, continued by its tangent beyond CT = 2.5, odd for CT < 0
- glauert: CT = 4 a (1 - a), beyond CT = 0.96 Buhl's CT = 8/9 + (4 F - 40/9) a + (50/9 - 4 F) a^2 with CT not over F

(Buhl 2005, NREL/TP-500-36834, eq. 18). W_t is divided by F too with "glauert", as in Ning 2014 (Wind Energy 17,
eq. 10). f = B (R - r)/(2 r sin phi) at the tip, B (r - r_h)/(2 r_h sin phi) at the hub, F = 2/pi arccos(exp(-f)).

Dynamic inflow (Oye 1990; Snel & Schepers 1995): quasi-steady W_q, intermediate W_m, k = 0.6,

    W_m + tau1 W_m' = W_q + k tau1 W_q'        W + tau2 W' = W_m
    tau1 = 1.1/(1 - 1.3 a) R/V, a at most 0.5          tau2 = (0.39 - 0.26 (r/R)^2) tau1

With y = W_m - k W_q, tau1 y' = (1 - k) W_q - y: no derivative of W_q is needed. Over a step W_q is constant and the
states follow exactly; a of the time constants is that of its start.

After the compiled kernels come the models of the induced velocities from which a user chooses: `Momentum`,
`FrozenInduction`, `NoInduction`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from fem_mbd.aerodynamics import stall
from fem_mbd.aerodynamics.inflow import Inflow
from fem_mbd.aerodynamics.stall import exponential, follow, square_root
from fem_mbd.base.validation import positive
from fem_mbd.core.compiled import kernel
from fem_mbd.errors import InputError

NONE, FROZEN, MOMENTUM, INFLOW = 0, 1, 2, 3
HAWC2, GLAUERT = 0, 1
K_1, K_2, K_3 = 0.2460, 0.0586, 0.0883
LARGEST_CT = 2.5  # of the polynomial
BUHL_FROM = 0.96  # CT/F
SMALL_F = 1e-3
SLOW = 0.05  # fraction of the relative speed, least speed through the annulus that swirl is computed with
MIX = 0.6  # k
STILL = 0.1  # m/s, least wind of the time constants
STATES = 4  # y and W, axial and tangential


@kernel
def prandtl(blades, r, tip, hub, sine):
    """Prandtl's factor; tip and hub: radii, m, not above zero for no loss; sine: of the flow angle."""
    size = sine if sine.real > 0.0 else -sine
    if size.real < 1e-6:
        return 1.0 + 0.0 * size
    factor = 1.0 + 0.0 * size
    if tip > 0.0:
        gap = tip - r if tip > r.real else 0.0 * r
        factor = factor * _one_end(0.5 * blades * gap / (r * size))
    if 0.0 < hub < r.real:
        factor = factor * _one_end(0.5 * blades * (r - hub) / (hub * size))
    return factor if factor.real > SMALL_F else SMALL_F + 0.0 * factor


@kernel
def _one_end(f):
    if f.real > 30.0:
        return 1.0 + 0.0 * f
    e = exponential(-f)
    under = 1.0 - e.real * e.real
    if under < 1e-20:
        return 0.0 * f
    return 2.0 / np.pi * (np.arccos(e.real) - (e - e.real) / np.sqrt(under))


@kernel
def _hawc2_factor(ct):
    """a(CT) of HAWC2 for CT not below zero."""
    if ct.real <= LARGEST_CT:
        return ((K_3 * ct + K_2) * ct + K_1) * ct
    last = LARGEST_CT
    slope = (3.0 * K_3 * last + 2.0 * K_2) * last + K_1
    return ((K_3 * last + K_2) * last + K_1) * last + slope * (ct - last)


@kernel
def _root(x):
    """sqrt(x), zero for x not above zero."""
    return square_root(x) if x.real > 0.0 else 0.0 * x


@kernel
def axial(relation, load, wind, loss):
    """W_n, m/s, of load = B f_n/(pi rho r) in (m/s)^2, which is CT wind^2; wind not below zero."""
    if relation == HAWC2:
        speed = wind if wind.real > STILL else STILL + 0.0 * wind
        ct = load / (loss * speed * speed)
        return speed * _hawc2_factor(ct) if ct.real >= 0.0 else -speed * _hawc2_factor(-ct)
    if load.real <= BUHL_FROM * loss.real * wind.real * wind.real:
        # also of a propeller, without wind
        return 0.5 * (wind - _root(wind * wind - load / loss))
    ct = load / (wind * wind if wind.real > 1e-6 else 1e-12 + 0.0 * wind)
    root = _root(ct * (50.0 - 36.0 * loss) + 12.0 * loss * (3.0 * loss - 4.0))
    return wind * (18.0 * loss - 20.0 - 3.0 * root) / (36.0 * loss - 50.0)


@kernel
def swirl(relation, load, wind, w_n, loss, speed):
    """W_t, m/s, of load = B f_t/(pi rho r) in (m/s)^2; speed: the relative one, m/s."""
    through = wind - w_n
    least = SLOW * speed.real
    if through.real < least:
        through = least + 0.0 * through
    factor = loss if relation == GLAUERT else 1.0 + 0.0 * loss
    return 0.25 * load / (factor * through)


@kernel
def time_constants(wind, a, r, tip, prescribed):
    """tau1 and tau2, s; tau1 is the prescribed one, where that is above zero."""
    limited = a if a.real < 0.5 else 0.5 + 0.0 * a
    speed = wind if wind.real > STILL else STILL + 0.0 * wind
    slow = prescribed + 0.0 * speed if prescribed > 0.0 else 1.1 / (1.0 - 1.3 * limited) * tip / speed
    return slow, (0.39 - 0.26 * (r / tip) ** 2) * slow


@kernel
def inflow(quasi, y_i, w_i, first, second):
    """Mean of W over the step, y and W at its end; first, second: `decay` of dt over tau1 and tau2."""
    y, y_f = follow(y_i, (1.0 - MIX) * quasi, first)
    w, w_f = follow(w_i, y + MIX * quasi, second)
    return w, y_f, w_f


AIR = 1.225  # kg/m^3, of the standard atmosphere at sea level
SOUND = 340.294  # m/s, speed of sound there
RELATIONS = {"hawc2": HAWC2, "glauert": GLAUERT}
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


Induction = Momentum | FrozenInduction | NoInduction | Inflow
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
        rotors["induction"] = MOMENTUM
        rotors["relation"] = RELATIONS[induction.relation]
        rotors["tip_loss"] = int(induction.tip_loss)
        rotors["hub_radius"] = hub_radius if induction.hub_loss else 0.0
        rotors["dynamic"] = int(induction.dynamic)
        rotors["swirl"], rotors["slow"] = float(induction.swirl), induction.slow or 0.0
        rotors["axial_drag"] = float(induction.axial_drag)
        rotors["tangential_drag"] = float(induction.tangential_drag)
    elif isinstance(induction, (FrozenInduction, NoInduction)):
        rotors["induction"] = FROZEN if isinstance(induction, FrozenInduction) else NONE
    elif isinstance(induction, Inflow):
        rotors["induction"] = INFLOW
    else:
        raise InputError(
            f"induction is {induction!r}: give Momentum(…), FrozenInduction(), NoInduction(), or the inflow of a "
            "rotorcraft, as PittPeters()"
        )
