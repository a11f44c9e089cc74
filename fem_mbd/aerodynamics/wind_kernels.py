"""Velocity of the wind at a point and an instant (compiled).

The mean wind has, at time t, speed U, direction and inclination from a table, linear in between. Its axis x' is along
the direction, turned about the vertical z by the direction (0: global x); veer turns it further with height above the
reference height h. With the power law its speed is U (z/h)^a, with the logarithmic law U log(z/z0)/log(h/z0).
Turbulence is a box carried along x' at a constant speed, periodic along it, linear in between: at time t the plane
through x' = 0 is that at the distance (speed t) from the end that passed first.

An upwind tower deflects the wind like a cylinder of the local radius b in potential flow (Burton et al. 2011, eq.
3.132): with X, Y the coordinates from its axis along and across the wind,

    u = U (1 - b^2 (X^2 - Y^2)/(X^2 + Y^2)^2)        v = -2 U b^2 X Y/(X^2 + Y^2)^2

Behind a tower of drag coefficient C_d the wind is slower by the wake of Powles (1983, Wind Engineering 7), as AeroDyn
has it: with d = sqrt(X^2 + Y^2)/b and y = Y/b, where |y| < sqrt(d) and X > 0, by U C_d/sqrt(d) cos^2(pi/2 y/sqrt(d)).
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.aerodynamics.stall import square_root
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float32, matrix, vector

UNIFORM, POWER, LOGARITHMIC = 0, 1, 2
# entries of ``numbers``
PROFILE, HEIGHT, EXPONENT, VEER, GROUND = 0, 1, 2, 3, 4
BOX, STEP_X, STEP_Y, STEP_Z, FIRST_Y, FIRST_Z, CARRIED = 5, 6, 7, 8, 9, 10, 11
TOWER, TOWER_X, TOWER_Y, FOOT, TOP, RADIUS_FOOT, RADIUS_TOP = 12, 13, 14, 15, 16, 17, 18
START = 19  # m, place in the box at time 0
WAKE = 20  # drag coefficient of the tower's wake, 0 for none
NUMBERS = 21
TIME, SPEED, DIRECTION, INCLINATION = 0, 1, 2, 3
COLUMNS = 4


class WindArrays(NamedTuple):
    """A wind field."""

    numbers: Annotated[Any, vector]  # (NUMBERS,)
    table: Annotated[Any, matrix]  # (times, COLUMNS) s, m/s, rad, rad
    box: Annotated[Any, float32[:, :, :, ::1]]  # (x, y, z, 3) m/s along x', y', z; empty without turbulence


@kernel
def in_time(table, time, column):
    """A column of the table at a time."""
    last = table.shape[0] - 1
    if last == 0 or time <= table[0, TIME]:
        return table[0, column]
    if time >= table[last, TIME]:
        return table[last, column]
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if table[middle, TIME] <= time:
            low = middle
        else:
            high = middle
    share = (time - table[low, TIME]) / (table[high, TIME] - table[low, TIME])
    return table[low, column] + share * (table[high, column] - table[low, column])


@kernel
def _profile(numbers, z):
    """Factor on the speed at a height."""
    if numbers[PROFILE] == UNIFORM:
        return 1.0 + 0.0 * z
    if z.real <= 0.01:
        return 0.0 * z
    if numbers[PROFILE] == POWER:
        return np.exp(numbers[EXPONENT] * np.log(z / numbers[HEIGHT]))
    rough = numbers[EXPONENT]
    if z.real <= rough:
        return 0.0 * z
    return np.log(z / rough) / np.log(numbers[HEIGHT] / rough)


@kernel
def _place(x, first, step, count):
    """Lower index and share of the upper neighbour; beyond the grid the value at its edge."""
    at = (x - first) / step
    if at.real <= 0.0:
        return 0, 0.0 * at
    if at.real >= count - 1:
        return count - 2, 1.0 + 0.0 * at
    k = int(at.real)
    return k, at - k


@kernel
def _turbulence(numbers, box, along, y, z, time, i):
    """Component i of the turbulence at x' = along, y', z."""
    length = box.shape[0] * numbers[STEP_X]
    at = numbers[START] + numbers[CARRIED] * time - along
    at = (at - np.floor(at.real / length) * length) / numbers[STEP_X]
    a = int(at.real) % box.shape[0]
    b, s = (a + 1) % box.shape[0], at - np.floor(at.real)
    j, t = _place(y, numbers[FIRST_Y], numbers[STEP_Y], box.shape[1])
    k, r = _place(z, numbers[FIRST_Z], numbers[STEP_Z], box.shape[2])
    low = (1.0 - t) * box[a, j, k, i] + t * box[a, j + 1, k, i]
    high = (1.0 - t) * box[a, j, k + 1, i] + t * box[a, j + 1, k + 1, i]
    first = low + r * (high - low)
    low = (1.0 - t) * box[b, j, k, i] + t * box[b, j + 1, k, i]
    high = (1.0 - t) * box[b, j, k + 1, i] + t * box[b, j + 1, k + 1, i]
    return (1.0 - s) * first + s * (low + r * (high - low))


@kernel
def _at_tower(numbers, x, y, z, c, s):
    """Decrease of u and change of v, per u, by the tower; c and s: direction of the wind."""
    if numbers[TOWER] == 0.0 or z.real > numbers[TOP] or z.real < numbers[FOOT]:
        return 0.0 * x, 0.0 * x
    share = (z - numbers[FOOT]) / (numbers[TOP] - numbers[FOOT])
    b = numbers[RADIUS_FOOT] + share * (numbers[RADIUS_TOP] - numbers[RADIUS_FOOT])
    d_x, d_y = x - numbers[TOWER_X], y - numbers[TOWER_Y]
    along, across = c * d_x + s * d_y, c * d_y - s * d_x
    square = along * along + across * across
    if square.real < b.real * b.real:
        return 0.0 * x, 0.0 * x
    ratio = b * b / (square * square)
    less, side = ratio * (along * along - across * across), -2.0 * ratio * along * across
    if numbers[WAKE] > 0.0 and along.real > 0.0:
        width = square_root(square_root(square) / b)
        place = across / (b * width)
        if abs(place.real) < 1.0:
            c = np.cos(0.5 * np.pi * place.real)
            fade = c * c - 0.5 * np.pi * np.sin(np.pi * place.real) * (place - place.real)
            less += numbers[WAKE] / width * fade
    return less, side


@kernel
def wind_at(field, x, y, z, time):
    """Velocity, m/s, global axes, at a point; complex or dual coordinates carry derivatives."""
    numbers, table, box = field
    height = z - numbers[GROUND]
    turned = in_time(table, time, DIRECTION) + numbers[VEER] * (height - numbers[HEIGHT])
    # to first order in imaginary and dual parts, which carry derivatives only
    c, s = np.cos(turned.real), np.sin(turned.real)
    c, s = c - s * (turned - turned.real), s + c * (turned - turned.real)
    up = in_time(table, time, INCLINATION)
    speed = in_time(table, time, SPEED) * _profile(numbers, height)
    u, v, w = speed * np.cos(up), 0.0 * speed, speed * np.sin(up)
    if numbers[BOX] != 0.0:
        along, across = c * x + s * y, c * y - s * x
        u += _turbulence(numbers, box, along, across, z, time, 0)
        v += _turbulence(numbers, box, along, across, z, time, 1)
        w += _turbulence(numbers, box, along, across, z, time, 2)
    less, side = _at_tower(numbers, x, y, z, c, s)
    v += side * u
    u -= less * u
    return c * u - s * v, s * u + c * v, w
