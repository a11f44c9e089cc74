"""What a machine consists of: members, lumped masses, links, soil."""
