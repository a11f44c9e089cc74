"""Parser of the parameters given to `fem-mbd fit` by `--set` (fitted) and `--fix` (fixed)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from fem_mbd.applications.fitting import Free
from fem_mbd.base.lazy import nearest
from fem_mbd.case_parameters import read_value
from fem_mbd.errors import InputError


def parameters_of_laws(
    kinds: Sequence[Any], free: Sequence[str], held: Sequence[str]
) -> tuple[dict[Any, dict[str, Free]], dict[Any, dict[str, Any]]]:
    """Fitted and fixed parameters of each law; a name applies to every law with such a parameter, at least one."""
    to_fit: dict[Any, dict[str, Free]] = {kind: {} for kind in kinds}
    to_fix: dict[Any, dict[str, Any]] = {kind: {} for kind in kinds}
    for text in free:
        name, entries = _parse_fitted(text)
        for kind in _laws_with(kinds, name, "--set"):
            to_fit[kind] |= entries
    for text in held:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"--fix {text}: write it as name=value")
        for kind in _laws_with(kinds, name, "--fix"):
            to_fix[kind][name] = (
                _number(value, text, "--fix") if "." in name else read_value(kind, name, value, "--fix")
            )
    return to_fit, to_fix


def _laws_with(kinds: Sequence[Any], name: str, where: str) -> list[Any]:
    field = name.partition(".")[0]
    matching = [kind for kind in kinds if field in kind.__dataclass_fields__]
    if not matching:
        known = {name for kind in kinds for name in kind.__dataclass_fields__}
        laws = ", ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{where}: {laws}: there is no parameter {name!r}; {nearest(name, known)}")
    return matching


def _parse_fitted(text: str) -> tuple[str, dict[str, Free]]:
    """Name and entries of NAME[=START][:LOW..HIGH]."""
    name, _, rest = (part.strip() for part in text.partition("="))
    start, _, bounds = rest.partition(":")
    if ".." in start:
        start, bounds = "", start
    low, _, high = bounds.partition("..")
    if bounds and ".." not in bounds:
        raise InputError(f"--set {text}: write bounds as low..high")
    limits = (
        _number(low, text, "--set") if low.strip() else -inf,
        _number(high, text, "--set") if high.strip() else inf,
    )
    if "," in start:
        values = [_number(part, text, "--set") for part in start.split(",")]
        return name, {f"{name}.{k}": Free(value, *limits) for k, value in enumerate(values, 1)}
    return name, {name: Free(_number(start, text, "--set") if start else None, *limits)}


def _number(value: str, text: str, where: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"{where} {text}: {value.strip()!r} is not a number") from None
