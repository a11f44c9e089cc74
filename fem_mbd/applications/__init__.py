"""Applications of models: command line, sweeps, gradients, calibration, law fitting, continuation, co-simulation."""
