"""What every package uses: input checks, lazily imported names, optional dependencies, small files."""
