# shellcheck shell=bash disable=SC2154,SC2015
# Sourced by setup.sh: finds a PETSc, or installs Debian's. A PETSc that is there is used and never replaced.
#
# Needs $venv. find_petsc sets
#   route        kept (.venv has one), existing (petsc4py can be imported), petsc_dir (PETSC_DIR is set), debian or none
#   base         the Python that .venv is made from
#   constraints  arguments for pip

debian_packages=(python3-petsc4py libopenblas0-serial)
oldest_python='3, 11'

suits() { command -v "$1" >/dev/null && "$1" -c "import sys; sys.exit(sys.version_info < ($oldest_python))" 2>/dev/null; }
can_make_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
has_petsc4py() { "$1" -c 'from petsc4py import PETSc' >/dev/null 2>&1; }
is_usable_petsc() {
    "$1" -c 'import sys; from petsc4py import PETSc as P; sys.exit(P.ScalarType.__name__ != "float64" or P.Sys.getVersion() < (3, 18))'
}
# file-name tag of compiled modules: two Pythons of the same tag can load the same petsc4py
binary_tag() { "$1" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))' 2>/dev/null; }

find_petsc() {
    constraints=()
    base=${PYTHON:-python3}
    if venv_is_made && has_petsc4py "$venv/bin/python"; then
        route=kept
        constrain_numpy "$venv/bin/python"
        return
    fi
    if [ -n "${PYTHON:-}" ] && ! suits "$base"; then
        fail "PYTHON=$base is not a Python of version ${oldest_python/, /.} or newer."
    fi
    local found=no
    if suits "$base" && has_petsc4py "$base"; then
        is_usable_petsc "$base" && found=yes || say "  Not used: the petsc4py of $base, which is complex or older than 3.18"
    fi
    if [ $found = yes ]; then
        route=existing
        base=$("$base" -c 'import sys; print(sys.executable)')
        say "  Found petsc4py in $base"
        constrain_numpy "$base"
    elif [ -n "${PETSC_DIR:-}" ]; then
        route=petsc_dir
        find_python_for_petsc_dir
    elif command -v apt-get >/dev/null && [ -f /etc/debian_version ] && debian_python_is_new_enough; then
        route=debian
        install_debian_packages
        find_debian_python
        constrain_numpy /usr/bin/python3
    else
        go_without_petsc
    fi
}

find_python_for_petsc_dir() {
    [ -f "$PETSC_DIR/include/petscversion.h" ] || fail "PETSC_DIR=$PETSC_DIR is not a PETSc: it has no include/petscversion.h." \
        "Set it to PETSc's folder (and PETSC_ARCH where there is one), or unset it to use Debian's PETSc."
    suits "$base" || fail "No Python ${oldest_python/, /.} or newer found as $base." "Give one: make setup PYTHON=/path/to/python3"
    base=$("$base" -c 'import sys; print(sys.executable)')
    say "  Found PETSc in $PETSC_DIR, without petsc4py for $base"
}

# Python's own minor version decides: the machine may be too old for petsc4py's packages to be of use
debian_python_is_new_enough() { [ ! -x /usr/bin/python3 ] || suits /usr/bin/python3; }

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'; }

