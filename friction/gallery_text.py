"""What `fem-mbd laws` prints: the table of features, and one law in full."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

from fem_mbd.friction.gallery import ENTRIES, Entry, find, parameters
from fem_mbd.friction.probes import features

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
Found by running each law on probes; docs/laws.md says how.
sticks: does not creep below break-away         stiction: break-away force above friction of sliding
Stribeck: friction falls with speed             presliding: gives below break-away, and comes back
lag: higher while speeding up                   rate: break-away force falls when the force rises faster
dwell: break-away force rises with time at rest passive: gives no work back in any cycle tried
states: keeps vectors from step to step"""


def table() -> str:
    """Features of all friction laws as text."""
    lines = [f"{'friction law':24s}" + "".join(f"{heading:>11s}" for heading in HEADINGS.values())]
    for entry in ENTRIES:
        found = features(entry.law)
        lines.append(f"{entry.name:24s}" + "".join(f"{_mark(found[name]):>11s}" for name in HEADINGS))
    return "\n".join([*lines, "", LEGEND])


def table_json() -> str:
    """Features of all friction laws as one JSON object: law, feature, true or false."""
    return json.dumps({"friction": {entry.name: features(entry.law) for entry in ENTRIES}}, indent=2)


def law(name: str) -> str:
    """Source, parameters, features and equations of the law ``name`` as text; InputError when there is none."""
    return "\n\n".join(_text(entry) for entry in find(name)) + "\n\n" + equations(find(name)[0].law)


def law_json(name: str) -> str:
    """The same as one JSON object, by name."""
    found: dict[str, Any] = {entry.name: _facts(entry) for entry in find(name)}
    return json.dumps(found, indent=2, ensure_ascii=False)


def equations(law: Any) -> str:
    """The docstring of the law's file: equations and what is particular about their step."""
    return inspect.cleandoc(sys.modules[type(law).__module__].__doc__ or "")


def parameter_text(law: Any) -> str:
    """What the law says of its parameters."""
    return inspect.getdoc(type(law)) or ""


def _text(entry: Entry) -> str:
    found = features(entry.law)
    shown = [heading for name, heading in HEADINGS.items() if found[name]]
    lines = [entry.name, f"  source    {entry.source}", f"  form      {entry.form}"]
    lines.append(f"  shows     {', '.join(shown) or 'none of the features'}")
    lines += ["", *(f"  {line}".rstrip() for line in parameter_text(entry.law).splitlines()), ""]
    rows = [(name, _number(value), unit) for name, value, unit in parameters(entry.law)]
    return "\n".join([*lines, *(f"  {name:22s} {value:>24s}  {unit}".rstrip() for name, value, unit in rows)])


def _facts(entry: Entry) -> dict[str, Any]:
    return {
        "source": entry.source,
        "form": entry.form,
        "features": features(entry.law),
        "parameters": {name: {"value": value, "unit": unit} for name, value, unit in parameters(entry.law)},
        "text": parameter_text(entry.law),
        "equations": equations(entry.law),
    }


def _mark(found: bool) -> str:
    return "yes" if found else "-"


def _number(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(_number(part) for part in value)
    if isinstance(value, float):
        return f"{value:g}"
    return "-" if value is None else str(value)
