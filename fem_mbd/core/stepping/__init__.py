"""Step-size control: settings, step rules, sizes, times to be hit exactly, and repeated attempts after failures."""
