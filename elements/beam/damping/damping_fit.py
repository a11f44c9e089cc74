"""Fit of stiffness-proportional (Kelvin-Voigt) damping times to given damping ratios of a beam's modes.

With D = S C S, S = diag(sqrt(eta)), mode k of the isolated beam has, for small damping,

    zeta_k = (1/(2 omega_k)) int eps_k . D eps_k ds          (unit modal mass)

which is linear in eta except for the coupled entries of C; there sqrt(eta_i eta_j) is replaced by the mean of both for
the fit, and the ratios reported are those of the true D. Three non-negative times are fitted by least squares of the
relative errors: bending and shear along axis 2 (strains shear 2 and bend 3), along axis 3 (shear 3, bend 2), and
stretch with twist; or one for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.beam.damping.modes import beam_modes
from fem_mbd.errors import InputError

GROUPS = ((1, 5), (2, 4), (0, 3))


@dataclass(frozen=True, eq=False)
class DampingFit:
    """Result of a damping fit; ``str(fit)`` is a table.

    Attributes
    ----------
    times : (6,) s, for the ``damping`` of the beam
    frequencies_hz : (k,) of the modes
    wanted, found : (k,) damping ratios
    """

    times: Array
    frequencies_hz: Array
    wanted: Array
    found: Array

    def __str__(self) -> str:
        rows = ["mode  frequency [Hz]  wanted    found"]
        pairs = zip(self.frequencies_hz, self.wanted, self.found, strict=True)
        rows += [f"{k + 1:4d}  {f:14.4f}  {w:.5f}  {z:.5f}" for k, (f, w, z) in enumerate(pairs)]
        return "\n".join([*rows, "times [s]: " + ", ".join(f"{t:.4g}" for t in self.times)])


def fit_damping(model: Model, beam: BeamHandle, ratios: Sequence[float], single: bool = False) -> DampingFit:
    """Fit the damping times of a beam to the damping ratios of its lowest modes.

    Modes are those of the undamped beam clamped at its start, with the masses on its nodes.

    Parameters
    ----------
    model : model of the beam
    beam : its handle
    ratios : (k,) of critical damping, above zero, one for each of the lowest modes
    single : fit one time for all strains

    Raises
    ------
    InputError
        For ratios that are not above zero, and more of them than the beam has modes.
    """
    what = f"fit_damping for '{beam.name}'"
    wanted = array(ratios, np.shape(ratios), f"{what}: ratios")
    if wanted.ndim != 1 or len(wanted) == 0 or np.any(wanted <= 0.0):
        raise InputError(
            f"{what}: ratios are {wanted.tolist()}: give one above zero for each of the lowest modes"
        )
    modes = beam_modes(model, beam, len(wanted), what)
    # section axes, to which the times refer
    turn = np.kron(np.eye(2), beam.offset_rotation)
    strains, stiffness = modes.strains @ turn.T, turn @ modes.stiffness @ turn.T
    energy = np.einsum("g,kgi,gij,kgj->kij", modes.weight, strains, stiffness, strains)
    shares = energy.sum(axis=2) / (2 * modes.omega[:, None])
    groups: tuple[tuple[int, ...], ...] = (tuple(range(6)),) if single else GROUPS
    columns = np.stack([shares[:, list(group)].sum(axis=1) for group in groups], axis=1)
    fitted, _ = scipy.optimize.nnls(columns / wanted[:, None], np.ones(len(wanted)))
    times = np.zeros(6)
    for group, value in zip(groups, fitted, strict=True):
        times[list(group)] = value
    root = np.sqrt(times)
    fitted_ratios = np.einsum("i,kij,j->k", root, energy, root) / (2 * modes.omega)
    return DampingFit(times, modes.omega / (2 * np.pi), wanted, fitted_ratios)
