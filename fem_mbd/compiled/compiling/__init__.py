"""How numba is made to compile kernels: with what it needs of its passes, and in few of LLVM's instructions."""
