#!/usr/bin/env bash
# Makes .venv, with PETSc where there is one and everything else the project needs, from whatever the machine has. Safe to call any time:
# a second call returns at once, an interrupted one goes on, a changed setup.cfg is installed again.
#
#   tools/setup.sh [EXTRA ...]     EXTRA: an extra of setup.cfg, e.g. test; what runs and figures need is always installed
#
# PYTHON=... chooses the Python (default: python3, or Debian's where Debian's petsc4py is used).
# PETSC_DIR (and PETSC_ARCH) choose a PETSc that has no petsc4py yet. See CONTRIBUTING.md, "Set-up".
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
venv=$root/.venv
log=$root/build/setup.log
ready=$venv/fem-mbd-ready    # fingerprint of what .venv was made from, then the extras it has
origin=$venv/fem-mbd-origin  # the folder and the PYTHON that .venv was made for
extras=(figures laws "$@")
PATH=${PATH//"$venv/bin:"/}  # with .venv activated, its Python is not the one to make .venv from

source tools/setup-messages.sh
source tools/setup-petsc.sh

fingerprint() { { echo "$root"; cat setup.cfg pyproject.toml tools/setup*.sh tools/*constraints.txt; } | cksum; }

is_ready() {
    [ -x "$venv/bin/fem-mbd" ] && "$venv/bin/python" -c '' 2>/dev/null && [ -f "$ready" ] && is_wanted_python || return 1
    [ "$(head -n 1 "$ready")" = "$(fingerprint)" ] || return 1
    local extra
    for extra in "${extras[@]}"; do grep -qx "$extra" "$ready" || return 1; done
}

is_wanted_python() { [ -z "${PYTHON:-}" ] || [ "$(tail -n 1 "$origin" 2>/dev/null)" = "$PYTHON" ]; }

# does .venv work here, and was it made from the Python that is asked for, if one is?
venv_is_made() {
    [ "$(head -n 1 "$origin" 2>/dev/null)" = "$root" ] && is_wanted_python && "$venv/bin/python" -m pip --version >/dev/null 2>&1
}

make_venv() {
    [ "$route" != kept ] || return 0
    can_make_venv "$base" || fail "$base cannot make virtual environments (no module ensurepip)." \
        "Debian, Ubuntu: apt-get install python3-venv. Elsewhere: give another Python, make setup PYTHON=..."
    local flags=()
    [ "$route" = existing ] && flags=(--system-site-packages)
    rm -rf "$venv"
    logged "Making .venv from $base" "$base" -m venv "${flags[@]}" "$venv" || fail "The virtual environment could not be made."
    printf '%s\n' "$root" "${PYTHON:-}" > "$origin"
}

install_package() {
    local list
    list=$(IFS=,; echo "${extras[*]}")
    logged "Installing fem_mbd and the packages of setup.cfg ($list)" \
        "$venv/bin/python" -m pip install --disable-pip-version-check "${constraints[@]}" -e ".[$list]" \
        || fail "pip could not install the packages." \
            "If the last lines above tell of connections, check the network (a proxy goes into HTTPS_PROXY), then run this again."
}

verify() {
    [ "$route" != none ] || return 0
    (cd / && "$venv/bin/python" -c 'from fem_mbd.core.linear_solvers.petsc import petsc; petsc()') \
        || fail "Everything is installed, but PETSc cannot be used (the reason stands above)."
}

# All libraries, so that no test begins with a wait; what is stale later is built again when it is asked for. Those who run models only
# have those built that their first run needs.
build_kernels() {
    [[ " ${extras[*]} " == *" test "* ]] || return 0
    logged "Compiling kernels (once)" "$venv/bin/python" -m fem_mbd.core.compiled.build --derivatives || fail "The kernels could not be compiled."
}

mkdir -p build
if is_ready; then exit 0; fi
if [ -f "$ready" ]; then mapfile -t extras < <({ printf '%s\n' "${extras[@]}"; tail -n +2 "$ready"; } | sort -u); fi
began=$SECONDS
: > "$log"
say "Setting up in $venv (once; details in ${log#"$root"/})"
bash tools/setup-compiler.sh || fail "There is no C compiler, which kernels are linked with." \
    "Debian, Ubuntu: apt-get install gcc libc6-dev, as root. Elsewhere: name one in the variable CC. Then run this again."
find_petsc  # sets route, base, constraints
make_venv
rm -f "$ready"
connect_petsc
install_package
verify
build_kernels
{ fingerprint; printf '%s\n' "${extras[@]}"; } > "$ready"
say "Ready after $((SECONDS - began)) s. See what is installed: .venv/bin/fem-mbd doctor"
