"""Buckling loads: linear buckling about an equilibrium, and repeated for the deformed structure.

With K(s) the saddle-point stiffness at the load factor s and K' its derivative by stresses, multipliers and loads in
the fixed configuration, linear buckling solves K phi + mu K' phi = 0 about s_0: s_0 + mu are critical. About the
unloaded structure this is the classical problem of the geometric stiffness, which neglects the deformation before
buckling. Stresses are those of the path's tangent and K is linear in them, so K' is exact. Repeated at loads ever
closer to its result, linear buckling gives the load at which the deformed structure has a singular stiffness.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eig
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

from fem_mbd.analysis.statics.bordered_newton import (
    ADVICE,
    LOADS,
    WARNING_LEVEL,
    Branch,
    Factorised,
    NoConvergence,
    Point,
    PrecisionWarning,
    Singular,
    Tracer,
    digits,
    uncertainty,
)
from fem_mbd.analysis.statics.equilibrium import Equilibrium, EquilibriumWarning, find_equilibrium
from fem_mbd.analysis.statics.path import nodal_motion
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import attached
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.errors import InputError, SolverFailure

MAX_DENSE_UNKNOWNS = 200  # number of unknowns up to which all eigenvalues are computed
IMAGINARY_TOLERANCE = 1e-6  # fraction of its magnitude: permitted imaginary part of a critical load
# fraction of the way to the next estimate: at the critical load itself the equations are singular
APPROACH = 0.9


@dataclass(frozen=True, eq=False)
class Buckling:
    """Critical loads in ascending order of distance; k loads.

    Attributes
    ----------
    about : the equilibrium about which it is linear
    load_factors : (k,) at which the stiffness is singular, estimated linearly; negative ones for the opposite load;
        without those under which a beam's strain exceeds the range of its law
    shapes : (k, nodes, 6) displacement and rotation of the nodes, global axes, largest entry one
    """

    about: Equilibrium
    load_factors: Array
    shapes: Array

    @property
    def critical(self) -> float:
        """The lowest critical load factor above the present one.

        Raises
        ------
        SolverFailure
            When there is none in that direction.
        """
        ahead = self.load_factors[self.load_factors > self.about.load_factor]
        if not len(ahead):
            raise SolverFailure("buckling: no load factor above the present one makes the stiffness singular")
        return float(ahead.min())

    def animate(self, file: str | Path | None = None, **options: Any) -> Any:
        """Animation of the buckling shapes, one page for any browser.

        Parameters
        ----------
        file : where to write the page; optional
        options : ``amplitude`` of the largest displacement, as a fraction of the model's size
        """
        return attached("Buckling.animate")(self, file, **options)


@arguments()
def buckling(model: Model, number: int = 4, *, at: Equilibrium | None = None) -> Buckling:
    """The ``number`` critical loads nearest to an equilibrium, linear about it.

        fem_mbd.buckling(model).critical  # times the loads of the model

    Parameters
    ----------
    model : with its loads
    number : of critical loads
    at : an equilibrium, for instance under a part of the load; by default that without loads

    Raises
    ------
    InputError
        For a model without loads, or an invalid number.
    SolverFailure
        When no critical load is found under which strains are small, or the equilibrium is itself critical.

    Warns
    -----
    PrecisionWarning
        When stiffnesses differ so much that round-off leaves few correct digits.
    RangeWarning
        When elements of beams are too long to buckle under the first critical load.
    """
    whole_number(number, "buckling: number")
    equilibrium = find_equilibrium(model, 0.0) if at is None else at
    branch = Branch(equilibrium.forces, LOADS)
    tracer = Tracer(branch)
    try:
        point = tracer.at(equilibrium.state, equilibrium.load_factor)
        factors = Factorised(branch.tangent(point.state, point.p))
    except (NoConvergence, Singular) as error:
        raise SolverFailure(
            f"buckling: the stiffness of model '{model.name}' is singular at load factor "
            f"{equilibrium.load_factor:g} ({error}): support it against rigid motion, or start from another load"
        ) from error
    if not np.any(branch.slope(point.state)):
        raise InputError(
            f"buckling: model '{model.name}' has no loads: add the loads under which it may buckle"
        )
    loads, vectors = _pairs(factors, _stiffness_rate(tracer, point), number)
    within = np.array([_strain_share(tracer, point, load) <= 1.0 for load in loads])
    if not within.any():
        raise SolverFailure(
            f"buckling: the stiffness of model '{model.name}' is singular only at load factors, "
            f"{', '.join(f'{point.p + load:.4g}' for load in loads)}, under which strains of its beams are beyond the "
            "range of linear laws: these are no buckling loads; the elements are too few, or the structure too short"
        )
    loads, vectors = loads[within], vectors[:, within]
    _warn_of_coarse_parts(tracer, point, float(loads[0]), model.name)
    _warn_of_round_off(branch.tangent(point.state, point.p), point.p + loads, vectors)
    shapes = np.array([nodal_motion(equilibrium.forces, equilibrium.state, v) for v in vectors.T])
    largest = np.abs(shapes[:, :, :3]).max(axis=(1, 2))
    size = np.where(largest > 0, largest, np.abs(shapes).max(axis=(1, 2)))
    return Buckling(equilibrium, point.p + loads, shapes / size[:, None, None])


@arguments()
def critical_load(
    model: Model, below: Equilibrium | None = None, *, tolerance: float = 1e-6, most: int = 20
) -> Buckling:
    """The first critical load of the structure, with its deformation up to that load.

    Linear buckling is repeated at nine tenths of the way to its last estimate.

    Parameters
    ----------
    model : with its loads
    below : equilibrium to start from, at a load factor below the critical one; by default the unloaded structure
    tolerance : relative, of the load factor
    most : largest number of repetitions

    Raises
    ------
    SolverFailure
        When the repetition does not converge, and as for `buckling`.
    """
    result = buckling(model, at=below)
    estimate = result.critical
    for _ in range(most):
        reached = result.about.load_factor
        target = reached + APPROACH * (estimate - reached)
        about = _equilibrium_before(model, target, result.about)
        if about is None:
            estimate = reached + 0.5 * (target - reached)  # the estimate was too high
            continue
        result, before = buckling(model, at=about), estimate
        estimate = result.critical
        if abs(estimate - before) <= tolerance * abs(estimate):
            return result
    raise SolverFailure(
        f"buckling: the critical load of model '{model.name}' did not converge in {most} repetitions, last "
        f"between load factors {result.about.load_factor:g} and {estimate:g}: at a limit point follow the "
        "path instead (find_equilibrium with arc_length=True)"
    )


def _equilibrium_before(model: Model, load_factor: float, start: Equilibrium) -> Equilibrium | None:
    """The equilibrium at a load factor, None when there is none short of a critical point."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", EquilibriumWarning)
        try:
            return find_equilibrium(
                model, load_factor, time=start.forces.time, spin=start.spin, start=start, load_steps=2
            )
        except (EquilibriumWarning, SolverFailure):
            return None


