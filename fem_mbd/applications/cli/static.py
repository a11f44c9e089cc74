"""`fem-mbd static CASE`: static equilibrium of a case's structure, at rest or in steady rotation."""

from __future__ import annotations

import argparse
import warnings
from math import radians
from pathlib import Path
from typing import Any

from fem_mbd.analysis.statics.buckling import buckling
from fem_mbd.analysis.statics.equilibrium import Equilibrium, EquilibriumWarning, find_equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.applications.cli.answers import answer, chosen, head, warn
from fem_mbd.base.suggestions import nearest
from fem_mbd.case import Case
from fem_mbd.cases import model_of
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.errors import InputError
from fem_mbd.output.animation.formats import ending
from fem_mbd.runs.running.computable import computable


def static_case(options: argparse.Namespace) -> int:
    """Find the equilibrium, tell it, draw it."""
    case, parameters = chosen(options.case, options)
    spin = _spin(case, parameters, options)
    if options.show:
        ending(options.show, "--show")
    if options.show and not options.buckling:
        raise InputError("static: --show shows buckling shapes: say how many with --buckling N")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", EquilibriumWarning)
        with computable(case.name):
            model = model_of(case, parameters)
        tip = _tip(model, options.tip)
        found = find_equilibrium(
            model,
            options.load_factor,
            spin=spin,
            load_steps=options.load_steps,
            arc_length=options.arc_length,
        )
        critical = None if options.buckling == 0 else buckling(model, options.buckling, at=found)
    data = report(found, tip) | head(case, parameters)
    data |= {"warnings": [str(w.message) for w in caught]}
    if critical is not None:
        data["critical_load_factors"] = critical.load_factors.tolist()
    warn(data["warnings"])
    data["figures"] = _figures(case, found, tip, options)
    if critical is not None and options.show:
        data["figures"].append(str(critical.animate(options.show).file))
    return answer(data, options, _table(data))


def report(found: Equilibrium, tip: Node) -> dict[str, Any]:
    """What an equilibrium is, as plain data; lengths in m, forces in N and N m, global axes."""
    place = found.outputs["position"][tip.index]
    path = found.path
    return {
        "load_factor": found.load_factor,
        "tip_node": tip.name,
        "tip_position": place.tolist(),
        "tip_displacement": (place - tip.position).tolist(),
        "speed_rad_s": 0.0 if found.spin is None else found.spin.rate,
        "reactions": {name: row.tolist() for name, row in found.reactions.items()},
        "limit_points": path.limits,
        "bifurcations": path.bifurcations,
        "path": {
            "load_factors": path.load_factors,
            "speeds_rad_s": path.speeds,
            "tip_positions": [p[tip.index].tolist() for p in path.positions],
        },
        "steps": len(path.load_factors),
        "newton_iterations": path.iterations,
    }


def _spin(case: Case[Any], parameters: Any, options: argparse.Namespace) -> Spin | None:
    speed = options.speed if options.speed is not None else getattr(parameters, "speed", None) or None
    if speed is None:
        if options.azimuth is not None:
            raise InputError(
                "static: --azimuth is that of a rotation: give --speed too (0 holds the rotor still)"
            )
        return None
    azimuth = None if options.azimuth is None else radians(options.azimuth)
    if case.spin is not None:
        return case.spin(parameters, speed, azimuth)
    return Spin(*case.axis, speed, azimuth)


def _tip(model: Model, name: str | None) -> Node:

    if name is None:
        return model.nodes[-1]
    for node in model.nodes:
        if node.name == name:
            return node
    raise InputError(
        f"static: there is no node {name!r}; {nearest(name, [node.name for node in model.nodes])}"
    )


def _figures(case: Case[Any], found: Equilibrium, tip: Node, options: argparse.Namespace) -> list[str]:
    if options.no_plot or (options.json and options.out is None):
        return []
    from fem_mbd.output.figures.static import draw_equilibrium

    folder = options.out or Path("results") / f"{case.name}-static"
    folder.mkdir(parents=True, exist_ok=True)
    title = f"{case.name}, static equilibrium at load factor {found.load_factor:g}"
    if found.spin is not None:
        title += f", {found.spin.rate:g} rad/s"
    return [str(draw_equilibrium(found, tip, folder / "static.png", title))]


def _table(data: dict[str, Any]) -> str:
    def vector(values: list[float]) -> str:
        return "  ".join(f"{x:14.7g}" for x in values)

    rows = [
        ("load factor", f"{data['load_factor']:14.7g}"),
        ("speed [rad/s]", f"{data['speed_rad_s']:14.7g}"),
        (f"position of {data['tip_node']} [m]", vector(data["tip_position"])),
        ("displacement [m]", vector(data["tip_displacement"])),
    ]
    for name, row in data["reactions"].items():
        rows += [(f"support {name}, force [N]", vector(row[:3])), ("moment [N m]", vector(row[3:]))]
    for key, label in (
        ("limit_points", "limit points at load factors"),
        ("bifurcations", "bifurcations at"),
        ("critical_load_factors", "critical load factors"),
    ):
        if data.get(key):
            rows.append((label, vector(data[key])))
    rows.append(("steps, Newton iterations", f"{data['steps']:14d}  {data['newton_iterations']:14d}"))
    width = max(len(label) for label, _ in rows)
    return "\n".join([*(f"{label.ljust(width)}  {text}" for label, text in rows), *data["figures"]])
