"""Motion of driven mechanisms without forces."""
