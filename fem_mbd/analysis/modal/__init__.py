"""Modal analysis: linearised equations, eigenvalues, modes with views by part, Craig-Bampton reduction."""
