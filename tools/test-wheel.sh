#!/usr/bin/env bash
# Installs a wheel into a bare environment and works with it as a user would who has nothing else: no compiler, no numba, a home that nobody
# can write to. Says what it took.
#
#   tools/test-wheel.sh dist/fem_mbd-*.whl
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
wheel=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/work" "$scratch/tmp"
bin=$scratch/venv/bin

say() { printf '  %-58s %s\n' "$1" "$2"; }
fail() { printf 'test-wheel: %s\n' "$1" >&2; exit 1; }

# in the working folder, with nothing but the environment on the path
alone() { (cd "$scratch/work" && env -i PATH="$bin" HOME=/proc/nobody TMPDIR="$scratch/tmp" "$@" < /dev/null); }

# timed TITLE COMMAND ...
timed() {
    local title=$1 start=$EPOCHREALTIME
    shift
    alone "$@" > "$scratch/stdout" 2> "$scratch/stderr" || { tail -n 40 "$scratch/stdout" "$scratch/stderr" >&2; fail "$title failed"; }
    say "$title" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.1f s", b - a}')"
}

installed() { find "$scratch/venv" -not -path '*/matplotlib/*' -printf '%p %s %T@\n' | sort | cksum; }

python=${PYTHON:-.venv/bin/python}
[ -x "$python" ] || python=python3
"$python" -m venv "$scratch/venv"
start=$SECONDS
"$bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
say "pip install of the wheel and all that it needs" "$((SECONDS - start)) s, $(du -sm "$scratch/venv" | cut -f1) MB"
if alone python -c 'import numba' 2> /dev/null; then fail "numba has been installed"; fi
before=$(installed)

timed "import" python -c 'import fem_mbd; fem_mbd.Model()'
timed "fem-mbd doctor" fem-mbd doctor
grep -q 'No problems found' "$scratch/stdout" || fail "the doctor has found problems: $(cat "$scratch/stdout")"
timed "fem-mbd laws --json" fem-mbd laws --json
timed "fem-mbd run pendulum, without matplotlib" fem-mbd run pendulum --out p0
grep -q "fem_mbd\[figures\]" "$scratch/stderr" || fail "nothing is said about figures: $(cat "$scratch/stderr")"
timed "fem-mbd gradient by the adjoint, without numba" fem-mbd gradient pendulum_friction --set end_time=0.05 --of 'max(Joint 0.force)' --wrt mass length --method adjoint --no-plot
timed "fem-mbd gradient, forward" fem-mbd gradient pendulum_friction --set end_time=0.05 --of 'max(Joint 0.force)' --wrt mass length --method forward --no-plot
printf '%s\n' 'case = "pendulum"' '[set]' 'end_time = 0.1' '[grid]' 'length = [1.0, 1.1]' > "$scratch/work/two.toml"
timed "fem-mbd sweep of two runs, without pyarrow" fem-mbd sweep two.toml --out s1
[ "$(grep -c ',done,' "$scratch/work/s1/table.csv")" = 2 ] || fail "the sweep's table: $(cat "$scratch/work/s1/table.csv")"
[ "$before" = "$(installed)" ] || fail "something was written into the environment"

start=$SECONDS
"$bin/python" -m pip install --quiet --disable-pip-version-check "${wheel}[figures]"
say "pip install with the extra figures" "$((SECONDS - start)) s, $(du -sm "$scratch/venv" | cut -f1) MB"
before=$(installed)
timed "fem-mbd run pendulum, with figures" fem-mbd run pendulum --out p1
[ -n "$(find "$scratch/work/p1/figures" -name '*.png')" ] || fail "there is no figure of the pendulum"
timed "crank mechanism, case 2: a few steps, with figures" fem-mbd run crank_mechanism --set case=2 revolutions=2e-3 --out k1
if [ "${2:-}" = --whole ]; then
    timed "crank mechanism, case 2, with figures" fem-mbd run crank_mechanism --set case=2 --out k2
fi
[ "$before" = "$(installed)" ] || fail "something was written into the environment"
[ -z "$(ls -A "$scratch/tmp")" ] || fail "left in the folder for temporary files: $(ls -A "$scratch/tmp")"
left=$(cd "$scratch/work" && ls -A | tr '\n' ' ')
[ "${left% }" = "$(cd "$scratch/work" && ls -A -d k1 ${2:+k2} p0 p1 s1 two.toml | tr '\n' ' ' | sed 's/ $//')" ] || fail "in the working folder: $left"
