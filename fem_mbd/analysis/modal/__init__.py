"""Linear models: modes, Campbell diagrams, critical speeds and Floquet multipliers."""
