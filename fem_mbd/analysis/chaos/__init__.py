"""Statistics of chaotic motions: Poincaré sections, recurrence times, Lyapunov exponents."""
