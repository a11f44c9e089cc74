"""All friction laws with typical parameters, as listed by ``fem-mbd laws`` and docs/reference/laws.md.

The laws are those that ``fem_mbd.friction`` exports; each has a source and typical parameters. These are the values
used by Marques et al. (2016) to compare the laws, where they give them (mu_s 0.15, mu_k 0.1, v_s 1 mm/s, sigma_0 1e5
1/m, sigma_2 0.1 s/m); the damping of bristles is a tenth of their 316 s/m or less, see docs/reference/laws.md.

All contact laws with typical parameters, and the result of an impact on each of them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from fem_mbd import friction
from fem_mbd.base.lazy import nearest
from fem_mbd.errors import InputError
from fem_mbd.friction.law import Law, Parameter
from fem_mbd.friction.probes.impact import impact

VECTOR = "vector: any direction of slip, any normal force"
SCALAR = "scalar: slip along one line"


@dataclass(frozen=True)
class Entry:
    """A law with typical parameters."""

    law: Any
    variant: str = ""

    @property
    def name(self) -> str:
        """Name of the class, with the variant when there are several."""
        return f"{type(self.law).__name__} {self.variant}".strip()

    @property
    def source(self) -> str:
        """Where the law was published."""
        return str(self.law.source)

    @property
    def form(self) -> str:
        """Whether a friction law is a vector law."""
        return SCALAR if getattr(self.law, "on_turning_slip", "") else VECTOR


def entries_of(folders: Sequence[str]) -> tuple[Entry, ...]:
    """The laws in these folders of ``friction/``, ordered by folder, by name of the file and by position in it."""
    exported = [getattr(friction, name) for name in dir(friction)]
    kinds = [kind for kind in exported if isinstance(kind, type) and issubclass(kind, Law)]

    def position(kind: type[Law]) -> tuple[int, str, int]:
        parts = kind.__module__.split(".")
        line = list(vars(sys.modules[kind.__module__])).index(kind.__name__)
        return folders.index(parts[2]), parts[-1], line

    chosen = [kind for kind in kinds if kind.__module__.split(".")[2] in folders]
    return tuple(
        Entry(kind(**numbers), variant)
        for kind in sorted(chosen, key=position)
        for variant, numbers in kind.examples.items()
    )


ENTRIES = entries_of(("static", "dynamic"))


def parameters(law: Any) -> list[tuple[str, Any, Parameter]]:
    """Name, value and description of each parameter of ``law``."""
    return [(name, getattr(law, name), field.info) for name, field in law.parameters.items()]


def find(name: str, among: Sequence[Entry] = ENTRIES, kind: str = "friction law") -> list[Entry]:
    """Entries of the class ``name``, or the entry of that full name, ignoring case; InputError when there is none."""
    folded = name.casefold()
    entries = [e for e in among if folded in (e.name.casefold(), type(e.law).__name__.casefold())]
    if not entries:
        raise InputError(
            f"there is no {kind} {name!r}: {nearest(name, [type(e.law).__name__ for e in among])}"
        )
    return entries


MASS, SPEED, FASTER = 1.0, 0.01, 0.04  # kg, m/s; below 0.05 m/s, up to which steel stays elastic
RESTITUTIONS = (0.9, 0.5)


CONTACT_ENTRIES = entries_of(("normal",))


class Rebound(NamedTuple):
    """Results of impacts of ``MASS``.

    slow, fast: restitution at ``SPEED`` and ``FASTER``. actual: restitution for the wanted ones ``RESTITUTIONS``, empty
    for laws without a wanted restitution. pulls: whether the force was ever below zero. speed_limit (m/s), deepest (m),
    reliable_from: ranges of the law, ``inf`` and 0 when there is none.
    """

    slow: float
    fast: float
    actual: tuple[float, ...]
    pulls: bool
    speed_limit: float
    deepest: float
    reliable_from: float


def rebound(law: Any) -> Rebound:
    """Impacts on ``law``, found by running them."""
    slow, fast = impact(law, SPEED, MASS), impact(law, FASTER, MASS)
    actual: tuple[float, ...] = ()
    if isinstance(law, friction.RestitutionLaw):
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", friction.LawRangeWarning
            )  # the table shows the actual restitution
            actual = tuple(impact(type(law)(law.elastic, e), SPEED, MASS).restitution for e in RESTITUTIONS)
    return Rebound(
        slow.restitution,
        fast.restitution,
        actual,
        min(slow.least, fast.least) < 0.0,
        float(getattr(law, "speed_limit", inf)),
        float(getattr(law, "deepest", inf)),
        float(getattr(law, "reliable_from", 0.0)),
    )
