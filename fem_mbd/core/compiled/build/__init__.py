"""Builder of the libraries of kernels: numba, optimisation by LLVM, linking; not imported by runs."""
