"""Programs on top of models: command line, sweeps of runs, fitting of laws, co-simulation."""
