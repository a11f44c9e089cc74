"""Parameter sweeps: many runs of one case planned, spread over processes or a cluster, and gathered in one table."""
