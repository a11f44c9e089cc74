"""Executors of a sweep's runs: processes of this machine, a Dask cluster, job arrays of SLURM."""
