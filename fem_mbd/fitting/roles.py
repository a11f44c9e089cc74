"""What kind of number each parameter of the friction laws is: from which scale of the data a start can be guessed.

Laws, names and units are those of the gallery (``fem-mbd laws``). A role tells more than a unit: a viscous coefficient,
a bristle's damping and a slope at rest are all in s/m and differ by orders.
"""

from __future__ import annotations

from typing import Any

from fem_mbd.friction.probes.gallery import UNITS, find

ROLES = {
    **dict.fromkeys(("mu_k", "mu_s", "f_1", "f_2", "delta_mu_s"), "coefficient"),
    **dict.fromkeys(("gamma", "exponent", "delta_v", "ratio", "kappa", "K_a", "alpha", "eta", "a", "n"), "shape"),
    **dict.fromkeys(("f_R", "K_1", "eps_tr"), "shape"),
    **dict.fromkeys(("x_stick", "eps_f", "length", "delta"), "length"),
    **dict.fromkeys(("v_s", "v_0", "v_1", "v_d", "D_v", "v_eps"), "speed"),
    **dict.fromkeys(("sigma_0", "k"), "stiffness"),
    **dict.fromkeys(("slope", "xi", "K_h"), "slope"),
    **dict.fromkeys(("sigma_1",), "damping"),
    **dict.fromkeys(("sigma_2", "K_2"), "viscous"),
    **dict.fromkeys(("tau_L", "tau_dw", "K_s"), "time"),
    "C": "rate", "a_S": "acceleration",
    # the same letter means something else to these authors
    "GeneralisedMaxwellSlip.alpha": "share",
    "Leuven.alpha": "share",
}  # fmt: skip


def law_kind(name: str) -> Any:
    """Class of the friction law ``name``, in any case; InputError suggests the nearest."""
    return type(find(name)[0].law)


def role(kind: type, parameter: str) -> str:
    """Role of a parameter of the law ``kind``, "" when it has none here (a law of the user's own)."""
    return _of(ROLES, kind, parameter)


def unit(kind: type, parameter: str) -> str:
    """Unit of a parameter of the law ``kind``, "" when it is not known here."""
    return _of(UNITS, kind, parameter)


def _of(table: dict[str, str], kind: type, parameter: str) -> str:
    field = parameter.partition(".")[0]
    return table.get(f"{kind.__name__}.{field}", table.get(field, ""))
