"""Output of runs and models: figures, animations, section loads, and files for other programs."""
