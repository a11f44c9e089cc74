"""Real parameters of a case, by which runs are differentiated, from the options of commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fem_mbd.case import Case


def add_real_parameters(command: argparse.ArgumentParser, purpose: str) -> None:
    """`--wrt` and `--scale`.

    Parameters
    ----------
    command : that gets them
    purpose : of the parameters, for the help
    """
    command.add_argument(
        "--wrt", nargs="+", action="extend", required=True, metavar="PARAMETER",
        help=f"parameters of the case, real numbers, {purpose}",
    )  # fmt: skip
    command.add_argument(
        "--scale", nargs="+", action="extend", default=[], metavar="NAME=SIZE",
        help="typical size of a parameter that is zero",
    )  # fmt: skip


def real_value(given: Any, name: str, option: str) -> float:
    """Value of a case's parameter that is a real number; InputError for others.

    Parameters
    ----------
    given : the case's parameters
    name : of one
    option : that names it, for messages
    """
    from fem_mbd import case_parameters
    from fem_mbd.base.suggestions import nearest
    from fem_mbd.errors import InputError

    known = case_parameters.to_plain(given)
    if name not in known:
        raise InputError(f"{option}: there is no parameter {name!r}; {nearest(name, known)}")
    kind = next(one["type"] for one in case_parameters.describe(type(given)) if one["name"] == name)
    value = known[name]
    if not isinstance(value, float):
        raise InputError(f"{option}: {name} is {value!r} ({kind}): derivatives exist by real numbers only")
    return value


def pair(text: str, option: str, what: str = "SIZE") -> tuple[str, float]:
    """Name and number of NAME=NUMBER; InputError for anything else."""
    from fem_mbd.errors import InputError

    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise InputError(f"{option} {text}: write it as NAME={what}") from None


def builder(case: Case[Any], given: Any) -> Callable[[Mapping[str, float]], Any]:
    """Function that makes the case's simulation from changed values of its real parameters."""
    from dataclasses import replace

    from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard

    def build(changed: Mapping[str, float]) -> Any:
        with arithmetic_guard(case.name):
            return case.build(replace(given, **changed))

    return build


def named_output(text: str) -> tuple[str, str]:
    """Name and expression of an output; without ``NAME=`` the expression is its name."""
    name, equals, rest = text.partition("=")
    named = equals and name.strip().isidentifier()
    return (name.strip(), rest.strip()) if named else (text.strip(), text.strip())
