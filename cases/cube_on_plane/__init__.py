"""Case: a cube on a plane under a tangential force, with decreasing normal force: stick, then slip.

Colantonio et al., projected LuGre model, section 3: a cube of side 0.1 m stands on six contact points (or four) on a
circle of radius 0.05 m. It is pressed down with 10 N and rests for 1 s; the pull grows from 0 to 0.75 N between 1 s and
2 s and holds to 3 s; then the vertical force falls to 0 at 4 s. With mu_s = 0.15 the cube must slip when 5 N remain, at
3.5 s. Until then the total friction equals the pull, the same in every direction; its distribution over the points
follows the normal forces, which shift with the pull, and repeats every 60 degrees for six points.

The contact law is N = K d**2 + D d**0.5 d' at each point, K = A/sigma**2 with sigma = 3e-9 m**2 N**0.5. Not given, and
**assumed**: the mass of the cube, 1 kg (without weight: 10 N is the whole normal force, as slip at 3.5 s shows); the
pull acts at the centre of the cube; the points have equal shares of the area of their polygon; the first point lies on
the x axis, from which directions are measured.

Every direction has its own cube in the same run. While the cube sticks, statics gives each point's share in closed
form: the normal forces are K (a + b cos(theta_j - phi))**2 with a, b from the balance of forces and moments.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.cube_on_plane.figures import plot
from fem_mbd.cases.cube_on_plane.model import Parameters, build
from fem_mbd.cases.cube_on_plane.results import checks

CASE = Case(
    "cube_on_plane",
    "a cube pulled over a plane in four directions, stick to slip as the normal force falls (projected LuGre)",
    Parameters,
    build,
    checks,
    plot,
)
