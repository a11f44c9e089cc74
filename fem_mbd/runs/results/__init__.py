"""Results of runs: recording, the HDF5 results file, reading, checks, summaries, and views by part."""
