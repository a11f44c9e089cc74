"""A kind of part that the core does not know, a bushing, goes through everything (docs/theory.md, section 2)."""

from dataclasses import dataclass

import numpy as np

import fem_mbd as fm
from fem_mbd.export import export_modes, export_result
from fem_mbd.figures.modal import draw_modes
from fem_mbd.model.output import XYZ, Output, Quantity
from fem_mbd.model.part_kind import PartKind

STRETCH, FORCE = Quantity("stretch", "m", "of L from K", XYZ), Quantity("force", "N", "on L", XYZ)


@dataclass(frozen=True, eq=False)
class Bushing:
    nodes: tuple[fm.Node, fm.Node]
    stiffness: float
    name: str = "bushing"

    def build(self, model: fm.Model) -> None:
        model.register(BushingKind, self)


class BushingKind(PartKind):
    label, drawn, recorded = "bushing", "line", (Output("bushing", "bushing", (STRETCH, FORCE)),)

    def __init__(self, specs, work):
        self.nodes = np.array([[n.index for n in s.nodes] for s in specs])
        self.specs, self.multipliers = specs, 0 * self.nodes[:, 0]
        self.c = np.array([[s.stiffness] for s in specs])

    def _strains(self, work):
        k, l, qs = *self.nodes.T, (work.q_i, work.q_f, work.p)
        x_i, x_f, x_p = (q[l, 0] - q[k, 0] for q in qs)
        return x_i, x_i + (x_f - x_i - x_p) / 3, x_f

    def residual(self, work) -> None:
        _, x_j, x_f = self._strains(work)
        mean, half = (0.5 * work.dt**2 * self.c * x for x in (x_j + x_f, x_f - x_j))
        for forces, force in ((work.force_m, mean - half / 3), (work.force_f, half / 3)):
            np.add.at(forces[:, 0], self.nodes, np.stack([-force, force], axis=1))

    def tangent(self, work) -> None:
        of_a_and_c = work.dt**2 * np.array(
            [[1 / 2, -1 / 6], [1 / 6, 1 / 18]]
        )  # x_f = x_i + a, x_j = x_i - c/3
        for p, n, m, i in np.ndindex(len(self.specs), 2, 2, 3):
            at = np.ix_([12 * n + i, 12 * n + 6 + i], [12 * m + i, 12 * m + 6 + i])
            work.data[self.slots[p][at]] += (1 if n == m else -1) * self.c[p] * of_a_and_c

    def ledger(self, work, row) -> None:
        x_i, x_j, x_f = self._strains(work)
        for name, x in (("elastic", x_f), ("dissipation_scheme", x_j - x_i)):
            row[name] += 0.5 * float((self.c * x**2).sum())

    def outputs(self, work):
        return {"bushing": np.hstack([(x := self._strains(work)[0]), -self.c * x])}


def test_a_foreign_kind_goes_through_everything(tmp_path) -> None:
    model = fm.Model(gravity=(0, 0, -5.0))
    node = model.add(fm.elements.RigidBody(2.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="block")).node
    model.fix(node, translation=False)
    model.add(Bushing((model.ground, node), 50.0))
    found, modes = fm.find_equilibrium(model), fm.modes(model, 3)
    part = found.of("bushing")
    assert np.allclose([part.force, part.stretch], [(0, 0, 10.0), (0, 0, -0.2)])
    assert np.allclose(modes.frequencies_hz, 5.0 / (2 * np.pi))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(0.01), file=tmp_path / "r.h5", progress=False)
    assert np.allclose(result.of("bushing").stretch[:, 2], 0.2 * (np.cos(5 * result.time) - 1), atol=1e-5)
    assert export_result(result, tmp_path / "lines") and export_result(result, tmp_path, "csv")
    assert result.summary["energy"]["relative"] < 1e-13
    assert "bushing: z [m]" in (tmp_path / "bushing.csv").read_text()
    assert draw_modes(modes, tmp_path / "m.png").exists() and export_modes(modes, tmp_path / "m").exists()
