"""Section loads of machines in steady rotation under gravity, against statics and centrifugal forces.

A blade with the mass m, the centre c from its root and the second moments P = int rho r r^T about the root turns at
Omega about the axis e through a point from which its root is at R. Seen from the blade, with Q = 1 - e e^T, it feels

    F = m [g + Omega^2 Q (R + c)]
    M = m c x (g + Omega^2 Q R) - Omega^2 (P e) x e           about its root

(D'Alembert; the last term is int rho r x Q r). The blades are stiffened, so that they are the rigid ones of the
formula; the flexible ones are compared with the same sums over their nodes where these are in equilibrium.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import Equilibrium, Machine, Spin
from fem_mbd.base.arrays import Array
from fem_mbd.cases import articulated_rotor, iea15mw_turbine, nrel5mw_turbine
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines import Assembly, assemble, build_rotor
from tests.machines.hawc2.decks import iea22

GRAVITY = np.array([0.0, 0.0, -9.81])
SHAFTS = {"iea15mw_turbine": "shaft_rot", "nrel5mw_turbine": "shaft", "articulated_rotor": "shaft"}
# members 100 times stiffer, connecting pieces 100 times as stiff as these: more would drown loads in round-off
STIFFER, STIFFEST = 100.0, 100.0
SPEEDS = {"iea15mw_turbine": 0.785, "nrel5mw_turbine": 1.267, "articulated_rotor": 40.0}  # rad/s
FORCES, MOMENTS = ("Fx", "Fy", "Fz"), ("Mx", "My", "Mz")


def machine_of(name: str) -> Machine:
    if name == "iea15mw_turbine":
        return iea15mw_turbine.machine()
    if name == "nrel5mw_turbine":
        return nrel5mw_turbine.machine("elastodyn")
    # a spring holds the blades up while the search for the equilibrium begins, at rest
    return build_rotor(name, articulated_rotor.rotor(articulated_rotor.Parameters(flap_spring=1e7)))


def stiffened(machine: Machine) -> Machine:
    """All members stiffer."""
    members = []
    for member in machine.members:
        table = member.blade.sections
        sections = [replace(s, stiffness=STIFFER * s.stiffness, damping=None) for s in table.sections]
        blade = replace(member.blade, sections=SectionTable(table.s, sections), damping=0.0)
        members.append(replace(member, blade=blade))
    return replace(machine, members=tuple(members))


def turning(
    machine: Machine, name: str, azimuth: float, pitch: float = 0.0, stiffest: float = 1e4, refine: int = 1
) -> tuple[Assembly, Equilibrium]:
    """In steady rotation under gravity, at an azimuth (rad) of blade 1."""
    angles = {SHAFTS[name]: azimuth}
    angles |= {b: pitch for b in machine.bearings if b.startswith("pitch")}
    made = assemble(machine, angles, gravity=9.81, locked=True, refine=refine, stiffest=stiffest)
    rotor = made.rotor
    spin = Spin(rotor.point, rotor.axis, SPEEDS[name], azimuth=0.0, nodes=rotor.nodes)
    return made, fm.find_equilibrium(made.model, spin=spin, load_steps=2)


def root_loads(found: Equilibrium, axes: str, k: int = 1) -> tuple[Array, Array]:
    loads = found.loads()
    return tuple(np.array([loads[f"Root{c}{axes}{k}"] for c in six]) for six in (FORCES, MOMENTS))  # type: ignore[return-value]


def coned_axes(made: Assembly, k: int = 1) -> Array:
    """(3, 3) c axes by their definition, from the places of shaft and blade: z to the tip, y across the shaft."""
    link = next(link for link in made.machine.links if link.name == f"pitch{k}")
    z = -made.axis(link)
    y = np.cross(z, made.rotor.axis)
    y /= np.linalg.norm(y)
    return np.column_stack([np.cross(y, z), y, z])


@pytest.mark.parametrize("name", ["iea15mw_turbine", "nrel5mw_turbine"])
@pytest.mark.parametrize("azimuth", [0.0, 2.0])
def test_root_loads_of_stiff_blades_are_statics_and_centrifugal_forces(name: str, azimuth: float) -> None:
    made, found = turning(stiffened(machine_of(name)), name, azimuth, 0.1, STIFFEST)
    blade, own = made.machine.member("blade1").blade, made.frames["blade1"]
    e, rate = made.rotor.axis, SPEEDS[name]
    across = np.eye(3) - np.outer(e, e)
    arm, centre = own.origin - made.rotor.point, own.rotation @ blade.centre_of_mass
    inertia = own.rotation @ blade.inertia @ own.rotation.T
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    force = blade.mass * (GRAVITY + rate**2 * across @ (arm + centre))
    moment = blade.mass * np.cross(centre, GRAVITY + rate**2 * across @ arm)
    moment -= rate**2 * np.cross(second @ e, e)
    axes = coned_axes(made)
    got_force, got_moment = root_loads(found, "c")
    assert got_force == pytest.approx(axes.T @ force, abs=5e-3 * float(np.linalg.norm(force)))
    assert got_moment == pytest.approx(axes.T @ moment, abs=5e-3 * float(np.linalg.norm(moment)))


@pytest.mark.parametrize("name", list(SHAFTS))
def test_root_loads_of_flexible_blades_are_the_sums_over_their_nodes(name: str) -> None:
    # the search for the equilibrium of hinged blades takes stiffnesses that are far apart as singular; the blade is
    # one element unless refined
    options: Any = {"stiffest": 1.0, "refine": 2} if name == "articulated_rotor" else {}
    made, found = turning(machine_of(name), name, 1.0, **options)
    nodes = made.beams["blade1"].nodes
    described: Any = found.forces.system.describe()["nodes"]
    force, moment = np.zeros(3), np.zeros(3)
    root, e, rate = found.of(nodes[0]).position, made.rotor.axis, SPEEDS[name]
    for node in nodes:  # the root has its share of the blade, and next to nothing of what is inside of it
        own = described[node.index]
        turned = found.of(node).rotation_matrix
        place = found.of(node).position + turned @ np.array(own["centre"])
        pull = rate**2 * (np.eye(3) - np.outer(e, e)) @ (place - made.rotor.point)
        weight = own["mass"] * (GRAVITY + pull)
        spin = turned @ np.array(own["inertia"]) @ turned.T @ (rate * e)
        force += weight
        moment += np.cross(place - root, weight) - np.cross(rate * e, spin)
    got_force, got_moment = root_loads(found, "c")
    # axes that turned with the hub: equal lengths are independent of them, components are compared elsewhere
    assert np.linalg.norm(got_force) == pytest.approx(np.linalg.norm(force), rel=1e-2)
    assert np.linalg.norm(got_moment) == pytest.approx(np.linalg.norm(moment), rel=1e-2)
    hub = made.node(*next(link for link in made.machine.links if link.name == "pitch1").first)  # type: ignore[misc]
    axes = found.of(hub).rotation_matrix @ hub.rotation.T @ coned_axes(made)
    assert got_force == pytest.approx(axes.T @ force, abs=1e-2 * float(np.linalg.norm(force)))
    assert got_moment == pytest.approx(axes.T @ moment, abs=1e-2 * float(np.linalg.norm(moment)))


def test_signs_at_four_azimuths_by_hand() -> None:
    """A blade of weight W without rotation: at 0 it stands on the hub, at 90 degrees it falls, drawing the rotor on.

    Seen by the hub. Azimuth 90: the leading edge looks down, y (to the trailing edge) up, so that Fy = -W; the moment
    about the shaft, x, is positive. At 180 it hangs, Fz = W; at 270 it rises, Fy = W. Pitched to feather by 90 degrees
    at azimuth 90, the suction side of b axes looks down: Fxb = W.
    """
    machine = stiffened(machine_of("nrel5mw_turbine"))
    weight = 9.81 * machine.member("blade1").blade.mass
    wanted = {0: (0.0, -weight), 90: (-weight, 0.0), 180: (0.0, weight), 270: (weight, 0.0)}
    for degrees, (edge, axial) in wanted.items():
        made = assemble(machine, {"shaft": np.radians(degrees)}, gravity=9.81, locked=True, stiffest=STIFFEST)
        found = fm.find_equilibrium(made.model, load_steps=2).loads()
        # the shaft is tilted by 5 degrees and the cone is 2.5: cos 7.5 degrees is 0.991, sin 0.13
        assert found["RootFyc1"] == pytest.approx(edge, abs=0.02 * weight)
        assert found["RootFzc1"] == pytest.approx(axial, abs=0.02 * weight)
        arm = made.machine.member("blade1").blade.centre_of_mass[2]
        assert found["RootMxc1"] == pytest.approx(-arm * edge, abs=0.02 * arm * weight)
        assert abs(found["RotTorq"]) < 0.01 * arm * weight  # three blades are in balance
    angles = {"shaft": np.pi / 2, "pitch1": np.pi / 2}
    made = assemble(machine, angles, gravity=9.81, locked=True, stiffest=STIFFEST)
    found = fm.find_equilibrium(made.model, load_steps=2).loads()
    assert found["RootFxb1"] == pytest.approx(weight, abs=0.02 * weight)
    assert found["RootFyc1"] == pytest.approx(-weight, abs=0.02 * weight)


def test_shaft_and_tower_carry_what_stands_on_them() -> None:
    """NREL 5 MW at rest: forces are weights from the files; the rotor hangs 5 m upwind, the nacelle 1.9 m downwind."""
    machine = stiffened(machine_of("nrel5mw_turbine"))
    made = assemble(machine, gravity=9.81, locked=True, stiffest=STIFFEST)
    found = fm.find_equilibrium(made.model, load_steps=2).loads()
    blades = sum(machine.member(f"blade{k}").blade.mass for k in (1, 2, 3))
    rotor, nacelle = 9.81 * (blades + 56780.0), 9.81 * 240000.0  # HubMass, NacMass of the file
    tower = 9.81 * machine.member("tower").blade.mass
    tilt = np.radians(5.0)
    assert found["LSShftFzs"] == pytest.approx(-rotor * np.cos(tilt), rel=5e-3)
    assert found["RotThrust"] == pytest.approx(rotor * np.sin(tilt), rel=5e-3)
    assert found["YawBrFzp"] == pytest.approx(-(rotor + nacelle), rel=2e-3)
    assert found["TwrBsFzt"] == pytest.approx(-(rotor + nacelle + tower), rel=2e-3)
    assert found["LSShftFza"] == pytest.approx(found["LSShftFzs"], rel=1e-6)
    # pitching moment about y: r x F with r = (x, 0, z) and F = (0, 0, -W) is x W; cone moves blades a little upwind
    cone = 9.81 * sum(
        machine.member(f"blade{k}").blade.mass
        * (1.5 + machine.member(f"blade{k}").blade.centre_of_mass[2])
        * np.sin(np.radians(2.5))
        for k in (1, 2, 3)
    )
    wanted = -rotor * 5.0191 * np.cos(tilt) - cone * np.cos(tilt) + nacelle * 1.9
    assert found["TwrBsMyt"] == pytest.approx(wanted, rel=2e-2)
    assert found["YawBrMyp"] == pytest.approx(found["TwrBsMyt"], rel=1e-3)
    assert abs(found["TwrBsMxt"]) < 1e-3 * abs(wanted)


def test_axes_that_do_not_turn_against_axes_that_do() -> None:
    """At azimuth psi of blade 1, y_a = cos psi y_s + sin psi z_s: the same force in both."""
    psi = 0.7
    machine = stiffened(machine_of("nrel5mw_turbine"))
    made = assemble(machine, {"shaft": psi}, gravity=9.81, locked=True, stiffest=STIFFEST)
    found = fm.find_equilibrium(made.model, load_steps=2).loads()
    for a, s in (("LSShftF", "LSShftF"), ("LSSTipM", "LSSTipM")):
        y, z = found[f"{s}ys"], found[f"{s}zs"]
        assert found[f"{a}ya"] == pytest.approx(np.cos(psi) * y + np.sin(psi) * z, rel=1e-6, abs=1.0)
        assert found[f"{a}za"] == pytest.approx(-np.sin(psi) * y + np.cos(psi) * z, rel=1e-6, abs=1.0)


def test_a_hub_that_hangs_elsewhere_on_the_shaft_is_not_in_its_end_s_loads() -> None:
    """IEA 22 MW, HAWC2: the hub's mass is at the shaft's first node, so that its end carries the blades alone."""
    machine = iea22()
    loads = machine.loads(elements=13)
    blades = sum(member.blade.mass for member in machine.members if member.name.startswith(("blade", "hub")))
    pull = np.linalg.norm([loads[name] for name in ("RotThrust", "LSShftFys", "LSShftFzs")])
    assert pull == pytest.approx(9.81 * blades, rel=1e-5)
    assert sum(lump.mass for lump in machine.member("shaft").lumps if lump.node == 0) > 1e5
