"""Case: a block on a moving belt, held by a spring, with several friction laws compared in one run.

The thesis on frictional contacts in multibody systems, section 3.4: 1 kg, 2 N/m, belt at 0.1 m/s, 20 s; the block
starts at the origin with the belt's speed. `law` names one friction law, several joined by `+`, or `all`: each has its
own block on the same belt. Figures 3.20 to 3.24.

The block is a point mass resting under its weight on the plane of the belt, contact stiffness **assumed**; the source's
coefficients in N are divided by the weight. Laws with a jump at rest stick by a bond that gives 1 um.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.belt_block.figures import plot
from fem_mbd.cases.belt_block.model import Parameters, build
from fem_mbd.cases.belt_block.statements import checks

CASE = Case(
    name="belt_block",
    summary="a block on a belt, held by a spring: friction laws compared, stick-slip",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
