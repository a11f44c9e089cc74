"""`python -m fem_mbd` runs the command `fem-mbd`."""

from __future__ import annotations

from fem_mbd.applications.cli.start import main

if __name__ == "__main__":
    raise SystemExit(main())
