# shellcheck shell=bash disable=SC2154
# Sourced by setup.sh: progress and failures. Needs $log.

say() { printf '%s\n' "$*"; }

# fail MESSAGE [WHAT TO DO ...]: one line each on standard error, then the end
fail() {
    printf '\nsetup: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
    exit 1
}

# logged TITLE COMMAND ...: runs it with its output in the log, a dot every two seconds; on failure shows the log's end
logged() {
    local title=$1 start=$SECONDS status=0 pid
    shift
    printf '  %s ' "$title"
    printf '\n$ %s\n' "$*" >> "$log"
    "$@" >> "$log" 2>&1 < /dev/null &
    pid=$!
    trap 'kill "$pid" 2>/dev/null; printf "\nsetup: interrupted; run it again to go on\n" >&2; exit 130' INT TERM
    while kill -0 "$pid" 2>/dev/null; do
        for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; kill -0 "$pid" 2>/dev/null || break 2; done
        printf '.'
    done
    wait "$pid" || status=$?
    trap - INT TERM
    if [ "$status" -eq 0 ]; then
        printf ' %s s\n' "$((SECONDS - start))"
    else
        printf ' failed\n\n' && tail -n 15 "$log" >&2
    fi
    return "$status"
}
