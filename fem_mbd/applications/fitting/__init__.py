"""Fitting of friction-law parameters to measured forces by nonlinear least squares."""

from fem_mbd.applications.fitting.data import Measurement, measured, read_measurement
from fem_mbd.applications.fitting.fit import Fit, FittedParameter, fit_law
from fem_mbd.applications.fitting.forms import FitOptions, Free

__all__ = [
    "Fit",
    "FitOptions",
    "FittedParameter",
    "Free",
    "Measurement",
    "fit_law",
    "measured",
    "read_measurement",
]
