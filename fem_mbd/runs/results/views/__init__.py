"""Views of results by part: a joint's reactions, a beam's section forces, a node's motion, under their usual names."""
