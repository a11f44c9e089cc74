"""Remarks on the reliability of a fit, as sentences."""

from __future__ import annotations

from fem_mbd.applications.fitting.fit import Fit

# Limits beyond which a remark is made.
CORRELATED, STEP_SHARE, INTERVAL_LIMIT, CORRELATION_LIMIT = 0.3, 0.1, 10.0, 0.98


def remarks(fit: Fit) -> list[str]:
    """Remarks on intervals, steps, the minimum, parameters at bounds, and parameters that are hardly determined."""
    name, said = fit.form.name, []
    bounded = [p.name for p in fit.parameters if p.at_bound]
    if bounded:
        said.append(f"{name}: at a bound, without an interval: {', '.join(bounded)}")
    vague = [p.name for p in fit.parameters if p.low > 0.0 and p.high > INTERVAL_LIMIT**2 * p.low]
    if vague:
        said.append(f"{name}: hardly determined by the data (interval over two decades): {', '.join(vague)}")
    if fit.uncertainty.rough:
        said.append(
            f"{name}: the force jumps as {', '.join(fit.uncertainty.rough)} changes: intervals are a rough guide only"
        )
    c, names = fit.uncertainty.correlation, fit.uncertainty.unknowns
    for i in range(len(names)):
        for k in range(i):
            if abs(c[i, k]) > CORRELATION_LIMIT:
                said.append(
                    f"{name}: {names[k]} and {names[i]} are determined only in combination (correlation "
                    f"{c[i, k]:.3f})"
                )
    if fit.lag_1 > CORRELATED:
        said.append(
            f"{name}: residuals of successive rows are correlated ({fit.lag_1:.2f}): they are due to the "
            "law's error more than to noise, and the intervals, which assume independent noise, are too "
            "narrow"
        )
    if fit.step_error > STEP_SHARE * fit.rms:
        said.append(
            f"{name}: twice as many steps between rows change the force by {fit.step_error:.2g} N rms, "
            f"compared with a residual of {fit.rms:.2g} N: increase --substeps"
        )
    if fit.options.starts > 1 and fit.agreeing <= 1:
        said.append(
            f"{name}: only one of {fit.options.starts} starts led to this minimum: more starts may find a better one"
        )
    return said
