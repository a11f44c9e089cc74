#!/usr/bin/env bash
# Finds gcc for the tests of turbine controllers, which compile some, or installs Debian's where this is root's or sudo's to do.
set -euo pipefail

if command -v gcc > /dev/null && echo '#include <math.h>' | gcc -E - > /dev/null 2>&1; then exit 0; fi
run=()
if [ "$(id -u)" != 0 ]; then run=(sudo -n); fi
if command -v apt-get > /dev/null && "${run[@]}" true 2> /dev/null; then
    echo "Installing gcc (for the tests of turbine controllers)"
    "${run[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -qq -y --no-install-recommends gcc libc6-dev > /dev/null
else
    echo "There is no gcc here, so the tests of turbine controllers will fail. Debian: apt-get install gcc libc6-dev." >&2
fi
