"""Commands about cases and runs: list, new, run, resume, plot, show, diagnose, export, loads, sweep."""
