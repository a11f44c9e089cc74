"""Wind field in which a rotor turns, steady, varying or turbulent, and readers of turbulence boxes.

A `TurbulenceBox` is read from TurbSim's full fields (.bts) or HAWC2's Mann boxes (three .bin files). `Wind` has the
mean wind, its variation, such a box and the tower's shadow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fem_mbd.aerodynamics import wind_kernels as kernels
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, finite, not_negative, positive
from fem_mbd.elements.blades.text import TextFile, as_number
from fem_mbd.errors import InputError

BTS_PERIODIC, BTS_FINITE = 8, 7
BTS_HEADER = np.dtype(
    [("id", "<i2"), ("z", "<i4"), ("y", "<i4"), ("tower", "<i4"), ("times", "<i4"), ("dz", "<f4"), ("dy", "<f4"),
     ("dt", "<f4"), ("speed", "<f4"), ("height", "<f4"), ("bottom", "<f4"), ("scaling", "<f4", (3, 2)), ("text", "<i4")]
)  # fmt: skip
LARGEST_COUNT = 10**9  # of numbers in a box


@dataclass(frozen=True, eq=False)
class TurbulenceBox:
    """Fluctuations of the wind on a grid that the mean wind carries past the rotor.

    Attributes
    ----------
    values : (x, y, z, 3) float32, m/s along x' (downwind), y', z; the first plane in x is that which passes first
    steps : (3,) m
    first_y, bottom : m, of the grid's first points, y' and height
    speed : m/s, with which it is carried
    start : m, distance of x' = 0 from the first plane at time 0
    mean : m/s, of the file's mean wind; None where it has none
    periodic : whether it continues from its start
    source : the file
    """

    values: Any
    steps: tuple[float, float, float]
    first_y: float
    bottom: float
    speed: float
    start: float = 0.0
    mean: float | None = None
    periodic: bool = True
    source: str = ""

    def fill(self, numbers: Array) -> Array:
        """Put its geometry into the numbers of `wind_kernels`; returns the values."""
        numbers[kernels.BOX] = 1.0
        numbers[kernels.STEP_X : kernels.STEP_Z + 1] = self.steps
        numbers[kernels.FIRST_Y], numbers[kernels.FIRST_Z] = self.first_y, self.bottom
        numbers[kernels.CARRIED], numbers[kernels.START] = self.speed, self.start
        return np.ascontiguousarray(self.values, dtype=np.float32)

    def check_covers(self, width: float, low: float, high: float, time: float) -> None:
        """InputError when a rotor or a run is larger than the box.

        Parameters
        ----------
        width : m, largest distance of the rotor from the middle across the wind
        low, high : m, heights of its lowest and highest point
        time : s, of the run
        """
        n_x, n_y, n_z, _ = self.values.shape
        last_y, top = self.first_y + (n_y - 1) * self.steps[1], self.bottom + (n_z - 1) * self.steps[2]
        if self.first_y > -width or last_y < width or self.bottom > low or top < high:
            raise InputError(
                f"{self.source}: the box reaches from y {self.first_y:g} to {last_y:g} m and z {self.bottom:g} to "
                f"{top:g} m; "
                f"the rotor needs y {-width:.4g} to {width:.4g} m and z {low:.4g} to {high:.4g} m: make a larger box"
            )
        length = n_x * self.steps[0] / self.speed
        if not self.periodic and time > length:
            raise InputError(
                f"{self.source}: the box lasts {length:.4g} s, the run {time:.4g} s: make a longer one, "
                "or a periodic one"
            )


def read_bts(path: str | Path) -> TurbulenceBox:
    """The box of a TurbSim file; its mean wind at hub height is `TurbulenceBox.mean`, and the profile stays in the
    values.

    Parameters
    ----------
    path : of the .bts file

    Raises
    ------
    InputError
        For a file that cannot be read, is no .bts file, or is truncated.
    """
    raw = _bytes(path)
    size = BTS_HEADER.itemsize
    if len(raw) < size:
        raise InputError(f"{path}: {len(raw)} bytes are no .bts file, whose header has {size}")
    header = np.frombuffer(raw[:size], BTS_HEADER)[0]
    if header["id"] not in (BTS_FINITE, BTS_PERIODIC):
        raise InputError(f"{path}: is no TurbSim .bts file: it begins with {header['id']}, not with 7 or 8")
    n_z, n_y, n_t, n_tower = (int(header[k]) for k in ("z", "y", "times", "tower"))
    numbers = np.array([header[k] for k in ("dz", "dy", "dt", "speed", "height", "bottom")], dtype=float)
    scaling = header["scaling"].astype(float)
    if (
        min(n_z, n_y, n_t) < 2
        or n_tower < 0
        or not np.all(np.isfinite(numbers))
        or np.any(numbers[:4] <= 0.0)
    ):
        raise InputError(f"{path}: the header of the .bts file is damaged: {n_t} times, {n_y} x {n_z} points")
    if not np.all(np.isfinite(scaling)) or np.any(scaling[:, 0] == 0.0):
        raise InputError(f"{path}: the header of the .bts file is damaged: its scaling is not finite or zero")
    start, per = size + max(int(header["text"]), 0), 3 * (n_z * n_y + n_tower)
    needed = start + 2 * per * n_t
    if len(raw) < needed:
        raise InputError(f"{path}: the file is truncated: it has {len(raw)} bytes, its header needs {needed}")
    data = np.frombuffer(raw, "<i2", per * n_t, start).reshape(n_t, per)[:, : 3 * n_z * n_y]
    values = (data.reshape(n_t, n_z, n_y, 3) - scaling[:, 1]) / scaling[:, 0]
    dz, dy, dt, speed, _, bottom = numbers
    values[..., 0] -= speed
    n_x_first = 0.5 * (n_y - 1) * dy
    return TurbulenceBox(
        np.ascontiguousarray(values.transpose(0, 2, 1, 3), dtype=np.float32), (speed * dt, dy, dz), -n_x_first, bottom,
        speed, start=0.0, mean=float(speed), periodic=bool(header["id"] == BTS_PERIODIC), source=str(path),
    )  # fmt: skip


def read_mann_box(
    paths: Sequence[str | Path],
    shape: tuple[int, int, int],
    lengths: tuple[float, float, float],
    speed: float,
    centre: float,
) -> TurbulenceBox:
    """A Mann box of HAWC2: three files of float32, u, v, w, z fastest, without a header.

    Parameters
    ----------
    paths : of the three files
    shape : points along x (wind), y and z
    lengths : m, of the box along these
    speed : m/s, of the wind that carries it
    centre : m, height of the middle of the box

    Raises
    ------
    InputError
        For files that are not three, or whose size is not that of the shape.
    """
    if len(paths) != 3:
        raise InputError(f"a Mann box has three files, u, v and w: {len(paths)} are given")
    if min(shape) < 2 or np.prod(np.array(shape, dtype=float)) > LARGEST_COUNT or min(*lengths, speed) <= 0.0:
        raise InputError(
            f"Mann box: shape {shape}, lengths {lengths} m, wind {speed:g} m/s: all have to be above zero"
        )
    values = np.empty((*shape, 3), dtype=np.float32)
    for i, path in enumerate(paths):
        raw = _bytes(path)
        if len(raw) != 4 * int(np.prod(shape)):
            raise InputError(
                f"{path}: {len(raw)} bytes, a box of {shape[0]} x {shape[1]} x {shape[2]} float32 has "
                f"{4 * int(np.prod(shape))}: "
                "the file is truncated, or the shape is another"
            )
        values[..., i] = np.frombuffer(raw, "<f4").reshape(shape)
    # HAWC2's v points to the other side; the last plane of the box, at the largest x, passes first
    values[..., 1] *= -1.0
    values = values[::-1, ::-1]
    steps = (lengths[0] / shape[0], lengths[1] / (shape[1] - 1), lengths[2] / (shape[2] - 1))
    return TurbulenceBox(
        np.ascontiguousarray(values),
        steps,
        -0.5 * lengths[1],
        centre - 0.5 * lengths[2],
        speed,
        source=str(paths[0]),
    )


def _bytes(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"wind box '{path}' cannot be read: {error.strerror or error}") from error


PROFILES = {"uniform": kernels.UNIFORM, "power": kernels.POWER, "log": kernels.LOGARITHMIC}
NO_BOX = np.zeros((2, 2, 2, 3), dtype=np.float32)


@dataclass(frozen=True)
class TowerShadow:
    """A round vertical tower that deflects the wind, see `fem_mbd.aerodynamics.wind_kernels`.

    Parameters
    ----------
    x, y : m, of its axis, global axes
    foot, top : m, heights of its ends
    radius_foot, radius_top : m
    wake : drag coefficient of the tower, whose wake slows the wind down behind it; 0 for none
    """

    x: float
    y: float
    foot: float
    top: float
    radius_foot: float
    radius_top: float
    wake: float = 0.0


@arguments()
@dataclass(frozen=True, eq=False)
class Wind:
    """The wind, in global axes with z up; without direction along x.

    Parameters
    ----------
    speed : m/s at the reference height: a number, or a table (n, 2) of time (s) and speed, linear in between
    profile : over the height: "uniform", "power" or "log"
    height : m above ground, at which the speed is given; needed by the profiles and by veer
    exponent : of the power law
    roughness : m, length of the logarithmic law
    direction : deg, about the vertical, from x to y: a number or a table (n, 2) over time
    inclination : deg, upwards: a number or a table (n, 2) over time
    veer : deg/m, change of direction with height
    ground : m, height of the ground
    turbulence : added to the mean wind
    tower : that deflects the wind

    Raises
    ------
    InputError
        For times that do not ascend, numbers that are not finite, an unknown profile.
    """

    speed: Any
    _: KW_ONLY
    profile: Literal["uniform", "power", "log"] = "uniform"
    height: float = 100.0
    exponent: float = 0.2
    roughness: float = 0.03
    direction: Any = 0.0
    inclination: Any = 0.0
    veer: float = 0.0
    ground: float = 0.0
    turbulence: TurbulenceBox | None = None
    tower: TowerShadow | None = None
    arrays: kernels.WindArrays = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise InputError(f"wind: profile is {self.profile!r}: give 'uniform', 'power' or 'log'")
        numbers = np.zeros(kernels.NUMBERS)
        numbers[kernels.PROFILE] = PROFILES[self.profile]
        numbers[kernels.HEIGHT] = positive(self.height, "wind: height (m)")
        law = positive(self.roughness, "wind: roughness (m)") if self.profile == "log" else self.exponent
        numbers[kernels.EXPONENT] = finite(law, "wind: exponent")
        numbers[kernels.VEER] = np.radians(finite(self.veer, "wind: veer (deg/m)"))
        numbers[kernels.GROUND] = finite(self.ground, "wind: ground (m)")
        box: Any = NO_BOX
        if self.turbulence is not None:
            box = self.turbulence.fill(numbers)
        if self.tower is not None:
            t = self.tower
            numbers[kernels.TOWER : kernels.START] = [
                1.0,
                t.x,
                t.y,
                t.foot,
                t.top,
                t.radius_foot,
                t.radius_top,
            ]
            numbers[kernels.WAKE] = not_negative(t.wake, "tower: drag coefficient of its wake")
        object.__setattr__(self, "arrays", kernels.WindArrays(numbers, self._table(), box))

    def _table(self) -> Array:
        """(times, 4) time, speed, direction, inclination."""
        columns = [
            _over_time(getattr(self, name), f"wind: {name}") for name in ("speed", "direction", "inclination")
        ]
        times = np.unique(np.concatenate([column[:, 0] for column in columns]))
        speed, direction, inclination = (np.interp(times, *column.T) for column in columns)
        return np.stack([times, speed, np.radians(direction), np.radians(inclination)], axis=1)

    def at(self, points: Any, time: float = 0.0) -> Array:
        """(n, 3) m/s at points (n, 3) in m, global axes, at a time (s)."""
        return np.array(
            [kernels.wind_at.in_python(self.arrays, *p, time) for p in np.asarray(points, dtype=float)]
        )


def _over_time(value: Any, what: str) -> Array:
    """(n, 2) time and value."""
    if np.ndim(value) == 0:
        return np.array([[0.0, finite(value, what)]])
    table = array(value, np.shape(value), what)
    if table.ndim != 2 or table.shape[1] != 2 or not np.all(np.diff(table[:, 0]) > 0.0):
        raise InputError(f"{what}: give a number, or a table (n, 2) of ascending times (s) and values")
    return table


def read_uniform_wind(path: str | Path, height: float) -> Wind:
    """The wind of a file of InflowWind's uniform winds (type 2, `.wnd`, `.hh`): a row for each time.

    Columns: time (s), speed (m/s), direction (deg, clockwise from above), vertical speed (m/s), horizontal shear,
    exponent of the power law, linear vertical shear, gust speed (m/s), and maybe an upflow angle (deg). The gust's
    speed is added to the speed; what follows ! is a comment.

    Parameters
    ----------
    path : of the file
    height : m above ground, of the speeds

    Raises
    ------
    InputError
        Naming file and line: rows that are too short or no numbers, times that do not ascend, linear shears, which are
        not computed, and an exponent that varies.
    """
    text, rows = TextFile(path, "uniform wind file"), []
    for number, line in enumerate(text.lines):
        words = line.split("!")[0].split()
        if not words:
            continue
        values = [as_number(word) for word in words[:9]]
        if len(values) < 8 or any(value is None or not np.isfinite(value) for value in values):
            text.fail("a row of at least eight numbers should stand here", number)
        rows.append([*values, 0.0][:9])
        if any(values[k] != 0.0 for k in (4, 6)):
            text.fail(
                "horizontal shear and linear vertical shear are not computed: they have to be zero", number
            )
        if values[5] != rows[0][5]:
            text.fail("the exponent of the power law has to be the same in all rows", number)
        if len(rows) > 1 and rows[-1][0] <= rows[-2][0]:  # type: ignore[operator]
            text.fail("times do not ascend", number)
    if not rows:
        raise InputError(f"{path}: there is no row of time, speed and direction")
    table = np.array(rows, dtype=float)
    t, along, exponent = table[:, 0], table[:, 1] + table[:, 7], float(table[0, 5])
    upwards = np.degrees(np.arctan2(table[:, 3], np.maximum(along, 1e-9))) + table[:, 8]
    speed = np.hypot(along, table[:, 3])
    columns = [np.stack([t, column], axis=1) for column in (speed, -table[:, 2], upwards)]
    return Wind(
        columns[0], profile="power" if exponent else "uniform", height=height, exponent=exponent,
        direction=columns[1], inclination=columns[2],
    )  # fmt: skip


def coherent_gust(speed: float, amplitude: float, start: float, rise: float) -> Array:
    """Extreme coherent gust of IEC 61400-1: (n, 2) s and m/s, V + A (1 - cos(pi t/T))/2, then V + A.

    Parameters
    ----------
    speed, amplitude : m/s
    start, rise : s
    """
    t = np.linspace(0.0, rise, 101)
    gust = speed + 0.5 * amplitude * (1.0 - np.cos(np.pi * t / rise))
    return _from(speed, start, t, gust)


def operating_gust(speed: float, amplitude: float, start: float, length: float = 10.5) -> Array:
    """Extreme operating gust of IEC 61400-1: (n, 2) s and m/s, V - .37 A sin(3 pi t/T) (1 - cos(2 pi t/T)).

    Parameters
    ----------
    speed, amplitude : m/s
    start, length : s
    """
    t = np.linspace(0.0, length, 211)
    gust = speed - 0.37 * amplitude * np.sin(3 * np.pi * t / length) * (1.0 - np.cos(2 * np.pi * t / length))
    return _from(speed, start, t, gust)


def _from(speed: float, start: float, t: Array, values: Array) -> Array:
    table = np.column_stack([start + t, values])
    return table if start <= 0.0 else np.vstack([[0.0, speed], table])
