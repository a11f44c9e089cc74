"""Calibration of whole mechanisms: parameters from measured histories by least squares with exact derivatives."""
