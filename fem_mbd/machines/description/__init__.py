"""Description of a machine, independent of its model: members, lumped masses, links, soil."""
