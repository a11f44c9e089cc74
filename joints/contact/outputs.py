"""Output quantities of contacts: forces and gaps of the step, states of the friction laws."""

from __future__ import annotations

from fem_mbd.core.model.output import XYZ, Output, Quantity


def _of(name: str) -> tuple[str, ...]:
    return tuple(f"{name} {c}" for c in XYZ)


CONTACT = Output(
    "contact",
    "contact",
    (
        Quantity("gap", "m", "positive when open", within="linear", field="gap_f", start="gap_i"),
        Quantity("normal_force", "N", "constant over the step, negative for adhesion", within="mean"),
        Quantity("friction_force", "N", "on body L", _of("friction_force"), "global", "mean"),
        Quantity(
            "slip_velocity",
            "m/s",
            "of L relative to K in the tangent plane",
            _of("slip_velocity"),
            "global",
            "mean",
        ),
        Quantity(
            "normal", "1", "unit vector from K towards the contact point", _of("normal"), "global", "mean"
        ),
        Quantity("stribeck_velocity", "m/s", "of the friction law, 0 when it has none", within="mean"),
        Quantity("omega", "1/s", "rate of the law's bristles, 0 when it has none (eq. 27)", within="mean"),
    ),
)
BRISTLE = Output(
    "bristle",
    "bristle",
    (
        Quantity(
            "bristle",
            "m",
            "states of the friction law at t_f, deflections of its bristles; a disk's in a cylinder along d1, d2, d3",
            _of("bristle"),
            "global",
        ),
    ),
    many=True,
)
