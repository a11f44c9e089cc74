"""Fit parameters of friction laws to measured forces."""

from fem_mbd.fitting.data import Measurement, measured, read_measurement
from fem_mbd.fitting.fit import Fit, FitOptions, FittedParameter, fit_law
from fem_mbd.fitting.forms import Free

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
