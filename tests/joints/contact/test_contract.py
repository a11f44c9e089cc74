"""Properties of every closed contact: tangent, exact work, balance of forces, frames, energy and momentum."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fem_mbd import friction
from fem_mbd.core.rotations import rotation_about
from fem_mbd.friction.normal.dispatch import normal_potential
from fem_mbd.friction.records import FrictionLaw
from fem_mbd.friction.tangential import stored_energy
from fem_mbd.joints.contact.contact_kind import ContactKind
from tests.core.scheme_tools import column, momenta, pulled_back, simulation, tangent_error, worst_residual
from tests.joints.contact.clearance_models import Setting as Disk
from tests.joints.contact.contact_models import NORMAL, SHAPES, Setting as Contact
from tests.joints.contact.revolute.bearing_models import PLACES, Placed, places
from tests.joints.contact.two_bodies import FRICTION, closed_step, restarted

DAMPED = friction.HuntCrossley(friction.Linear(1e6), 0.2)
SOFT = friction.LuGre(sigma_0=1e2, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=1.0)
LAWS: dict[str, FrictionLaw] = {
    "LuGre": FRICTION,
    "Coulomb": friction.Coulomb(0.3, 1e-3),
    "none": friction.Frictionless(),
}
CLOSED = {2: 2, 3: 1, 4: 3, 5: 1, 6: 1, 9: 2, 11: 3, 12: 3, 13: 4}  # contacts of a journal in its scenarios
CHANGES: dict[str, dict[str, Any]] = {
    "LuGre": {},
    "frictionless": {"friction": friction.Frictionless()},
    "Lankarani": {"normal": friction.LankaraniNikravesh(friction.Hertz(3e9), 0.8)},
    "with an axis": {"normal": DAMPED, "friction": friction.Anisotropic(FRICTION, 0.5, (1.0, 2.0, 0.0))},
}
HARD: dict[str, Any] = {
    f"{shape}, {name}": Contact(shape, **laws) for shape in SHAPES for name, laws in CHANGES.items()
} | {
    "ball in socket": Contact("ball in socket"),
    "ball in socket, with an axis": Contact("ball in socket", **CHANGES["with an axis"]),
    "ball in socket, printed": Contact("ball in socket", friction_point="printed"),
    "ball in socket, Coulomb": Contact("ball in socket", friction=friction.Coulomb(0.3, 1.0)),
    "sphere on sphere, Coulomb": Contact("sphere on sphere", friction=friction.Coulomb(0.3, 1.0)),
    "disk, tilted": Disk(),
    "disk, aligned": Disk(tilt=0.0, angle=2.0),
    "disk, much tilted": Disk(tilt=-0.2, angle=4.0),
    "disk, frictionless": Disk(friction=friction.Frictionless()),
    "disk, Hertz": Disk(normal=friction.HuntCrossley(friction.Hertz(3e9), 0.3)),
}


@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("name", HARD)
def test_tangent(name: str, ground: bool) -> None:
    closed = 0
    for seed in range(2):
        sim, y, kind = closed_step(HARD[name], 1e-3, seed, ground=ground, speed=0.03)
        if kind.records[0]["normal_force"] > 0.0:
            closed += 1
            assert tangent_error(sim, y, 3e-8) < 5e-8  # that of the differences
    assert closed > 0


@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("number", CLOSED)
def test_tangent_of_several_contacts(number: int, ground: bool) -> None:
    """The law linear and bristles soft, so that differences of 1e-7 are good to 1e-10."""
    p = replace(places(8e-6)[number], normal=DAMPED, friction=SOFT)
    sim, y, kind = closed_step(p, 1e-4, 1, speed=0.01, ground=ground)
    assert np.count_nonzero(kind.records["normal_force"]) == CLOSED[number]
    assert tangent_error(sim, y, 1e-7) < 1e-9


def counted(kind: ContactKind) -> tuple[float, float]:
    """J that contacts and bristles store and count as lost in a step, and the size of these energies."""
    total = size = 0.0
    for n, r in enumerate(kind.records):
        law, normal, past = kind.friction_laws[n], kind.normal_laws[n], kind.history[n]
        before = float(stored_energy(law, past["bristles"], past["normal_force"]))
        after = float(stored_energy(law, kind.z_f[n], r["normal_force"]))
        v_i, v_f = (float(normal_potential(normal, r[gap])) for gap in ("gap_i", "gap_f"))
        total += v_f - v_i + after - before + r["loss_contact"] + r["loss_friction"]
        size += v_i + v_f + abs(r["loss_friction"]) + after + before
        assert r["loss_contact"] >= 0.0
    return total, size


WORKING: dict[str, Any] = (
    {shape: Contact(shape, normal=DAMPED, gap=-1e-4) for shape in (*SHAPES, "ball in socket")}
    | {"ball in socket, printed": Contact("ball in socket", gap=-1e-4, friction_point="printed")}
    | {f"disk {n}": Disk(normal=DAMPED, angle=1.5 * n, tilt=0.1 * n) for n in range(4)}
    | {f"journal {n}": replace(PLACES[n], normal=DAMPED, friction=FRICTION) for n in (2, 4, 9, 11, 12, 13)}
)


@pytest.mark.parametrize("dt", [1e-5, 1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("name", WORKING)
def test_work_is_exact_at_any_step(name: str, dt: float) -> None:
    """The work of the contact forces is the change of stored energy plus the recorded losses."""
    setting = WORKING[name]
    for seed in range(3):
        speed = min(0.1, 1e-3 / dt) if isinstance(setting, Placed) else 0.2
        sim, _, kind = closed_step(setting, dt, seed, speed=speed)
        taken = float((pulled_back(sim, kind) * sim.scheme.workspace.x).sum())
        total, size = counted(kind)
        assert size > 0.0
        assert taken == pytest.approx(total, abs=2e-13 * size + 1e-15 * kind.records["normal_force"].sum())


FLAT: dict[str, Any] = {shape: Contact(shape) for shape in (*SHAPES, "ball in socket")} | {
    f"disk {tilt:g}": Disk(tilt=tilt) for tilt in (0.0, 0.1)
}


@pytest.mark.parametrize("name", FLAT)
def test_forces_and_moments_balance(name: str) -> None:
    """At one configuration, with loaded bristles: forces and moments on the two bodies cancel."""
    sim, y, kind = closed_step(FLAT[name], 1e-3)
    sim.scheme.residual(0 * y, np.empty_like(y))
    rows = pulled_back(sim, kind)[1:]
    state = sim.state
    assert np.linalg.norm(kind.records[0]["mu"]) > 0.01
    force = rows[:, :3]
    moment = np.einsum("nij,nj->ni", state.r[1:], rows[:, 3:6]) + np.cross(state.u[1:], force)
    assert np.abs(force).max() > 1.0 and np.abs(rows[:, 3:6]).max() > 0.1
    assert force.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-13)
    assert moment.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-13)
    if name.startswith("disk "):
        assert rows[:, 6:] == pytest.approx(0.0, abs=1e-14 if name == "disk 0" else 1e-1)


def test_friction_at_the_two_printed_points_leaves_the_moment_of_their_distance() -> None:
    """Bauchau and Ju, eqs. 5 to 7: force and penetration times mu, about the axis normal to both."""
    sim, y, kind = closed_step(Contact("ball in socket", friction_point="printed"), 1e-3)
    sim.scheme.residual(0 * y, np.empty_like(y))
    rows, state, r = pulled_back(sim, kind)[1:], sim.state, kind.records[0]
    moment = np.einsum("nij,nj->ni", state.r[1:], rows[:, 3:6]) + np.cross(state.u[1:], rows[:, :3])
    # -f_n mu on L at its surface, beyond that of K by the penetration; rows are internal forces
    expected = -np.cross(r["gap_f"] * r["normal"], -r["normal_force"] * r["mu"])
    assert np.linalg.norm(expected) > 1e-6
    assert moment.sum(axis=0) == pytest.approx(expected, abs=1e-6 * float(np.linalg.norm(expected)))


@pytest.mark.parametrize("name", FLAT)
def test_frame_invariance(name: str) -> None:
    turn = rotation_about((3, -1, 2), 2.2)
    results, gaps = [], []
    for frame in (np.eye(3), turn):
        sim, _, kind = closed_step(replace(FLAT[name], frame=frame), 1e-3, seed=2, speed=0.01)
        rows, r = pulled_back(sim, kind)[1:], kind.records[0]
        assert r["normal_force"] > 0.0
        z = kind.z_f[0] if r["in_frame"] else kind.z_f[0] @ frame
        results.append((rows[:, :3] @ frame, rows[:, 3:6], rows[:, 9:], z, frame.T @ r["mu"]))
        gaps.append(float(r["gap_f"]))
    for a, b in zip(*results, strict=True):
        assert b == pytest.approx(a, abs=1e-9 * max(np.abs(a).max(), 1e-9))
    assert gaps[1] == pytest.approx(gaps[0], abs=1e-15)


COLLIDING: dict[str, Any] = {shape: Contact(shape, gap=2e-4) for shape in SHAPES} | {
    "disk": Disk(gap=2e-4, tilt=0.0),
    "disk, tilted": Disk(gap=2e-4, tilt=0.08),
    "journal": Placed((1e-4, 0.0, 1e-4), 0.01, normal=friction.HuntCrossley(friction.Linear(1e6), 0.5)),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", COLLIDING)
def test_energy_balance_and_momentum_of_bodies_that_collide(name: str, law: str) -> None:
    """Free bodies: constant momentum, energy falls by the losses, friction releases the bristles' energy at most."""
    setting = replace(COLLIDING[name], friction=LAWS[law])
    inside = not isinstance(setting, Contact)
    sim = simulation(setting.model(), 5e-5, 0.06 if inside else 0.02)
    rng = np.random.default_rng(5)
    if inside:
        sim.state.v[1:] = 0.1 * rng.normal(size=(2, 3))
    else:
        sim.state.v[2] = -0.1 * NORMAL
    sim.state.omega[1:] = (2.0 if inside else 0.5) * rng.normal(size=(2, 3))
    linear, angular = momenta(restarted(sim))
    records, scenarios = [], set()
    for record in sim.steps():
        records.append(record.energy)
        scenarios |= {int(s) for s in sim.outputs().get("journal", np.zeros((0, 1)))[:, 0]}
    ledger = np.array(records)
    contact, bristle, lost = (column(ledger, f) for f in ("contact", "bristle", "dissipation_friction"))
    assert np.count_nonzero((contact[1:] > 0) & (contact[:-1] == 0)) >= (2 if inside else 1)
    assert worst_residual(sim, ledger) < 1e-12
    after, angular_after = momenta(sim)
    assert after == pytest.approx(linear, abs=1e-12)
    # free bodies drift with dt^3, see docs/explanation/theory.md, 3
    assert inside or angular_after == pytest.approx(angular, abs=1e-8)
    assert (lost + np.diff(bristle, prepend=0.0) > -1e-12 - np.concatenate([[0.0], bristle[:-1]])).all()
    assert lost.sum() > (1e-7 if law != "none" else -1.0)
    if name == "journal":
        assert len(scenarios) >= 4 and column(ledger, "dissipation_contact").sum() > 0.0
