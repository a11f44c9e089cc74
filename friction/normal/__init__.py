"""Normal contact laws: force from the gap, elastic, with damping or with adhesion."""
