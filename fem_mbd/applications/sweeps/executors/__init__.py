"""Where the runs of a sweep are done: processes of this machine, Dask, job arrays."""
