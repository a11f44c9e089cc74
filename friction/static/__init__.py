"""Static friction laws: force from the slip speed, with a stiff spring (bond) where they stick."""
