"""Commands `fem-mbd static` and `fmu`: static equilibrium of a case, and its export for co-simulation.

fem-mbd static CASE    static equilibrium of the case's structure, at rest or in steady rotation
fem-mbd fmu CASE       the case as a functional mock-up unit
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import add_case, add_figures, add_json, chosen_case, path
from fem_mbd.applications.cli.reports import figures_folder, write_line, write_report, write_warning

if TYPE_CHECKING:
    from fem_mbd.analysis.statics.equilibrium import Equilibrium
    from fem_mbd.analysis.statics.steady_rotation import Spin
    from fem_mbd.case import Case
    from fem_mbd.core.model.model import Model
    from fem_mbd.core.model.node import Node


def add_static_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `static`."""
    add_case(command)
    command.add_argument(
        "--load-factor", type=float, default=1.0, metavar="F", help="factor on the case's loads"
    )
    command.add_argument("--load-steps", type=int, default=16, metavar="N", help="the first step is 1/N")
    command.add_argument(
        "--arc-length", action="store_true", help="follow the path of equilibria past limit points"
    )
    command.add_argument("--speed", type=float, metavar="RAD/S", help="equilibrium in steady rotation")
    command.add_argument(
        "--azimuth", type=float, metavar="DEG",
        help="azimuth of the rotor at which gravity acts (without it: only its component along the axis)",
    )  # fmt: skip
    command.add_argument(
        "--buckling", type=int, default=0, metavar="N", help="also the N critical load factors nearest to it"
    )
    command.add_argument(
        "--tip", metavar="NODE", help="node to report (default: the last of the last beam, or of the model)"
    )
    add_json(command)
    add_figures(command, "results/CASE-static")
    command.add_argument(
        "--show",
        type=path,
        metavar="FILE.html",
        help="write an animation of the buckling shapes (with --buckling)",
    )
    command.set_defaults(command=static_case)


def static_case(options: argparse.Namespace) -> int:
    """Compute the equilibrium, print it, draw it."""
    from fem_mbd.analysis.statics.equilibrium import EquilibriumWarning
    from fem_mbd.case_parameters import to_plain
    from fem_mbd.errors import InputError
    from fem_mbd.output.animation.animate import ending

    case, parameters = chosen_case(options)
    spin = _spin(case, parameters, options)
    if options.show:
        ending(options.show, "--show")
    if options.show and not options.buckling:
        raise InputError("static: --show shows buckling shapes: give their number with --buckling N")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", EquilibriumWarning)
        equilibrium, tip, critical = _solve(case, parameters, spin, options)
    data = report(equilibrium, tip) | {"case": case.name, "parameters": to_plain(parameters)}
    data |= {"warnings": [str(w.message) for w in caught]}
    if critical is not None:
        data["critical_load_factors"] = critical.load_factors.tolist()
    for text in data["warnings"]:
        write_warning(text)
    data["figures"] = _figures(case, equilibrium, tip, options)
    if critical is not None and options.show:
        data["figures"].append(str(critical.animate(options.show).file))
    return write_report(data, options, table(data))


def _solve(
    case: Case[Any], parameters: Any, spin: Spin | None, options: argparse.Namespace
) -> tuple[Equilibrium, Node, Any]:
    """Equilibrium, tip node and, if requested, buckling loads."""
    from fem_mbd.analysis.statics.buckling import buckling
    from fem_mbd.analysis.statics.equilibrium import find_equilibrium
    from fem_mbd.case import arithmetic_guard
    from fem_mbd.cases import model_of

    with arithmetic_guard(case.name):
        model = model_of(case, parameters)
    tip = _tip(model, options.tip)
    equilibrium = find_equilibrium(
        model,
        options.load_factor,
        spin=spin,
        load_steps=options.load_steps,
        arc_length=options.arc_length,
    )
    return (
        equilibrium,
        tip,
        None if options.buckling == 0 else buckling(model, options.buckling, at=equilibrium),
    )


def _spin(case: Case[Any], parameters: Any, options: argparse.Namespace) -> Spin | None:
    from math import radians

    from fem_mbd.analysis.statics.steady_rotation import Spin
    from fem_mbd.errors import InputError

    speed = options.speed if options.speed is not None else getattr(parameters, "speed", None) or None
    if speed is None:
        if options.azimuth is not None:
            raise InputError(
                "static: --azimuth is for a rotation: give --speed too (0 for a rotor at standstill)"
            )
        return None
    azimuth = None if options.azimuth is None else radians(options.azimuth)
    if case.spin is not None:
        return case.spin(parameters, speed, azimuth)
    return Spin(*case.axis, speed, azimuth)


def _tip(model: Model, name: str | None) -> Node:
    from fem_mbd.base.lazy import nearest
    from fem_mbd.errors import InputError

    nodes = {node.name: node for node in model.nodes}
    if name is None:
        return model.lines[-1][1][-1] if model.lines else model.nodes[-1]
    if name not in nodes:
        raise InputError(f"static: there is no node {name!r}; {nearest(name, list(nodes))}")
    return nodes[name]


def _figures(case: Case[Any], equilibrium: Equilibrium, tip: Node, options: argparse.Namespace) -> list[str]:
    folder = figures_folder(options, f"{case.name}-static")
    if folder is None:
        return []
    from fem_mbd.output.figures.structures import draw_equilibrium

    title = f"{case.name}, static equilibrium at load factor {equilibrium.load_factor:g}"
    if equilibrium.spin is not None:
        title += f", {equilibrium.spin.rate:g} rad/s"
    return [str(draw_equilibrium(equilibrium, tip, folder / "static.png", title))]


def report(equilibrium: Equilibrium, tip: Node) -> dict[str, Any]:
    """An equilibrium as plain data; lengths in m, forces in N and N m, global axes."""
    position = equilibrium.outputs["position"][tip.index]
    path = equilibrium.path
    return {
        "load_factor": equilibrium.load_factor,
        "tip_node": tip.name,
        "tip_position": position.tolist(),
        "tip_displacement": (position - tip.position).tolist(),
        "speed_rad_s": 0.0 if equilibrium.spin is None else equilibrium.spin.rate,
        "reactions": {name: row.tolist() for name, row in equilibrium.reactions.items()},
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


def table(data: dict[str, Any]) -> str:
    """The report as text for a terminal."""

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


def add_fmu_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `fmu`."""
    add_case(command)
    command.add_argument(
        "--inputs", nargs="+", action="extend", default=[], metavar="NAME",
        help="inputs of its model (default: all), or at its parts: JOINT.torque, BODY.force[2], BODY.moment[0]",
    )  # fmt: skip
    command.add_argument(
        "--outputs", nargs="+", action="extend", default=[], metavar="PATH", required=True,
        help="quantities, PART.QUANTITY or NAME=PART.QUANTITY[k], e.g. hinge.angle",
    )  # fmt: skip
    command.add_argument("--step", type=float, metavar="S", help="default step (s) of the importing program")
    command.add_argument(
        "--out", type=path, metavar="FILE.fmu", help="the FMU (default: CASE.fmu in this folder)"
    )
    command.set_defaults(command=export_fmu)


def export_fmu(options: argparse.Namespace) -> int:
    """Write the FMU and print its name."""
    from fem_mbd.applications.cosimulation.plant import ENDING, write_fmu
    from fem_mbd.case import arithmetic_guard

    case, parameters = chosen_case(options)
    file = options.out or Path(f"{case.name}{ENDING}")
    with arithmetic_guard(case.name):
        write_line(write_fmu(case, parameters, file, options.inputs, options.outputs, options.step))
    return 0
