"""The step's matrix before it has numbers: order of the equations, pattern, and places of the entries of parts."""
