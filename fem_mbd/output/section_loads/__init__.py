"""Loads of sections in the axes and under the names of analysts: histories, extremes, spectra, fatigue."""
