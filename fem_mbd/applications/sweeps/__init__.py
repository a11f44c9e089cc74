"""Parameter sweeps: many runs of one case are planned, executed by processes or a cluster, and collected in one
table.
"""