install_debian_packages() {
    local package missing=() as_root=()
    for package in "${debian_packages[@]}"; do is_installed "$package" || missing+=("$package"); done
    debian_venv_python >/dev/null || missing+=(python3-venv)
    [ ${#missing[@]} -eq 0 ] && return
    local install=(apt-get install --yes --no-install-recommends "${missing[@]}")
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null || fail "Debian's packages ${missing[*]} are missing, and only root may install them." \
            "Ask for:  apt-get install --no-install-recommends ${missing[*]}" \
            "or use another PETSc (conda, PETSC_DIR): see CONTRIBUTING.md, \"Set-up\". Then run this again."
        as_root=(sudo -n)
    fi
    logged "Reading Debian's package lists" "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=120 update \
        || say "  Trying with the lists that are there"
    logged "Installing ${missing[*]}" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" -o DPkg::Lock::Timeout=120 \
        || fail "Debian's packages could not be installed." \
            "If the lines above tell of connections or addresses, check the network. Otherwise try by hand:  ${install[*]}" \
            "Then run this again."
}

# a Python that can load Debian's petsc4py and make virtual environments: PYTHON if given, Debian's, or one like it
debian_venv_python() {
    local candidate candidates=(/usr/bin/python3 python3)
    [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
    for candidate in "${candidates[@]}"; do
        [ "$(binary_tag "$candidate")" = "$(binary_tag /usr/bin/python3)" ] && can_make_venv "$candidate" || continue
        "$candidate" -c 'import sys; print(sys.executable)'
        return
    done
    return 1
}

find_debian_python() {
    base=$(debian_venv_python) || fail "${PYTHON:-/usr/bin/python3} cannot load Debian's petsc4py or make virtual environments." \
        "Use Debian's own Python (unset PYTHON), with the package python3-venv."
}

# petsc4py compiled for numpy 1 cannot be loaded beside numpy 2
constrain_numpy() {
    case $("$1" -c 'import numpy; print(numpy.__version__)' 2>/dev/null) in
        1.*) constraints=(--constraint "$PWD/tools/debian-constraints.txt") ;;
    esac
}

# makes petsc4py importable in .venv
connect_petsc() {
    local site
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    case $route in
        debian) ls -d /usr/lib/{petscdir/petsc,slepcdir/slepc}[0-9].*/*-real/lib/python3/dist-packages 2>/dev/null > "$site/petsc.pth" || true ;;
        existing) folders_of_petsc "$base" > "$site/petsc.pth" ;;
        petsc_dir) compile_petsc4py ;;
    esac
}

# folders from which this Python imports petsc4py and numpy; they may lie in another environment or in PYTHONPATH
folders_of_petsc() {
    "$1" -c 'import numpy, petsc4py, os; print(*dict.fromkeys(os.path.dirname(m.__path__[0]) for m in (petsc4py, numpy)), sep="\n")'
}

# petsc4py has to be of the same release as PETSc
compile_petsc4py() {
    local header=$PETSC_DIR/include/petscversion.h major minor
    major=$(awk '$2 == "PETSC_VERSION_MAJOR" {print $3}' "$header")
    minor=$(awk '$2 == "PETSC_VERSION_MINOR" {print $3}' "$header")
    [ "$major" -eq 3 ] && [ "$minor" -lt 21 ] && constraints=(--constraint "$PWD/tools/debian-constraints.txt")
    has_petsc4py "$venv/bin/python" && return
    local pip=("$venv/bin/python" -m pip install --disable-pip-version-check "${constraints[@]}")
    logged "Installing what petsc4py is compiled with" "${pip[@]}" setuptools wheel numpy 'cython>=0.29.37' \
        || fail "pip could not install the packages." "Check the network, then run this again."
    # not from pip's cache: what lies there may have been compiled for another PETSc
    logged "Compiling petsc4py $major.$minor for $PETSC_DIR" "${pip[@]}" --no-build-isolation --no-cache-dir "petsc4py==$major.$minor.*" \
        || fail "petsc4py could not be compiled for PETSC_DIR=$PETSC_DIR, PETSC_ARCH=${PETSC_ARCH:-}." \
            "The compiler and MPI that PETSc was compiled with must be loaded."
}

go_without_petsc() {
    suits "$base" || fail "No Python ${oldest_python/, /.} or newer found as $base." "Give one: make setup PYTHON=/path/to/python3"
    route=none
    base=$("$base" -c 'import sys; print(sys.executable)')
    say "  No PETSc found, nor one that can be installed: models run without it, grids more slowly. To have it:"
    say "    conda:    conda create -n fem -c conda-forge python petsc4py numpy scipy numba && conda activate fem"
    say "    cluster:  load the modules of PETSc and Python, so that PETSC_DIR is set"
    say "  Then make distclean and run this again."
}
