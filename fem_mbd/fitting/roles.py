"""What the parameters of the friction laws are: units, and the scale of the data from which a start is guessed."""

from __future__ import annotations

import dataclasses
from typing import Any

from fem_mbd import friction
from fem_mbd.errors import InputError
from fem_mbd.suggestions import nearest

# A role's unit. Slopes, dampings and viscous coefficients share a unit and differ in what size they usually have.
ROLE_UNITS = {
    "coefficient": "-", "shape": "-", "share": "-", "length": "m", "speed": "m/s", "stiffness": "1/m",
    "slope": "s/m", "damping": "s/m", "viscous": "s/m", "time": "s", "rate": "1/s",
}  # fmt: skip
NAMES = {
    "coefficient": "mu mu_k mu_s mu_S f_1 f_2 delta_mu_s",
    "shape": "gamma delta_sigma delta_v delta ratio kappa alpha eta a n f_R K_1 eps_tr",
    "length": "x_stick eps_f length",
    "speed": "v_s v0 v1 v_st v_d D_v eps v_eps",
    "stiffness": "sigma0 k k_S k_b E_0",
    "slope": "xi K_h",
    "damping": "sigma1 c_b",
    "viscous": "sigma2 F_v f_v K_2",
    "time": "tau_L tau_dw K_s",
    "rate": "C",
}
# The same letter with another meaning.
SPECIAL = {
    ("LinearRegularised", "k"): "slope", ("TanhRegularised", "k"): "slope", ("Switch", "k"): "damping",
    ("Switch", "eta"): "speed", ("SevenParameter", "gamma"): "time", ("Bristles", "delta"): "length",
    ("GeneralisedMaxwellSlip", "alpha"): "share", ("Leuven", "alpha"): "share",
}  # fmt: skip
LAWS = (
    "Ambrosio", "Awrejcewicz", "BengisuAkay", "BlimanSorine", "BoPavelescu", "Bristles", "Coulomb",
    "CoulombStiction", "CoulombViscous", "Dahl", "DryCoulomb", "ElastoPlastic", "GeneralKinetic",
    "GeneralisedMaxwellSlip", "Gonthier", "HarnoyFriedland", "HessSoom", "Iwan", "Karnopp", "Leuven", "Liang",
    "LinearRegularised", "LinearStiction", "LuGre", "ResetIntegrator", "SevenParameter", "Switch",
    "TanhRegularised", "Threlfall", "Valanis", "Wojewoda",
)  # fmt: skip

_ROLES = {name: role for role, names in NAMES.items() for name in names.split()}


def law_kind(name: str) -> Any:
    """Class of the friction law ``name``; InputError suggests the nearest."""
    if name not in LAWS:
        raise InputError(f"there is no friction law {name!r} to fit; {nearest(name, LAWS)}")
    return getattr(friction, name)


def role(kind: type, parameter: str) -> str:
    """Role of a parameter of the law ``kind``, "" when it has none here (a law of the user's own)."""
    field = parameter.partition(".")[0]
    return SPECIAL.get((kind.__name__, field)) or _ROLES.get(field, "")


def unit(kind: type, parameter: str) -> str:
    """Unit of a parameter of the law ``kind``."""
    text = ROLE_UNITS.get(role(kind, parameter), "")
    if parameter == "F_v" and "delta_v" in {field.name for field in dataclasses.fields(kind)}:
        return "(s/m)^delta_v"
    return text
