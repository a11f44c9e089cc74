"""Report of a static equilibrium as plain data and as a table (`fem-mbd static`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fem_mbd.analysis.statics.equilibrium import Equilibrium
    from fem_mbd.core.model.node import Node


def report(found: Equilibrium, tip: Node) -> dict[str, Any]:
    """An equilibrium as plain data; lengths in m, forces in N and N m, global axes."""
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
