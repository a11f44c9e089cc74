"""Recording of a step's operations (tape), for derivatives in reverse order."""
