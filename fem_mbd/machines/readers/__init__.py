"""Files of whole machines: HAWC2, OpenFAST, windIO."""
