"""Assembly of a machine's description into a model of beams, bodies and joints."""
