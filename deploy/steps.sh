# Sourced by the scripts beside it: named steps with their time, and failing with the fix.

# step NAME COMMAND… runs COMMAND, says how long it took, and keeps "NAME<tab>seconds" in the file TIDINGS_TIMINGS names, if any.
step() {
    local name=$1 began=$SECONDS
    shift
    echo "== $name" >&2
    "$@" || return
    echo "== $name: done after $((SECONDS - began)) s" >&2
    if [ -n "${TIDINGS_TIMINGS:-}" ]; then printf '%s\t%s\n' "$name" "$((SECONDS - began))" >>"$TIDINGS_TIMINGS"; fi
}

# fail MESSAGE FIX
fail() {
    echo "$(basename "$0"): $1" >&2
    echo "    fix: $2" >&2
    exit 1
}

# private FILE: empties it, readable by its owner only. For logs: a server's log may name people. Not by a umask for all of a script, which would
# keep user postgres out of the servers' folder and make the built binary its owner's alone.
private() {
    rm -f "$1"
    (umask 077 && : >"$1")
}

# build ARGUMENTS: every script builds with the same flags, for with others the compiler begins anew. An import of a target that Package.swift
# does not list is an error.
build() {
    swift build --explicit-target-dependency-import-check error "$@" >&2 ||
        fail "the build failed" "see the first error above; deploy/install checks the tools it needs"
}
