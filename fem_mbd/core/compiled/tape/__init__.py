"""Tape: the list of all operations that kernels make with recorded numbers, for derivatives in reverse order."""
