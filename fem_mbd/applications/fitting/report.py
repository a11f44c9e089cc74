"""Reports of fits: texts, plain data and figures, with remarks on their reliability; demonstration data.

`draw_fits` shows force over time, over slip velocity and over displacement, and residuals.

`demonstration` has data for fitting: friction of a generalised Maxwell slip model, sampled with noise. With four
elements it has nonlocal memory before sliding, which LuGre and Dahl lack: their fits show the residual of a law that
differs from the true one. The path has small reversals below break-away that grow into sliding through the Stribeck
range, on a slow drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.applications.fitting.data import Measurement, measured
from fem_mbd.applications.fitting.fit import Fit
from fem_mbd.base.arrays import Array
from fem_mbd.friction import GeneralisedMaxwellSlip
from fem_mbd.friction.probes.slip_path import drive_path
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    entries = [f"{name} {_plain(value)}" for name, value in shown.items()]
    if entries:
        lines.append("held: " + ", ".join(entries))
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


MEASURED: dict[str, Any] = {
    "color": "0.6",
    "marker": ".",
    "linestyle": "none",
    "markersize": 2.5,
    "zorder": 1,
}
DECADES = 1.5  # a wider range of speeds is drawn on a logarithmic axis


def draw_fits(fits: Sequence[Fit], path: Path) -> Path:
    """Draw one or more fits to the same measurement, saved as PNG at ``path``."""
    with styled():
        if fits[0].data.time is None:
            figure, axes = new_figure(2, height=5.0)
            _steady(fits, axes[0, 0], axes[1, 0])
        else:
            figure, grid = new_figure(3, 2, height=7.0, share_x=False)
            space = grid[0, 0].get_gridspec()
            for row in (0, 2):
                for axis in grid[row]:
                    axis.remove()
            force, residual = figure.add_subplot(space[0, :]), figure.add_subplot(space[2, :])
            _history(fits, force, residual, grid[1, 0], grid[1, 1])
        return save(figure, path)


def _history(fits: Sequence[Fit], force: Axes, residual: Axes, over_v: Axes, over_x: Axes) -> None:
    data = fits[0].data
    assert data.time is not None
    v, x = motion(data)
    for axis, at, label in (
        (force, data.time, "time [s]"),
        (over_v, v, "slip velocity [m/s]"),
        (over_x, x, "displacement [m]"),
    ):
        axis.plot(at, data.force, label="measured" if axis is force else None, **MEASURED)
        for fit, colour in zip(fits, COLOURS, strict=False):
            axis.plot(
                at, fit.force, color=colour, linewidth=0.8, label=_label(fit) if axis is force else None
            )
        axis.set_xlabel(label)
        axis.set_ylabel("force [N]")
    for fit, colour in zip(fits, COLOURS, strict=False):
        residual.plot(data.time[fit.used], fit.residuals, ".", markersize=2.5, color=colour)
    residual.set_xlabel("time [s]")
    residual.set_ylabel("measured - law [N]")
    legend(force, columns=3 if len(fits) < 3 else 2)


def _steady(fits: Sequence[Fit], force: Axes, residual: Axes) -> None:
    data = fits[0].data
    assert data.velocity is not None
    order = np.argsort(data.velocity)
    v = data.velocity[order]
    force.plot(v, data.force[order], label="measured", **MEASURED | {"markersize": 5.0})
    for fit, colour in zip(fits, COLOURS, strict=False):
        force.plot(v, fit.force[order], color=colour, label=_label(fit))
        residual.plot(v, fit.residuals[order], ".", markersize=4.0, color=colour)
    if v[0] > 0.0 and np.log10(v[-1] / v[0]) > DECADES:
        force.set_xscale("log")
        residual.set_xscale("log")
    force.set_ylabel("force [N]")
    residual.set_ylabel("measured - law [N]")
    residual.set_xlabel("slip velocity [m/s]")
    legend(force, columns=3 if len(fits) < 3 else 2)


def _label(fit: Fit) -> str:
    return f"{fit.form.name}, {fit.rms:.3g} N rms"


def motion(data: Measurement) -> tuple[Array, Array]:
    """Velocity (n,) in m/s and displacement (n,) in m of a measurement with time, each derived from the other."""
    assert data.time is not None
    if data.displacement is not None:
        return np.gradient(data.displacement, data.time), data.displacement
    assert data.velocity is not None
    v = data.velocity
    return v, np.r_[0.0, np.cumsum(0.5 * np.diff(data.time) * (v[1:] + v[:-1]))]


MODEL = GeneralisedMaxwellSlip(
    mu_s=0.15, mu_k=0.1, v_s=1e-3, k=(4e4, 3e4, 2e4, 1e4), alpha=(0.1, 0.2, 0.3, 0.4), C=50.0, sigma_2=1.0
)
NORMAL_FORCE, NOISE, SEED = 10.0, 0.01, 7
ROWS, END_TIME, STEPS_PER_ROW = 1000, 4.0, 40


def demonstration(law: object = MODEL, noise: float = NOISE, seed: int = SEED) -> Measurement:
    """Measurement of ``law`` (the model above) with normal noise of ``noise`` N; steps are 40 times finer than rows."""
    fine = np.linspace(0.0, END_TIME, ROWS * STEPS_PER_ROW + 1)
    path = _displacement(fine)
    middle = 0.5 * (fine[1:] + fine[:-1])
    mus = drive_path(law, np.diff(path), np.diff(fine)).mus
    time = fine[::STEPS_PER_ROW]
    force = NORMAL_FORCE * np.interp(time, middle, mus)
    force += noise * np.random.default_rng(seed).normal(size=time.size)
    return measured(
        {"time": time, "displacement": _displacement(time), "force": force},
        NORMAL_FORCE,
        source="demonstration",
    )


def _displacement(t: np.ndarray) -> np.ndarray:
    """Path in m."""
    amplitude = 1.5e-6 + 5e-4 * (t / END_TIME) ** 4
    return np.asarray(amplitude * np.sin(2.0 * np.pi * 2.0 * t) + 2e-6 * np.sin(2.0 * np.pi * 0.25 * t))


def write_demonstration(file: Path) -> None:
    """Write the demonstration as a CSV file whose comments describe its origin."""
    data = demonstration()
    assert data.time is not None and data.displacement is not None
    lines = [
        "# Not measured: friction of a generalised Maxwell slip model with four elements, and normal noise of",
        f"# {NOISE} N. {MODEL}",
        "time [s],displacement [m],force [N],normal_force [N]",
    ]
    lines += [
        f"{t:.6g},{x:.9e},{f:.5f},{n:g}"
        for t, x, f, n in zip(data.time, data.displacement, data.force, data.normal_force, strict=True)
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
