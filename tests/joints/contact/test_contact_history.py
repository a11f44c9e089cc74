"""Derivatives of contact forces by the history: complex step of the contact, differences of the residual.

History is the bristles, the speed at which the contact began, the largest approach and the last normal force.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.friction import Hertz, LankaraniNikravesh, LuGre, PermanentIndentation
from fem_mbd.friction.probes import gallery
from fem_mbd.friction.tangential import turned_states
from fem_mbd.joints.contact.contact_kind import ContactKind
from fem_mbd.joints.contact.geometry.contact_kinematics import Body, History, Laws, new_kinematics
from fem_mbd.joints.contact.kernels import forces as contact_kernels
from tests.joints.contact.contact_models import SHAPES, Setting
from tests.joints.contact.two_bodies import closed_step

FRICTION = {entry.name: entry.law for entry in gallery.ENTRIES}
DAMPED = LankaraniNikravesh(Hertz(5e8), 0.8)
DENTED = PermanentIndentation(Hertz(5e8), 0.8)
FADING = LuGre(sigma_0=1e5, sigma_1=5.0, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02, v_d=0.02)
UNWARNED = pytest.mark.filterwarnings(  # laws that may generate energy, or want slip along one line
    "ignore::fem_mbd.friction.ActiveLawWarning", "ignore::fem_mbd.friction.LawRangeWarning"
)


class Remembering:
    """A step of a closed contact, evaluated with a history that can be changed number by number."""

    def __init__(self, setting: Setting):
        sim, _, self.kind = closed_step(setting, 1e-3, speed=0.003)
        self.work = sim.scheme.work
        past, turned = self.kind.history, int(turned_states(self.kind.friction_laws[0]))
        past["bristles"], past["impact_speed"], past["deepest"], past["normal_force"] = 0.0, 0.02, 1.5e-5, 3.0
        for _ in range(2):
            self.kind.residual(self.work)
            past["bristles"] = self.kind.z_f
        self.z = past["bristles"][0].copy()
        self.z[:turned] *= 0.9  # sliding ones are as large as they can be: a derivative has one side there
        self.rows = np.nonzero(self.z != np.round(self.z))  # counts and flags are whole
        # the same step twice gives equal speeds, at the border of the laws' branches for loading and unloading
        scalar = self.rows[0] >= turned
        self.z[self.rows] *= np.where(scalar, 1.0 + 0.05 * self.rows[1], 1.0)
        self.at = np.array([0.02, 1.5e-5, 3.0, *self.z[self.rows]])
        vectors = np.linalg.norm(self.z[self.rows[0]], axis=1)
        self.sizes = np.abs(self.at)
        self.sizes[3:] = np.where(self.rows[0] < turned, vectors, self.sizes[3:])

    def put(self, history: Array, x: Array) -> Array:
        """Bristles (nz, 3) of the numbers x."""
        history[self.rows] = x[3:]
        return history

    def by_residual(self, x: Array) -> Array:
        """Forces (30,) and state of the friction law, from the residual that the scheme solves."""
        past, work = self.kind.history, self.work
        self.put(past["bristles"][0], x)
        past["impact_speed"], past["deepest"], past["normal_force"] = x[:3]
        work.force_m[:] = work.rows[:] = 0.0
        self.kind.residual(work)
        nodes = self.kind.records["nodes"][0]
        forces = np.concatenate([work.force_m[nodes], work.rows[nodes, None, 3:6]], axis=1) / work.dt**2
        return np.concatenate([forces.ravel(), self.kind.z_f.ravel()])

    def by_contact(self, x: Array) -> Array:
        """The same from the contact alone, complex."""
        kind: ContactKind = self.kind
        work, record = self.work, kind.records[0]
        nodes = record["nodes"]
        y, q_f, r_f = (array[nodes].astype(complex) for array in (work.x, work.q_f, work.r_f))
        bodies = [
            Body(y[s], record["arm"][s], work.q_i[n], q_f[s], work.r_i[n], r_f[s])
            for s, n in enumerate(nodes)
        ]
        forces, z_f = np.zeros((2, 5, 3), complex), np.empty(self.z.shape, complex)
        laws = Laws(kind.normal_laws[0], kind.friction_laws[0])
        past = History(self.put(self.z.astype(complex), x), x[0], x[1], x[2], work.dt)
        contact_kernels.contact_forces(record, laws, past, *bodies, new_kinematics(y, len(z_f)), forces, z_f)
        return np.concatenate([forces.ravel(), z_f.ravel()])

    def worst_error(self) -> float:
        """Largest error of the derivatives by all numbers of the history, relative to result over number."""
        now = self.by_residual(self.at)
        assert np.abs(now[:30]).max() > 0.1  # N: it is closed
        assert self.by_contact(self.at.astype(complex)).real == pytest.approx(now, rel=1e-12, abs=1e-14)
        forces = np.repeat(
            np.abs(now[:30]).reshape(2, 5, 3).max(axis=(0, 2)), 3
        )  # of each of the five vectors
        states = np.repeat(np.maximum(np.abs(now[30:]).reshape(-1, 3), np.abs(self.z)).max(axis=1), 3)
        size = np.concatenate([forces, forces, states])
        size[size == 0.0] = 1.0
        return max(self._error(j, size) for j in range(len(self.at)))

    def _error(self, j: int, size: Array) -> float:
        along = np.eye(len(self.at))[j] * self.sizes[j]
        exact = self.by_contact(self.at + 1e-40j * along).imag / (1e-40 * size)
        errors = []
        for h in (1e-2, 1e-3, 1e-4):  # large steps have truncation errors, small ones round-off
            f: Any = {k: self.by_residual(self.at + k * h * along) / size for k in (-2, -1, 1, 2)}
            errors.append(np.abs((8.0 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12.0 * h) - exact).max())
        return float(min(errors)) / max(1.0, float(np.abs(exact).max()))


@UNWARNED
@pytest.mark.parametrize("name", FRICTION)
def test_every_friction_law(name: str) -> None:
    assert Remembering(Setting(normal=DAMPED, friction=FRICTION[name])).worst_error() < 1e-9


@UNWARNED
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("normal", [DAMPED, DENTED], ids=["damped", "dented"])
def test_every_shape(shape: str, normal: Any) -> None:
    """Bristles are rotated with the plane, the normal force depends on the history."""
    contact = Remembering(Setting(shape, normal=normal, friction=FADING))
    moved = contact.by_contact(contact.at + 1e-40j * np.eye(len(contact.at))[0 if normal is DAMPED else 1])
    assert np.abs(moved.imag).max() > 0.0  # the history counts
    assert contact.worst_error() < 1e-9
