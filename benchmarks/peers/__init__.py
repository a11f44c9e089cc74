"""Peer programs, Exudyn and MBDyn: models, input files, and their processes."""
