#!/usr/bin/env bash
# Finds a Chromium for the tests of the moving picture, or installs Debian's where this is root's or sudo's to do.
set -euo pipefail

for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable chrome; do
    if [ -n "$name" ] && command -v "$name" > /dev/null; then exit 0; fi
done
run=()
if [ "$(id -u)" != 0 ]; then run=(sudo -n); fi
if command -v apt-get > /dev/null && "${run[@]}" true 2> /dev/null; then
    echo "Installing chromium (for the tests of the moving picture)"
    "${run[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -qq -y --no-install-recommends chromium > /dev/null
else
    echo "There is no Chromium here, so the tests of the moving picture will be left out." \
        "Debian: apt-get install chromium. Elsewhere: name one in the variable CHROMIUM." >&2
fi
