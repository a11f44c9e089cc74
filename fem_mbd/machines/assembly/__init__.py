"""A machine's description made into a model of beams, bodies and joints."""
