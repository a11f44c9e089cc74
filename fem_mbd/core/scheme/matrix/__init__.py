"""Structure of the step's matrix: order of the equations, sparsity pattern, and indices of the entries of parts."""
