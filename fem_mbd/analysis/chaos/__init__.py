"""Statistics of motions that are too sensitive to be compared instant by instant."""
