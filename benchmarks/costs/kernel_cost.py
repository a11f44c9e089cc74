"""Cost of the compiled kernels of beams and joints: microseconds for residual and tangent of one part.

    python -m benchmarks.costs.kernel_cost

The model is a chain of beams connected by revolute joints, in a step of its free fall. The smallest of many repetitions
counts, as the rest is due to other load of the machine.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.elements import Beam, Section
from fem_mbd.joints import Revolute

PARTS = 20
REPETITIONS = 300


def chain(order: int, damping: float) -> fm.Model:
    """Beams of one element end to end along axis 1, hinged to each other about axis 3 and to the ground."""
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    section = Section(np.diag([1e6, 4e5, 4e5, 80.0, 100.0, 100.0]), 1.0, 1e-3 * np.diag([2.0, 1.0, 1.0]))
    before: Any = model.ground
    for k in range(PARTS):
        beam = model.add(
            Beam(section, (k, 0.0, 0.0), (k + 1.0, 0.0, 0.0), elements=1, order=order, damping=damping)
        )
        model.add(Revolute(before, beam.start, axis=(0.0, 0.0, 1.0)))
        before = beam.end
    return model


def costs(model: fm.Model) -> dict[str, tuple[float, float]]:
    """Microseconds for residual and tangent of one part, by the label of its kind."""
    system = System(model)
    scheme = Scheme(system, system.reference_state())
    y = scheme.begin(1e-3)
    f = np.empty(system.size)
    y = y + 1e-4 * np.random.default_rng(1).standard_normal(len(y))
    scheme.residual(y, f)
    scheme.tangent()
    return {
        kind.label: (best(kind.residual, system.workspace), best(kind.tangent, system.workspace))
        for kind in system.kinds
    }


def best(call: Any, work: Any) -> float:
    """Microseconds for one part in the fastest of many calls."""
    seconds = []
    for _ in range(REPETITIONS):
        start = perf_counter()
        call(work)
        seconds.append(perf_counter() - start)
    return 1e6 * min(seconds) / PARTS


def main() -> None:
    """Print the table."""
    print("part                         residual  tangent, microseconds")
    for order in (2, 3, 4):
        for damping in (0.0, 1e-3):
            for label, (residual, tangent) in costs(chain(order, damping)).items():
                print(f"{label:6} {order} nodes, damping {damping:5g} {residual:8.2f} {tangent:8.2f}")


if __name__ == "__main__":
    main()
