"""The discrete-derivative rule: discrete forces of strains and constraints in a step, with an exact work identity.

A quantity eps of the configuration q has over a step its values eps_i at t_i and eps_f at t_f, and eps_p, which is dt
times its rate at t_f (as p is dt times that of q). After the jump at t_i it is

    eps_j = eps_i + (Deps - eps_p)/3,        Deps = eps_f - eps_i.

A law gives the stress's mean s_g and half-jump s_d from those of eps; a constraint's are its two
multipliers. With B the derivative of eps, linear in q, the forces conjugate to Dq and to p are

    Q_m = B(qbar - p/6)^T s_g - B(qbar)^T s_d/3        Q_f = [2 B(q_f)^T s_d + B(Dq)^T s_g]/6

(the parts p/6 and Dq in what is linear in q only), and Q_m.Dq + Q_f.p = (s_g - s_d/3) Deps + s_d eps_p/3 exactly. Each
kernel works on one component: floats, complex numbers for derivatives, or numpy arrays of one shape.
Where eps is not quadratic, an exact discrete gradient and a Hessian take the places of B (`springs.kernels`).
Source: docs/explanation/theory.md, section 2.
"""

from __future__ import annotations

from typing import Any

from fem_mbd.core.compiled import kernel


@kernel
def jump(eps_i: Any, eps_f: Any, eps_p: Any) -> Any:
    """eps_j - eps_i: the jump at t_i."""
    return (eps_f - eps_i - eps_p) / 3


@kernel
def mean(eps_i: Any, eps_f: Any, eps_p: Any) -> Any:
    """(eps_j + eps_f)/2."""
    return 0.5 * (eps_i + jump(eps_i, eps_f, eps_p) + eps_f)


@kernel
def half_jump(eps_i: Any, eps_f: Any, eps_p: Any) -> Any:
    """(eps_f - eps_j)/2."""
    return 0.5 * (eps_f - (eps_i + jump(eps_i, eps_f, eps_p)))


@kernel
def mean_rate(eps_i: Any, eps_f: Any, per: Any) -> Any:
    """The mean rate over the step; ``per`` : 1/dt, or 1 for dt times it."""
    return per * (eps_f - eps_i)


@kernel
def rate_excess(mean_of_step: Any, eps_p: Any, per: Any) -> Any:
    """By how much the rate at t_f exceeds the mean rate; ``per`` as there."""
    return per * eps_p - mean_of_step


@kernel
def Q_m(b_mean: Any, b_p: Any, s_g: Any, s_d: Any) -> Any:
    """Force conjugate to Dq; b_mean and b_p are a component of B(qbar) and of B(p), the latter's linear part."""
    return (b_mean - b_p / 6) * s_g - b_mean * (s_d / 3)


@kernel
def Q_f(b_f: Any, b_change: Any, s_g: Any, s_d: Any) -> Any:
    """Force conjugate to p; b_f and b_change are a component of B(q_f) and of B(q_f) - B(q_i)."""
    return b_f * (s_d / 3) + b_change * (s_g / 6)


@kernel
def composed(force_m: Any, force_f: Any) -> tuple[Any, Any]:
    """s_g and s_d of an inner quantity on which the forces Q_m and Q_f act: the rule applied twice."""
    return force_m + force_f, 3 * force_f
