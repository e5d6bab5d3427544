# Functions for the scripts in this folder: named steps with their time, errors with a fix, builds, servers, and Python's libraries.

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

# in_session PRIORITY COMMAND…: becomes COMMAND in a session of its own. For a job in the background: its process id is the number of the
# session, and end_session ends it. Compilers have process groups of their own, but the same session. On kernels that group processes by
# session, a PRIORITY from 1 to 19 holds for the whole session, even for processes that take the usual priority again.
in_session() {
    local priority=$1
    shift
    # Users other than root set such a priority at most ten times a second, all together.
    exec setsid nice -n "$priority" bash -c '
        for try in 1 2 3 4 5; do
            [ "$0" -gt 0 ] && [ -e /proc/self/autogroup ] || break
            echo "$0" 2>/dev/null >/proc/self/autogroup && break
            sleep 0.2
        done
        exec "$@"' "$priority" "$@"
}

# end_session PROCESS: ends the session of in_session and waits for PROCESS.
end_session() {
    # Without pkill, or before the process has its session, end at least its process group and itself. Each process gets one signal only.
    pkill -TERM -s "$1" || kill -TERM -- "-$1" "$1" || true
    wait "$1" || true
} 2>/dev/null

# build ARGUMENTS: builds with the same flags in every script, because other flags compile everything again. An import of a target that
# Package.swift does not list is an error.
#
# The traits of the package become flags of the compiler, in an order that is random for each plan of a build. A changed order compiles
# everything again. With SWIFT_DETERMINISTIC_HASHING the order stays. Only the build has the variable: tests keep random hashes.
build() {
    swift_build "$@" >&2 || fail "the build failed" "see the first error above; deploy/install checks the tools it needs"
}

# plan_build ARGUMENTS: plans what build would do, and compiles nothing. The plan is the file debug.yaml in the scratch folder.
plan_build() {
    swift_build --print-manifest-job-graph "$@" >/dev/null || fail "the build could not be planned" "see the first error above"
}

swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build --explicit-target-dependency-import-check error "$@"; }

# release_build ARGUMENTS: builds .build/release/tidings as Operating.md does for production.
release_build() { build -c release --static-swift-stdlib --product tidings "$@"; }

dev_limit_seconds=150 # two servers start in 5 s on 2 idle cores; a busy machine gets thirty times that

# await_ready PROCESS HOME LOG PATTERN SECONDS: waits until a line of the log matches, and exports the addresses that the process wrote.
await_ready() {
    local deadline=$((SECONDS + $5))
    # The line comes after the file, which has every address.
    until grep -q "$4" "$3"; do
        kill -0 "$1" 2>/dev/null || { cat "$3" >&2; fail "the servers of $2 did not start" "see their message above"; }
        [ $SECONDS -lt $deadline ] || fail "the servers of $2 are not ready after $5 s" "see $3 and $2/log"
        sleep 0.1
    done
    set -a
    . "$2/env"
    set +a
}

# await_dev PROCESS HOME LOG: waits until `tidings dev` is ready. The API is the last to listen.
await_dev() { await_ready "$1" "$2" "$3" '^API ready' $dev_limit_seconds; }

# stop_all_at_exit: makes every way out of the script end the processes that start_dev and start_capture start.
stop_all_at_exit() {
    dev=
    capture=
    trap stop_all EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# stop_all: ends the processes `capture` and `dev`, as far as they run.
stop_all() {
    [ -n "$capture$dev" ] || return 0
    trap '' INT TERM # a second signal would end the script before everything is stopped
    local process
    for process in $capture $dev; do kill -TERM "$process" 2>/dev/null || true; done
    for process in $capture $dev; do wait "$process" 2>/dev/null || true; done
    capture=
    dev=
}

# start_dev BINARY HOME LOG: starts `tidings dev` without earlier data, as the process `dev`. Waits until it is ready.
start_dev() {
    private "$3"
    "$1" dev --fresh --home "$2" >"$3" 2>&1 &
    dev=$!
    await_dev "$dev" "$2" "$3"
}

# start_capture BINARY HOME: starts the stand-in for every provider, as the process `capture`. Waits until it listens. Its addresses are in
# HOME/capture.url, its certificate is in HOME/capture.pem, and its record in HOME/captured.jsonl.
start_capture() {
    private "$2/capture.url" # without the lines of an earlier run, which the loop below would find
    "$1" capture --record "$2/captured.jsonl" --certificate "$2/capture.pem" >"$2/capture.url" &
    capture=$!
    until grep -q '^capturing HTTP/2' "$2/capture.url"; do
        kill -0 "$capture" 2>/dev/null || fail "tidings capture did not start" "see its message above"
        sleep 0.1
    done
}

# export_apns HOME KEY_ID TOPIC: exports the settings of a provider of kind apns that sends to the stand-in of HOME.
export_apns() {
    TIDINGS_APNS_KEY=$(openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 2>/dev/null)
    TIDINGS_APNS_ENDPOINT=$(sed -n 's,^capturing HTTP/2 on \(.*\)/$,\1,p' "$1/capture.url")
    export TIDINGS_APNS_KEY TIDINGS_APNS_ENDPOINT TIDINGS_APNS_CERTIFICATE_AUTHORITIES=$PWD/$1/capture.pem
    export TIDINGS_APNS_KEY_ID=$2 TIDINGS_APNS_TEAM_ID=TEAM123456 TIDINGS_APNS_TOPIC=$3
}

# Python's libraries from PyPI, which the scripts share. A fixed version, so that a new release cannot fail a run.
python=.tidings/python
cryptography=cryptography==50.0.2
schemathesis=schemathesis==4.32.5

# python_environment LIBRARY…: makes the virtual environment in the folder above and installs the libraries. If they are there, uses no
# network.
python_environment() {
    # A new Python of the system leaves an environment without pip behind, so make it again.
    $python/bin/python -m pip --version >/dev/null 2>&1 || python3 -m venv --clear $python ||
        fail "Python cannot make a virtual environment" "run deploy/install --tests, which installs python3-venv"
    # Without an index, pip succeeds only if every library is there in its version.
    $python/bin/python -m pip install --quiet --disable-pip-version-check --no-index "$@" >/dev/null 2>&1 ||
        $python/bin/python -m pip install --quiet --disable-pip-version-check "$@" >&2 ||
        fail "pip could not install $*" "check the network, then run $(basename "$0") again"
}
