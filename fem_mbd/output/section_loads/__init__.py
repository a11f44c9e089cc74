"""Section loads under the channel names and in the axes of load analysis: histories, extremes, spectra, fatigue."""
