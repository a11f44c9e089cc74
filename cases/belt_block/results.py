"""What the source states about the block on the belt, as checks of a run."""

from __future__ import annotations

from math import atan, hypot, pi

import numpy as np
from numpy.typing import NDArray

from fem_mbd.cases.belt_block.laws import GROUPS, LAWS
from fem_mbd.cases.belt_block.parameters import Parameters
from fem_mbd.cases.belt_block.set_up import chosen
from fem_mbd.checks import Check, at_least, at_most, near
from fem_mbd.results import Result

Array = NDArray[np.float64]
SOURCE = "thesis on frictional contacts, section 3.4"
CLOSED = "closed form"
STUCK = 0.02  # of the belt's speed


class Block:
    """Histories of one block, (k,) each: position and velocity along the belt, slip on it, friction force on it."""

    def __init__(self, result: Result, p: Parameters, name: str) -> None:
        row = chosen(p).index(name)
        # nodes: ground, belt, blocks
        self.time = result.time
        self.position: Array = result.outputs["position"][:, 2 + row, 0]
        contact = result.contacts[:, row]
        self.slip: Array = contact["slip_velocity"][:, 0]
        self.friction: Array = contact["friction_force"][:, 0]
        self.normal: Array = contact["normal_force"]
        self.stuck = np.abs(self.slip) < STUCK * p.belt_speed

    def slips(self) -> list[tuple[float, float]]:
        """Begin and end (s) of every time of slip that the run shows whole."""
        edges = np.flatnonzero(self.stuck[1:] != self.stuck[:-1]) + 1
        begins = [k for k in edges if not self.stuck[k]]
        ends = [k for k in edges if self.stuck[k]]
        return [(float(self.time[b]), float(self.time[min(e for e in ends if e > b)])) for b in begins
                if any(e > b for e in ends)]  # fmt: skip


def slip_time(p: Parameters) -> float:
    """Duration of a slip under Coulomb friction with stiction, s: 2 [pi - atan(D omega/v)]/omega."""
    drop = (p.mu_s - p.mu_k) * p.weight / p.stiffness
    return 2.0 * (pi - atan(drop * p.omega / p.belt_speed)) / p.omega


def furthest(p: Parameters, mu: float) -> float:
    """Largest displacement when slip begins at coefficient ``mu`` and mu_k acts from then on, m."""
    middle = p.mu_k * p.weight / p.stiffness
    return middle + hypot((mu - p.mu_k) * p.weight / p.stiffness, p.belt_speed / p.omega)


def checks(result: Result, p: Parameters) -> list[Check]:
    """Books always; the source's statements on every law of a run of full length."""
    residual = result.summary["energy"]["relative"]
    found = [
        at_most("largest energy residual of a step / scale", residual, 1e-11, "energy balance of the scheme")
    ]
    if p.end_time < Parameters.end_time:
        return found
    for name in chosen(p):
        block, entry = Block(result, p, name), LAWS[name]
        work = float(-(block.friction * block.slip) @ result.step["dt"])
        found.append(at_least(f"{name}: energy taken by friction [J]", work, 0.0, "friction dissipates"))
        if entry.group == GROUPS[0]:
            found += _harmonic(block, p, name, entry.viscous)
        elif name != "bengisu_akay":
            found += _stick_slip(block, p, name)
    return found


def _harmonic(block: Block, p: Parameters, name: str, viscous: bool) -> list[Check]:
    """After break-away: an oscillation about mu_k W/k at sqrt(k/m) that never catches the belt for long."""
    rest = p.mu_k * p.weight / p.stiffness
    after = block.time > rest / p.belt_speed + 0.1
    time, x = block.time[after], block.position[after]
    crossing = np.flatnonzero((x[:-1] - x.mean() < 0) & (x[1:] - x.mean() >= 0))
    period = float(np.diff(time[crossing]).mean())
    found = [near(f"{name}: period [s]", period, 2 * pi / p.omega, 0.01, SOURCE)]
    if not viscous:
        found.append(near(f"{name}: furthest [m]", float(x.max()), furthest(p, p.mu_k), 0.01, CLOSED))
    return found


def _stick_slip(block: Block, p: Parameters, name: str) -> list[Check]:
    """Slip begins when the spring pulls with mu_s W; sticking follows slip."""
    slips = block.slips()
    found = [at_least(f"{name}: slips followed by sticking", len(slips), 1, SOURCE)]
    # Karnopp's window holds the static force until the slip has reached its limit, a tenth of a second later.
    if slips and name == "stiction":
        begin, end = slips[0]
        pull = p.mu_s * p.weight / p.stiffness / p.belt_speed
        top = furthest(p, p.mu_s)
        found.append(near(f"{name}: slip begins [s]", begin, pull, 0.003, CLOSED))
        found.append(near(f"{name}: slip lasts [s]", end - begin, slip_time(p), 0.02, CLOSED))
        found.append(near(f"{name}: furthest [m]", float(block.position.max()), top, 0.002, CLOSED))
    return found
