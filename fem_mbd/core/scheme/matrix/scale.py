"""Scale of the linear equations of models whose masses are far from 1 kg: no unit decides what a zero pivot is.

Block LU, PETSc's LU, MUMPS and SuperLU compare pivots with numbers, some of them absolute. With D = 1/sqrt(mass) for
positions, 1/sqrt(moment of inertia) for rotations and sqrt(mass) for multipliers, diagonal entries of masses and of
constraints' mobilities in D A D are of order one. Scales are powers of two, so that nothing is rounded: updates of
models that need no scaling would be the same to the last bit, and are made without.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array, Indices

# masses (kg) and moments of inertia (kg m^2) for which pivots are far above 2.2e-14 and far below 1e300, as they are
UNSCALED = (1e-8, 1e12)


def power_of_two(numbers: Array) -> Array:
    """The next smaller powers of two of positive numbers."""
    return np.exp2(np.floor(np.log2(numbers)))


def scale_of(
    mass: Array, moment: Array, equation: Indices, constraint_mass: Array, constraints: Indices
) -> Array | None:
    """D (size,) of a model, None where its equations need no scaling.

    Parameters
    ----------
    mass, moment : (n,) kg and kg m^2 of the nodes, zero for nodes without
    equation : (n, 12) numbers of the nodes' equations, -1 for none
    constraint_mass : (m,) kg, the smaller one of those that each constraint joins
    constraints : (m, 2) numbers of the constraints' equations
    """
    moving = (equation >= 0).any(axis=1)
    given = np.concatenate([one[moving & (one > 0.0)] for one in (mass, moment)])
    if not len(given) or (given.min() >= UNSCALED[0] and given.max() <= UNSCALED[1]):
        return None
    scale = np.ones(int(max(equation.max(initial=-1), constraints.max(initial=-1))) + 1)
    for first, amount in ((0, mass), (3, moment), (6, mass), (9, moment)):
        usual = np.exp(np.log(amount[amount > 0.0]).mean()) if (amount > 0.0).any() else 1.0
        own = power_of_two(np.where(amount > 0.0, amount, usual) ** -0.5)
        for k in range(first, first + 3):
            free = equation[:, k] >= 0
            scale[equation[free, k]] = own[free]
    scale[constraints] = power_of_two(np.sqrt(constraint_mass))[:, None]
    return scale
