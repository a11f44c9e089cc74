"""The contacts' tangent against a complex step over all 24 unknowns of their nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.nodes.node_kernels import all_maps
from fem_mbd.core.scheme.nodes.node_map import node_configuration
from fem_mbd.friction import Anisotropic, Coulomb, Frictionless, HuntCrossley, Linear
from fem_mbd.joints.contact.contact_kind import ContactKind
from fem_mbd.joints.contact.geometry.contact_kinematics import Body, History, Laws, new_kinematics
from fem_mbd.joints.contact.kernels.forces import contact_forces
from fem_mbd.joints.contact.kernels.tangent import tangent
from tests.joints.contact.clearance_models import Setting as DiskSetting
from tests.joints.contact.contact_models import SHAPES, Setting
from tests.joints.contact.two_bodies import FRICTION, closed_step

H = 1e-40  # of the complex step
LAWS: dict[str, Any] = {
    "LuGre": FRICTION,
    "Coulomb": Coulomb(0.3, 0.01),
    "with an axis": Anisotropic(FRICTION, 0.5, (1.0, 2.0, 0.0)),
    "frictionless": Frictionless(),
}
DAMPED = HuntCrossley(Linear(1e6), 0.3)


def by_complex_step(kind: ContactKind, work: Workspace) -> Array:
    """(24, 24) derivatives of the equations by a, b, c and e of both nodes, at fixed maps of the nodes."""
    all_maps(work.x, work.r_i, work.r_f, work.w_m, work.w_f, work.spin, work.d_q, work.d_p)
    contact, dt = kind.records[0], work.dt
    x, z_f = work.x[contact["nodes"]].astype(complex), np.empty(kind.z_f[0].shape, complex)
    kinematics, forces, out = new_kinematics(x, len(z_f)), np.empty((2, 5, 3), complex), np.zeros((24, 24))
    for j in range(24):
        x[j // 12, j % 12] += 1j * H
        bodies = []
        for arm, node, unknowns in zip(contact["arm"], contact["nodes"], x, strict=True):
            q, p, r = np.empty((4, 3), complex), np.empty((4, 3), complex), np.empty((3, 3), complex)
            node_configuration(unknowns, work.r_i[node], work.q_i[node], q, p, r)
            bodies.append(Body(unknowns, arm, work.q_i[node], q, work.r_i[node], r))
        laws = Laws(kind.normal_laws[0], kind.friction_laws[0])
        bristles, began, deepest, before = kind.history[0]
        past = History(bristles, began, deepest, before, dt)
        contact_forces(contact, laws, past, *bodies, kinematics, forces, z_f)
        x[j // 12, j % 12] = x[j // 12, j % 12].real
        for side, node in enumerate(contact["nodes"]):
            f, w_m, rows = forces[side].imag / H, work.w_m[node], out[12 * side : 12 * side + 12, j]
            rows[:3], rows[3:6] = f[0], f[4] + np.einsum("aij,ai->j", w_m[..., :3], f[1:4])
            rows[9:] = np.einsum("aij,ai->j", w_m[..., 3:], f[1:4])
    return dt**2 * out


def by_kernel(kind: ContactKind, work: Workspace) -> Array:
    """The same from the kernel of the scheme."""
    all_maps(work.x, work.r_i, work.r_f, work.w_m, work.w_f, work.spin, work.d_q, work.d_p)
    data, past = np.zeros(577), kind.history
    tangent(
        kind.records, kind.normal_laws, kind.friction_laws, past["bristles"], past["impact_speed"], past["deepest"],
        past["normal_force"], work.dt, work.x, work.r_i, work.q_i, work.r_f, work.q_f, work.spin, work.w_m, work.lin_m,
        np.arange(576).reshape(1, 24, 24), data,
    )  # fmt: skip
    return data[:576].reshape(24, 24)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("shape", [*SHAPES, "ball in socket", "disk in cylinder"])
def test_tangent_is_that_of_a_complex_step_over_all_unknowns(shape: str, law: str) -> None:
    for seed in range(2):
        if shape == "disk in cylinder":
            disk = DiskSetting(normal=DAMPED, friction=LAWS[law], gap=-5e-5)
            sim, _, kind = closed_step(disk, 1e-3, seed, speed=0.03)
        else:
            sim, _, kind = closed_step(
                Setting(shape, gap=-5e-5, normal=DAMPED, friction=LAWS[law]), 1e-3, seed, speed=0.03
            )
        work = sim.scheme.work
        assert kind.records[0]["normal_force"] > 1.0
        expected = by_complex_step(kind, work)
        error = np.abs(by_kernel(kind, work) - expected)
        assert error.max() < 1e-11 * np.abs(expected).max()
        rows, columns = np.abs(expected).max(axis=1, keepdims=True), np.abs(expected).max(axis=0)
        assert (error <= 1e-9 * np.minimum(rows, columns) + 1e-14 * np.abs(expected).max()).all()
