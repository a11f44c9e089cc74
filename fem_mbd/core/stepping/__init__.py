"""Step-size control: settings, step rules, sizes, and times to be hit exactly."""
