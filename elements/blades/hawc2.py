"""Reader of HAWC2 blades: the `_st` file (sections) and the body's `c2_def` in the htc file (centre line and twist).

Meaning of the files (HAWC2 manual, "timoschenko_input", "c2_def"):

- body axes: x to the leading edge, y to the suction side, z to the tip; ours are x = y_HAWC2, y = -x_HAWC2;
- c2_def: the half-chord line x, y, z in body axes, and the angle between local x and body x, seen along z and
  positive about +z, degrees: rule "hawc2" of `axis`. BeamDyn's twist is about -z: the same blade has the other sign;
- the nodes of HAWC2's beam are the elastic centres (x_e, y_e) of the sections at the points of c2_def, and its sections
  lie across the line through them. This line is the blade's axis; the half-chord line is kept beside it, since nodes,
  masses and aerodynamic data refer to it;
- st file: r is the arc length of the half-chord line; x_cg, y_cg, x_sh, y_sh, x_e, y_e are seen from the half chord
  in its local axes; pitch turns these about +z into the principal bending axes x_e, y_e, degrees;
- 19 columns: beam constants. EA, E I_x, E I_y act at the elastic centre, k_x G A, k_y G A and G I_p at the shear
  centre, both in principal bending axes;
- 30 columns: K11 … K66, the upper triangle by rows of the stiffness in principal bending axes at the elastic centre,
  in the order (Fx, Fy, Fz, Mx, My, Mz);
- ri_x, ri_y: radii of gyration about the axes x_e, y_e. The manual takes them at the elastic centre, and so does the
  DTU 10 MW blade; the files of the IEA 15 MW blade have them at the mass centre. The files do not specify which.
  Where both are possible and differ, `radii_at` has to be given; where the elastic centre is impossible (a negative
  moment of inertia at the mass centre would follow) the mass centre is used.

All matrices are transformed to the blade's axis. The mass per length is that of the half-chord line. Damping is not
read: the files give it as factors of the solver's matrices.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.blades.hawc2_htc import read_centre_line
from fem_mbd.elements.blades.hawc2_st import CENTRES, Radii, StDamping, StSubset, StTable
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2, FROM_HAWC2
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

_ROUND_OFF = 1e-9  # of fractions of the length: a station so near a point of c2_def is at it


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

    Its axis is the line through the elastic centres, as in HAWC2; `Blade.half_chord` is the line `c2_def`.

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
    blade = hawc2_beam(StSubset(st_file, set_number, subset), line, body, radii_at)
    return replace(blade, name=name, source=f"{st_file}, {htc_file}")


def hawc2_beam(
    subset: StSubset,
    centre_line: Array,
    body: str,
    radii_at: Radii | None = None,
    damping: StDamping | None = None,
    uniform_fits: bool = False,
) -> Blade:
    """A main body of HAWC2.

    Parameters
    ----------
    subset, body, radii_at, damping, uniform_fits : as of `StTable`
    centre_line : (n, 4) of `c2_def`, as `fem_mbd.elements.blades.hawc2_htc.centre_line` gives it

    Raises
    ------
    InputError
        Naming file, line, station and entry.
    """
    points, angles = centre_line[:, :3] @ BLADE_FROM_HAWC2.T, np.radians(centre_line[:, 3])
    half_chord = BladeAxis(points, angles, rule="hawc2")
    table = StTable(subset, half_chord.length, body, radii_at, damping, uniform_fits)
    axis = _through_elastic_centres(half_chord, table)
    # a station keeps its fraction of the piece between two points of c2_def
    s = np.interp(table.r / half_chord.length, half_chord.bounds, axis.bounds)
    nearest = axis.bounds[np.argmin(np.abs(s[:, None] - axis.bounds), axis=1)]
    s = np.where(np.abs(s - nearest) < _ROUND_OFF, nearest, s)
    elastic = table.elastic_centres(table.r)
    sections = table.sections(elastic - _apart(half_chord, axis, table, s))
    # the mass per length is that of the half-chord line: with these ratios the blade has the mass of the file
    ratios = _tributary(table.r) / _tributary(s * axis.length)
    sections = [
        replace(section, mass_per_length=ratio * section.mass_per_length, inertia=ratio * section.inertia)
        for section, ratio in zip(sections, ratios, strict=True)
    ]
    return Blade(axis, SectionTable(s, sections), name=body, half_chord=half_chord)


def _tributary(places: Array) -> Array:
    """(n,) half the distance of the neighbours of ``places`` (n,): weights of the trapezoidal rule."""
    return np.asarray(0.5 * (np.diff(places, append=places[-1]) + np.diff(places, prepend=places[0])))


def _through_elastic_centres(half_chord: BladeAxis, table: StTable) -> BladeAxis:
    """The axis through the elastic centres at the points of the half-chord line, which may be that line itself."""
    centres = table.elastic_centres(half_chord.bounds * half_chord.length)
    if not centres.any():
        return half_chord
    points = [
        _place(half_chord, float(s), centre) for s, centre in zip(half_chord.bounds, centres, strict=True)
    ]
    return BladeAxis(points, half_chord.angles, rule="hawc2")


def _apart(half_chord: BladeAxis, axis: BladeAxis, table: StTable, s: Array) -> Array:
    """(n, 2) m, the elastic centres at the stations from the axis, at the fractions ``s`` of it, HAWC2's local axes.

    They lie on it at the points of c2_def.
    """
    found = []
    for r, at, centre in zip(table.r, s, table.elastic_centres(table.r), strict=True):
        place, (position, rotation) = _place(half_chord, r / half_chord.length, centre), axis.at(float(at))
        found.append((FROM_HAWC2.T @ rotation.T @ (place - position))[:2])
    return np.array(found)


def _place(half_chord: BladeAxis, s: float, point: Array) -> Array:
    """(3,) m, blade axes, of a point (2,) in HAWC2's local axes of a section."""
    position, rotation = half_chord.at(s)
    return np.asarray(position + rotation @ FROM_HAWC2 @ [*point, 0.0])
