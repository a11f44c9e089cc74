"""What the user builds: nodes, parts, supports, prescribed motion and functions of time."""
