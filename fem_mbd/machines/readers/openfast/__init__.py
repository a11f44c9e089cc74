"""Reader of machines from OpenFAST's input files."""
