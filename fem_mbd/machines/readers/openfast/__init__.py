"""Machines from OpenFAST's input files."""
