"""Text printed by `fem-mbd laws`: the tables of friction and contact laws, and one law in detail."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Mapping
from functools import cache
from math import inf, isfinite
from typing import Any

from fem_mbd.friction.law import Law
from fem_mbd.friction.probes import gallery, normal_gallery
from fem_mbd.friction.probes.feature_probes import features as found_features
from fem_mbd.friction.probes.gallery import Entry, parameters
from fem_mbd.friction.probes.normal_gallery import FASTER, RESTITUTIONS, SPEED, Rebound, rebound

HEADINGS = {
    "sticks": "sticks",
    "stiction": "stiction",
    "stribeck": "Stribeck",
    "presliding": "presliding",
    "lag": "lag",
    "rate": "rate",
    "dwell": "dwell",
    "passive": "passive",
    "states": "states",
}
LEGEND = """\
Found by running each law on probes; docs/reference/laws.md says how.
sticks: does not creep below break-away         stiction: break-away force above sliding friction
Stribeck: friction falls with speed             presliding: elastic displacement below break-away
lag: higher while speeding up                   rate: break-away force falls with the force rate
dwell: break-away force rises with time at rest passive: does no work in any cycle tried states: has state vectors"""
CONTACT_HEADINGS = (
    f"e at {1e3 * SPEED:g} mm/s",
    f"e at {1e3 * FASTER:g} mm/s",
    *(f"e for {e:g}" for e in RESTITUTIONS),
    "e from",
    "pulls",
    "fastest",
    "deepest",
)
CONTACT_LEGEND = f"""\
e: restitution of {normal_gallery.MASS:g} kg that impacts the law; and the actual one when 0.9 or 0.5 is wanted, the
law being valid for restitutions from "e from" on; fastest: impact speed in m/s up to which the bodies stay elastic
(here steel); deepest: indentation in m where the formula ends."""


@cache
def features(law: Any) -> Mapping[str, bool]:
    """Features by name, cached."""
    return found_features(law)


def table() -> str:
    """Features of all friction laws, then the impacts on all contact laws, as text."""
    lines = [f"{'friction law':24s}" + "".join(f"{heading:>11s}" for heading in HEADINGS.values())]
    for entry in gallery.ENTRIES:
        shown = features(entry.law)
        lines.append(f"{entry.name:24s}" + "".join(f"{mark(shown[name]):>11s}" for name in HEADINGS))
    lines += ["", LEGEND, "", f"{'contact law':24s}" + "".join(f"{h:>13s}" for h in CONTACT_HEADINGS)]
    for entry in normal_gallery.ENTRIES:
        lines.append(f"{entry.name:24s}" + "".join(f"{cell:>13s}" for cell in cells(rebound(entry.law))))
    return "\n".join([*lines, "", CONTACT_LEGEND])


def cells(result: Rebound) -> list[str]:
    """Cells of the table of contact laws, in the order of ``CONTACT_HEADINGS``."""
    actual = [f"{e:.4f}" for e in result.actual] or ["-"] * len(RESTITUTIONS)
    limits = [f"{limit:.3g}" if isfinite(limit) else "-" for limit in (result.speed_limit, result.deepest)]
    start = f"{result.reliable_from:g}" if result.actual else "-"
    return [f"{result.slow:.4f}", f"{result.fast:.4f}", *actual, start, mark(result.pulls), *limits]


def mark(value: bool) -> str:
    """yes or a dash."""
    return "yes" if value else "-"


def table_json() -> str:
    """The same as one JSON object: friction law, feature, true or false; contact law, finding, number."""
    contents = {
        "friction": {entry.name: dict(features(entry.law)) for entry in gallery.ENTRIES},
        "contact": {entry.name: _rebound(entry.law) for entry in normal_gallery.ENTRIES},
    }
    return json.dumps(contents, indent=2)


def find(name: str) -> list[Entry]:
    """Friction and contact laws of the class ``name``, or the law of that full name; InputError when there is none."""
    return gallery.find(name, (*gallery.ENTRIES, *normal_gallery.ENTRIES), "friction or contact law")


def law(name: str) -> str:
    """Source, parameters, findings and equations of the law ``name`` as text; InputError when there is none."""
    return "\n\n".join([*(_text(entry) for entry in find(name)), equations(find(name)[0].law)])


def law_json(name: str) -> str:
    """The same as one JSON object, by name."""
    contents = {entry.name: _facts(entry) for entry in find(name)}
    return json.dumps(contents, indent=2, ensure_ascii=False, default=str)


def equations(law: Any) -> str:
    """The docstring of the law's file: equations and their discretisation."""
    return inspect.cleandoc(sys.modules[type(law).__module__].__doc__ or "")


