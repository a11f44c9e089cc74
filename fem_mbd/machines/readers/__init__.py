"""Readers of whole machines from files of HAWC2, OpenFAST and windIO."""
