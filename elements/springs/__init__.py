"""Springs and dampers between points and about axes; speed controller."""