def _stiffness_rate(tracer: Tracer, point: Point) -> csr_matrix:
    """Derivative of K by the load factor, in the fixed configuration."""
    branch, forces = tracer.branch, tracer.branch.forces
    tangent = branch.tangent(point.state, point.p)
    step = 1.0 / point.p_s
    stress = forces.extrapolated_stress(point.state, step * point.x_s)
    only_multipliers = step * point.x_s
    only_multipliers[: forces.n] = 0.0
    return branch.tangent(forces.update(point.state, only_multipliers), point.p + 1.0, stress) - tangent


def _stresses(tracer: Tracer, point: Point, load: float) -> list[tuple[PartKind, list[Any]]]:
    """Stresses of each kind, as of `PartKind.extrapolated`, when the load factor grows by ``load``, linearly."""
    forces, by_kind = tracer.branch.forces, []
    tracer.branch.tangent(point.state, point.p)
    stresses = forces.extrapolated_stress(point.state, load / point.p_s * point.x_s)
    for kind in forces.system.kinds:
        count = len(kind.extrapolated())
        by_kind.append((kind, stresses[:count]))
        stresses = stresses[count:]
    return by_kind


def _strain_share(tracer: Tracer, point: Point, load: float) -> float:
    """Largest strain of the parts, over the limit of their laws, when the load factor grows by ``load``."""
    shares = [kind.strain_share(stresses) for kind, stresses in _stresses(tracer, point, load) if stresses]
    return max(shares, default=0.0)


def _warn_of_coarse_parts(tracer: Tracer, point: Point, load: float, name: str) -> None:
    """Issue a `RangeWarning` where elements are too long to buckle under the first critical load."""
    coarse = [
        text
        for kind, stresses in _stresses(tracer, point, load)
        if stresses
        for text in kind.too_stiff_to_buckle(stresses)
    ]
    if coarse:
        warnings.warn(
            f"buckling: model '{name}', load factor {point.p + load:.5g} may be too high: {'; '.join(coarse)}",
            RangeWarning,
            stacklevel=4,
        )


def _pairs(factors: Factorised, rate: csr_matrix, number: int) -> tuple[Array, Array]:
    """Real mu (k,) nearest to zero and vectors (n, k) of K phi + mu K' phi = 0."""
    n = rate.shape[0]
    operator = LinearOperator((n, n), matvec=lambda x: -factors.solve(rate @ x), dtype=float)
    count = 2 * number + 4
    if n <= MAX_DENSE_UNKNOWNS or count >= n - 2:
        inverse, vectors = eig(operator @ np.eye(n))
    else:
        start = np.random.default_rng(20).standard_normal(n)
        try:
            inverse, vectors = eigs(operator, count, v0=start, ncv=min(n, 2 * count + 20))
        except ArpackError as error:
            raise SolverFailure(f"buckling: ARPACK did not converge ({error})") from error
    size = np.abs(inverse)
    keep = (np.abs(inverse.imag) <= IMAGINARY_TOLERANCE * size) & (size > 1e-12 * size.max(initial=1e-300))
    mu, vectors = 1.0 / inverse.real[keep], vectors[:, keep].real
    order = np.argsort(np.abs(mu))[:number]
    if not len(order):
        raise SolverFailure("buckling: no load factor makes the stiffness singular")
    return mu[order], vectors[:, order]


def _warn_of_round_off(stiffness: csr_matrix, load_factors: Array, vectors: Array) -> None:
    """Issue a `PrecisionWarning` where load factors (k,) with vectors (n, k) have few correct digits."""
    energies = np.abs(np.einsum("ij,ij->j", vectors, stiffness @ vectors))
    relative = uncertainty(stiffness, vectors) / np.where(energies > 0, energies, np.inf)
    if relative.max() > WARNING_LEVEL:
        listed = ", ".join(f"{factor:.5g}" for factor in load_factors[relative > WARNING_LEVEL])
        warnings.warn(
            f"buckling: load factors {listed} are good to about {digits(float(relative.max()))} digits: {ADVICE}",
            PrecisionWarning,
            stacklevel=4,
        )
