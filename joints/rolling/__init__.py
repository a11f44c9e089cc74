"""Rolling without slip of a disk or a ball on a plane, by velocity constraints."""
