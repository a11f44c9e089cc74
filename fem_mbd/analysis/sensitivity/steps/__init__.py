"""Derivatives carried through stretches of steps in compiled code, with the factors of their matrices."""
