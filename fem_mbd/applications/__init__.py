"""Applications built on models: command line, parameter sweeps, fitting of friction laws, co-simulation."""