def parameter_text(law: Any) -> str:
    """Docstrings of the law's class and its base classes, without the list of parameters."""
    texts = [
        (kind.__doc__ or "").split("Parameters\n---")[0] for kind in type(law).__mro__ if kind is not Law
    ]
    return "\n\n".join(text.split("use one of them.")[-1].strip() for text in texts[:-1] if text.strip())


def number(value: Any) -> str:
    """A parameter's value as short text."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return ", ".join(number(part) for part in value)
    if isinstance(value, float):
        return f"{value:g}"
    return "not given" if value is None else str(value)


def findings(entry: Entry) -> str:
    """Features of the law found by its probes, in a line."""
    if entry in gallery.ENTRIES:
        shown = features(entry.law)
        return (
            ", ".join(heading for name, heading in HEADINGS.items() if shown[name]) or "none of the features"
        )
    pairs = zip(CONTACT_HEADINGS, cells(rebound(entry.law)), strict=True)
    return ", ".join(f"{heading}: {cell}" for heading, cell in pairs if cell != "-")


def cautions(entry: Entry) -> list[str]:
    """Situations in which the law cannot be used, or only with care."""
    law, texts = entry.law, []
    if entry.form == gallery.SCALAR:
        texts.append("along one line only: warns (LawRangeWarning) where slip can change direction")
    limit = float(law.passivity_limit()) if hasattr(law, "passivity_limit") else inf
    if limit < inf:
        above = f"where slip is faster than {limit:.3g} m/s" if limit > 0.0 else "at any speed of slip"
        texts.append(f"with these parameters it may generate energy {above}: warns (ActiveLawWarning)")
    if entry in gallery.ENTRIES and not features(law)["sticks"]:
        texts.append("cannot hold a force at rest: creeps")
    if hasattr(law, "x_stick"):
        texts.append(
            "x_stick, its elastic displacement at rest, has to be far below the displacements of interest"
        )
    return texts


def _text(entry: Entry) -> str:
    lines = [entry.name, f"  source    {entry.source}"]
    lines += [f"  form      {entry.form}"] if entry in gallery.ENTRIES else []
    lines += [f"  shows     {findings(entry)}", *(f"  caution   {text}" for text in cautions(entry)), ""]
    lines += [*(f"  {line}".rstrip() for line in parameter_text(entry.law).splitlines()), ""]
    rows = [(name, number(value), info.unit, info.meaning) for name, value, info in parameters(entry.law)]
    return "\n".join([*lines, *(f"  {a:22s} {b:>24s}  {c:13s} {d}".rstrip() for a, b, c, d in rows)])


def _facts(entry: Entry) -> dict[str, Any]:
    is_friction = entry in gallery.ENTRIES
    return {
        "source": entry.source,
        **(
            {"form": entry.form, "features": dict(features(entry.law))}
            if is_friction
            else _rebound(entry.law)
        ),
        "cautions": cautions(entry),
        "parameters": {
            name: {"value": value, "unit": info.unit, "meaning": info.meaning, "range": info.range()}
            for name, value, info in parameters(entry.law)
        },
        "text": parameter_text(entry.law),
        "equations": equations(entry.law),
    }


def _rebound(law: Any) -> dict[str, Any]:
    """Results of the impacts as JSON numbers: null in place of infinity."""
    result = rebound(law)
    return {
        "restitution": {f"{SPEED:g} m/s": result.slow, f"{FASTER:g} m/s": result.fast},
        "restitution_for": {f"{e:g}": actual for e, actual in zip(RESTITUTIONS, result.actual, strict=False)},
        "pulls": result.pulls,
        "speed_limit_m_s": result.speed_limit if isfinite(result.speed_limit) else None,
        "deepest_m": result.deepest if isfinite(result.deepest) else None,
        "reliable_from": result.reliable_from,
    }
