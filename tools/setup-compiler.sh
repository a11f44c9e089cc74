#!/usr/bin/env bash
# Finds a C compiler, which links kernels and which tests of turbine controllers compile with, or installs Debian's where this is root's
# or sudo's to do. Fails where there is none.
set -euo pipefail

works() { command -v "$1" > /dev/null && echo '#include <math.h>' | "$@" -E - > /dev/null 2>&1; }

for command in "${CC:-cc}" gcc clang; do
    read -ra words <<< "$command"
    if works "${words[@]}"; then exit 0; fi
done
run=()
if [ "$(id -u)" != 0 ]; then run=(sudo -n); fi
command -v apt-get > /dev/null && "${run[@]}" true 2> /dev/null || exit 1
echo "  Installing gcc"
"${run[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -qq -y --no-install-recommends gcc libc6-dev > /dev/null
