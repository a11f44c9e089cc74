"""Reader of HAWC2 blades: the `_st` file (sections) and the body's `c2_def` in the htc file (centre line and twist).

Meaning of the files (HAWC2 manual, "timoschenko_input", "c2_def"):

- body axes: x to the leading edge, y to the suction side, z to the tip; ours are x = y_HAWC2, y = -x_HAWC2;
- c2_def: the half-chord line x, y, z in body axes, and the angle between local x and body x, seen along z and
  positive about +z, degrees: rule "hawc2" of `axis`. BeamDyn's twist is about -z: the same blade has the other sign;
- st file: r is the arc length of that line; x_cg, y_cg, x_sh, y_sh, x_e, y_e are seen from the half chord in its
  local axes; pitch turns these about +z into the principal bending axes x_e, y_e, degrees;
- 19 columns: beam constants. EA, E I_x, E I_y act at the elastic centre, k_x G A, k_y G A and G I_p at the shear
  centre, both in principal bending axes;
- 30 columns: K11 … K66, the upper triangle by rows of the stiffness in principal bending axes at the elastic centre,
  in the order (Fx, Fy, Fz, Mx, My, Mz);
- ri_x, ri_y: radii of gyration about the axes x_e, y_e. The manual takes them at the elastic centre, and so does the
  DTU 10 MW blade; the files of the IEA 15 MW blade have them at the mass centre. The files do not specify which.
  Where both are possible and differ, `radii_at` has to be given; where the elastic centre is impossible (a negative
  moment of inertia at the mass centre would follow) the mass centre is used.

All matrices are transformed to the half-chord line. Damping is not read: the files give it as factors of the solver's
matrices.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.blades.hawc2_htc import read_centre_line
from fem_mbd.elements.blades.hawc2_st import CENTRES, Radii, StSubset, read_sections
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.errors import InputError


def read_hawc2(
    st_file: str | Path,
    htc_file: str | Path,
    body: str,
    set_number: int = 1,
    subset: int = 1,
    radii_at: Radii | None = None,
    name: str = "blade",
) -> Blade:
    """The blade `body` of an htc file with the sections of one set and subset of an `_st` file.

    Parameters
    ----------
    st_file, htc_file : paths
    body : name of the main body in the htc file
    set_number, subset : of the st file, from 1
    radii_at : "mass centre" or "elastic centre", reference point of the file's radii of gyration; required where the
        two differ by more than 1e-3 and both are possible
    name : of the beam

    Raises
    ------
    InputError
        Naming file, line, station and entry: files that cannot be read, a missing body, set or subset, wrong counts,
        stations or sections of the centre line out of order, matrices that are not those of a section.
    """
    if radii_at not in (None, *CENTRES):
        raise InputError(f"read_hawc2: radii_at is {radii_at!r}: give 'mass centre' or 'elastic centre'")
    line = read_centre_line(htc_file, body)
    axis = BladeAxis(line[:, :3] @ BLADE_FROM_HAWC2.T, np.radians(line[:, 3]), rule="hawc2")
    sections = read_sections(StSubset(st_file, set_number, subset), axis.length, body, radii_at)
    return Blade(axis, sections, name=name, source=f"{st_file}, {htc_file}")
