"""A run from start to end, its result file, and the diagnosis of how it went."""
