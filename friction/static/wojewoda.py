"""Static laws with memory: Armstrong's seven parameters, and Wojewoda's hysteresis with a random part.

Armstrong (Armstrong-Helouvry, Dupont, Canudas de Wit 1994; Marques 2015, eqs. 3.19 to 3.21), stuck and sliding:

    mu = sigma_0 x,      mu = mu_k + sigma_2 v + S/(1 + (v_L/v_s)**2),      S = S_a + (mu_s - mu_k - S_a) t_d/(t_d +
    tau_dw)

S is taken when sliding begins after the dwell time t_d; S_a is the Stribeck part at the end of the slide before; the
bond breaks at mu_k + S, a rule that the authors leave open. The delay v_L(t) = v(t - tau_L) is replaced by a lag of
first order with that time constant, as a pure delay needs the history of the speed: both are the same where the
acceleration has been constant for some tau_L.

Wojewoda (Wojewoda et al. 2008; Marques 2015, eqs. 3.24 to 3.27): stuck, a spring sigma_0 up to the break-away
coefficient; sliding,

    speeding up   mu_k + (mu_s' - mu_k) g,   slowing down   mu_k - (mu_s - mu_k) g,   all times 1 + f_R

The thesis leaves open g(v, v'), a Stribeck curve that may depend on the acceleration, and f_R, a random function of
place and speed. Here

    g = exp(-[v/(v_s (1 + |v'|/a_S))]**gamma),      mu_s' = mu_s + delta_mu_s exp(-v/v_s)

with which the hysteresis grows with the acceleration, for gamma = 1 as exp(-a_1 v/(|v'| + a_2)), a_1 = a_S/v_s, a_2 =
a_S; a_S = inf leaves the acceleration out. mu_s' makes break-away depend on how fast it is approached. f_R is smooth in
the distance slid (amplitude, length, seed). Whether the slip speeds up or slows down, and how much, is that of the last
step. Both laws hold for any direction of slip.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from numpy.typing import NDArray

from fem_mbd.errors import InputError
from fem_mbd.friction.checks import (
    make_not_below,
    make_not_negative,
    make_positive,
    make_positive_or_infinite,
    make_seed,
)
from fem_mbd.friction.kinds import BOND
from fem_mbd.friction.records import friction_record
from fem_mbd.friction.static import bond


@dataclass(frozen=True)
class SevenParameter:
    """Armstrong's model.

    sigma_0: stiffness in 1/m. mu_k: Coulomb coefficient. sigma_2: s/m. mu_s >= mu_k: static coefficient after a long
    rest. v_s: m/s. tau_L: frictional memory in s. tau_dw: time in s in which static friction rises by half.
    """

    sigma_0: float
    mu_k: float
    sigma_2: float
    mu_s: float
    v_s: float
    tau_L: float
    tau_dw: float

    def __post_init__(self) -> None:
        make_positive(self, "sigma_0", "mu_s", "mu_k", "v_s", "tau_dw")
        make_not_below(self, "mu_s", "mu_k")
        make_not_negative(self, "sigma_2", "tau_L")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return friction_record(
            BOND,
            (
                bond.ARMSTRONG,
                self.mu_s - self.mu_k,
                self.mu_k,
                self.v_s,
                2.0,
                self.sigma_2,
                1.0,
                self.sigma_0,
                0.0,
                0.5,
            )
            + (0.0, self.tau_L, self.tau_dw),
        )


@dataclass(frozen=True)
class Wojewoda:
    """Wojewoda's model.

    mu_s >= mu_k, v_s in m/s, gamma: curve. sigma_0: stiffness in 1/m. delta_mu_s: range of the break-away coefficient.
    f_R: amplitude of the random part, below 1. length: m of slip over which it varies. seed: whole number. a_S:
    acceleration in m/s**2 that doubles the speed over which g falls; infinite for a g of the speed alone.
    """

    mu_s: float
    mu_k: float
    v_s: float
    sigma_0: float
    gamma: float = 1.0
    delta_mu_s: float = 0.0
    f_R: float = 0.0
    length: float = 1e-4
    seed: int = 0
    a_S: float = inf

    def __post_init__(self) -> None:
        make_positive(self, "mu_s", "mu_k", "v_s", "sigma_0", "gamma", "length")
        make_positive_or_infinite(self, "a_S")
        make_not_negative(self, "delta_mu_s", "f_R")
        make_not_below(self, "mu_s", "mu_k")
        make_seed(self)
        if self.mu_s > 2.0 * self.mu_k:
            raise InputError(
                f"Wojewoda mu_s is {self.mu_s:g}: above 2 mu_k = {2 * self.mu_k:g} friction would drive a contact "
                "that slows down"
            )
        if self.f_R >= 1.0:
            raise InputError(f"Wojewoda f_R is {self.f_R:g}: it must be below 1")

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return friction_record(
            BOND,
            (bond.HYSTERETIC, self.mu_s, self.mu_k, self.v_s, self.gamma, 0.0, 1.0, self.sigma_0, 0.0, 0.5)
            + (self.delta_mu_s, self.f_R, self.length, float(self.seed), 1.0 / self.a_S),
        )
