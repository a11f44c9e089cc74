"""Parameter sweeps: many runs of one case, executed by processes or a cluster, collected in one table."""
