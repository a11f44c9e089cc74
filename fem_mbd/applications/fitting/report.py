"""Reports of fits, as text and as plain data, with remarks on their reliability as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.applications.fitting.fit import Fit

# limits beyond which a remark is made
LAG_LIMIT, STEP_SHARE, INTERVAL_LIMIT, CORRELATION_LIMIT = 0.3, 0.1, 10.0, 0.98
NOT_LISTED = {"x_stick", "v_eps", "unload_fresh_bristles"}  # numerical parameters, not listed as fixed


def remarks(fit: Fit) -> list[str]:
    """Remarks on intervals, steps, the minimum, parameters at bounds, and parameters that are hardly determined."""
    name, texts = fit.form.name, []
    bounded = [p.name for p in fit.parameters if p.at_bound]
    if bounded:
        texts.append(f"{name}: at a bound, without an interval: {', '.join(bounded)}")
    undetermined = [p.name for p in fit.parameters if p.low > 0.0 and p.high > INTERVAL_LIMIT**2 * p.low]
    if undetermined:
        texts.append(
            f"{name}: hardly determined by the data (interval over two decades): {', '.join(undetermined)}"
        )
    if fit.uncertainty.rough:
        texts.append(
            f"{name}: the force jumps as {', '.join(fit.uncertainty.rough)} changes: intervals are a rough guide only"
        )
    c, names = fit.uncertainty.correlation, fit.uncertainty.unknowns
    for i in range(len(names)):
        for k in range(i):
            if abs(c[i, k]) > CORRELATION_LIMIT:
                texts.append(
                    f"{name}: {names[k]} and {names[i]} are determined only in combination (correlation "
                    f"{c[i, k]:.3f})"
                )
    if fit.lag_1 > LAG_LIMIT:
        texts.append(
            f"{name}: residuals of successive rows are correlated ({fit.lag_1:.2f}): they are due to the "
            "law's error more than to noise, and the intervals, which assume independent noise, are too "
            "narrow"
        )
    if fit.step_error > STEP_SHARE * fit.rms:
        texts.append(
            f"{name}: twice as many steps between rows change the force by {fit.step_error:.2g} N rms, "
            f"compared with a residual of {fit.rms:.2g} N: increase --substeps"
        )
    if fit.options.starts > 1 and fit.agreeing <= 1:
        texts.append(
            f"{name}: only one of {fit.options.starts} starts led to this minimum: more starts may find a better one"
        )
    return texts


def best_first(fits: Sequence[Fit]) -> list[Fit]:
    """Fits to the same data by Akaike's criterion, the best first."""
    return sorted(fits, key=lambda fit: fit.aic)


def table(fits: Sequence[Fit]) -> str:
    """Parameters with units and intervals of each fit, best first; several laws are compared at the end."""
    parts = [_fit_table(fit) for fit in best_first(fits)]
    if len(fits) > 1:
        lines = [f"{'law':24s}{'rms [N]':>12s}{'R^2':>10s}{'free':>6s}{'AIC - best':>12s}"]
        ranked = best_first(fits)
        lines += [
            f"{f.form.name:24s}{f.rms:12.4g}{f.r_squared:10.5f}{len(f.parameters):6d}{f.aic - ranked[0].aic:12.1f}"
            for f in ranked
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _fit_table(fit: Fit) -> str:
    percent = f"{100 * fit.options.level:g} % interval"
    lines = [
        f"{fit.form.name} on {fit.data.source}: {int(fit.used.sum())} of {fit.data.rows} rows",
        f"{'parameter':12s}{'unit':>14s}{'value':>14s}   {percent}",
    ]
    for p in fit.parameters:
        interval = "at a bound" if p.at_bound else f"{p.low:.5g} .. {p.high:.5g}"
        lines.append(f"{p.name:12s}{p.unit:>14s}{p.value:14.6g}   {interval}")
    shown = {
        n: value for n, value in fit.form.held.items() if n not in NOT_LISTED and value not in (None, ())
    }
    held = [f"{name} {_plain(value)}" for name, value in shown.items()]
    if held:
        lines.append("held: " + ", ".join(held))
    lines.append(
        f"residual {fit.rms:.4g} N rms, {100 * _relative(fit):.3g} % of the force; R^2 {fit.r_squared:.5f}; "
        f"condition {fit.uncertainty.condition:.3g}"
    )
    return "\n".join(lines)


def _relative(fit: Fit) -> float:
    return fit.rms / float(np.sqrt(np.mean(fit.data.force[fit.used] ** 2)))


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def as_data(fit: Fit) -> dict[str, Any]:
    """A fit as numbers, texts and lists; forces in N."""
    statistics = fit.uncertainty
    return {
        "law": fit.form.name,
        "parameters": {
            p.name: {
                "value": p.value, "unit": p.unit, "standard_error": p.error, "interval": [p.low, p.high],
                "start": p.start, "at_bound": p.at_bound,
            }
            for p in fit.parameters
        },
        "held": dict(fit.form.held),
        "level": fit.options.level,
        "rows": int(fit.used.sum()),
        "degrees_of_freedom": statistics.freedom,
        "rms": fit.rms,
        "relative_rms": _relative(fit),
        "r_squared": fit.r_squared,
        "aic": fit.aic,
        "condition": statistics.condition,
        "correlation": {"names": list(statistics.unknowns), "matrix": statistics.correlation.tolist()},
        "rough": list(statistics.rough),
        "residual_correlation": fit.lag_1,
        "step_error": fit.step_error,
        "starts": fit.options.starts,
        "starts_agreeing": fit.agreeing,
        "evaluations": fit.evaluations,
        "warnings": remarks(fit),
    }  # fmt: skip
