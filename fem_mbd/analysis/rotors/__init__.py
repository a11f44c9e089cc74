"""What turns: critical speeds, Campbell diagrams, multi-blade coordinates, Floquet analysis, modes by name."""
