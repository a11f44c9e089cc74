"""Reports of benchmarks: tables, figures, RESULTS.md."""
