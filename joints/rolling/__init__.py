"""Rolling without slip: a disk or a ball on a plane, by constraints of velocities."""
