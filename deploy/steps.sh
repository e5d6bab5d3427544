# Functions for the scripts in this folder: named steps with their time, and errors with a fix.

# step NAME COMMAND…: runs COMMAND and prints its time. If TIDINGS_TIMINGS names a file, appends "NAME<tab>seconds" to it.
step() {
    local name=$1 began=$SECONDS
    shift
    echo "== $name" >&2
    "$@" || return
    echo "== $name: done after $((SECONDS - began)) s" >&2
    if [ -n "${TIDINGS_TIMINGS:-}" ]; then printf '%s\t%s\n' "$name" "$((SECONDS - began))" >>"$TIDINGS_TIMINGS"; fi
}

# fail MESSAGE FIX: prints the error and the fix, and exits with 1.
fail() {
    echo "$(basename "$0"): $1" >&2
    echo "    fix: $2" >&2
    exit 1
}

# private FILE: empties a file and makes it readable by its owner only. For logs, because a server's log may name people. A umask for a
# whole script is no solution: user postgres could not enter the servers' folder, and only the owner could run the built binary.
private() {
    rm -f "$1"
    (umask 077 && : >"$1")
}

# build ARGUMENTS: builds with the same flags in every script, because other flags compile everything again. An import of a target that
# Package.swift does not list is an error.
build() {
    swift build --explicit-target-dependency-import-check error "$@" >&2 ||
        fail "the build failed" "see the first error above; deploy/install checks the tools it needs"
}
