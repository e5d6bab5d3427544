#!/usr/bin/env python3
"""Runs Swift tests for deploy/test, tries the failed ones again alone, and judges the run.

usage: deploy/run_tests.py group  RESULTS NAME [--filter REGEX] [--set NAME=VALUE]... -- COMMAND...
       deploy/run_tests.py part   RESULTS NAME CODE SECONDS LOG -- COMMAND...
       deploy/run_tests.py judge  RESULTS [--may-skip REASON]... -- COMMAND...
       deploy/run_tests.py repeat RESULTS TIMES [--filter REGEX] -- COMMAND...

COMMAND is the program of the tests with its arguments, except --filter; `swift test` works, and needs seconds more to begin. RESULTS is a
folder.

group   runs the tests that the filter selects and notes their results in RESULTS. If the test process ends before its last test, the tests
        that were running have failed, and the tests that had not begun run in a new process. Exit code 0, whatever the results.
part    notes the result of a script that has run: its exit code and what its log says. COMMAND runs it again, alone. Exit code 0.
judge   runs each noted test and each script that failed once more, alone. A test that fails again fails the run. A test that passes is
        unsteady: it is listed in RESULTS/unsteady.tsv, and more than three fail the run. So does everything that a second try cannot
        explain: a skip without a permitted reason, a group without tests, a process that ends without a reason. Exit code 0 or 1.
repeat  runs the tests many times and prints how often each failed. Exit code 0, 1, or 75 if the servers must be started again first.
"""

import argparse
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time

MOST_UNSTEADY = 3  # more: the machine or the change is sick
MOST_AGAIN = 12  # a run with more failed tests cannot pass, so the rest is not tried again
MOST_PROCESSES = 4  # of one group: after as many early ends the remaining tests count as failed
SILENCE_SECONDS = float(os.environ.get("TIDINGS_TEST_SILENCE") or 600)  # no test is silent for longer: the slowest take two minutes
LINE_LENGTH = 300  # of the first failure, in the table
NOT_JUDGED = "not judged on this machine"  # begins the warning of a test that measures, see Bar in Sources/TestSupport
TIMED_OUT = (124, 137)  # exit codes of timeout(1)
NO_SERVERS_LEFT = 75  # exit code: the virtual hosts are used up


class Test:
    """A test function and its result."""

    def __init__(self, name):
        self.name = name  # with its place: Target.Suite/function(_:)/File.swift:1:2
        self.began = None
        self.ended = None
        self.failures = []
        self.skipped = None  # the reason
        self.not_judged = []  # bars of a test that measures, missed on a machine that is too slow to judge

    @property
    def seconds(self):
        return 0.0 if self.began is None or self.ended is None else self.ended - self.began

    @property
    def is_running(self):
        return self.began is not None and self.ended is None and self.skipped is None

    @property
    def has_begun(self):
        return self.began is not None or self.skipped is not None


class Run:
    """One process of the tests: its results, and what else went wrong."""

    def __init__(self, command, environment, results, selection):
        self.tests = {}
        self.faults = []
        events = os.path.join(results, "events.jsonl")
        with contextlib.suppress(FileNotFoundError):
            os.remove(events)
        arguments = command + ["--event-stream-output-path", events]
        if selection:
            arguments += ["--filter", selection]
        self._execute(arguments, environment, os.path.join(results, "tests.log"))
        self._read(events)
        self._conclude()

    def _execute(self, arguments, environment, log):
        """Shows and keeps the output. Ends the process if it is silent for too long, and whatever it leaves behind."""
        silence = SILENCE_SECONDS * patience()
        self.is_silent = False
        self.last_words = ""
        process = subprocess.Popen(
            arguments, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            with open(log, "ab") as kept:
                heard = time.monotonic()
                while True:
                    readable, _, _ = select.select([process.stdout], [], [], 5)
                    if readable:
                        chunk = os.read(process.stdout.fileno(), 1 << 16)
                        if not chunk:
                            break
                        heard = time.monotonic()
                        chunk = re.sub(rb"\x1b\[[0-9;]*m", b"", chunk)  # colours
                        kept.write(chunk)
                        kept.flush()
                        sys.stdout.buffer.write(chunk)
                        sys.stdout.buffer.flush()
                        self._listen(chunk)
                    elif process.poll() is not None:
                        end_session(process)  # something that the tests started holds the output open
                    elif time.monotonic() - heard > silence:
                        self.is_silent = True
                        end_session(process)
            self.code = process.wait()
        finally:
            end_session(process)

    def _listen(self, chunk):
        """Keeps the words of a crash, which stand in the output only."""
        text = self.last_words[-LINE_LENGTH:] + chunk.decode("utf-8", "replace")
        place = text.find("Fatal error")
        if place >= 0:
            begin = max(text.rfind("\n", 0, place) + 1, place - LINE_LENGTH)
            self.crash = one_line(text[begin:].split("\n", 1)[0])
        self.last_words = text

    crash = None

    def _read(self, events):
        self.has_ended = False
        self.last_moment = 0.0
        try:
            with open(events, encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    with contextlib.suppress(json.JSONDecodeError):  # the last line of a process that was killed
                        record = json.loads(line)
                        self._take(record["kind"], record["payload"])
        except FileNotFoundError:
            pass

    def _take(self, kind, payload):
        if kind == "test":
            if payload["kind"] == "function":
                self.tests[payload["id"]] = Test(payload["id"])
            return
        event = payload["kind"]
        texts = [message["text"] for message in payload.get("messages", [])]
        self.last_moment = moment = payload["instant"]["absolute"]
        test = self.tests.get(payload.get("testID"))
        if event == "runEnded":
            self.has_ended = True
        elif event == "issueRecorded" and not is_failure(payload):
            if test:
                test.not_judged += [text for text in texts if text.startswith(NOT_JUDGED)]
        elif event == "issueRecorded":
            line = " ↳ ".join([place(payload["issue"])] + texts)
            if test:
                test.failures.append(line)
            else:
                self.faults.append(f"an issue outside of a test: {one_line(line)}")
        elif event == "testSkipped" and test:
            test.skipped = quoted(texts)
        elif event == "testStarted" and test:
            test.began = moment
        elif event == "testEnded" and test:
            test.ended = moment
            if payload["messages"] and payload["messages"][0]["symbol"] == "skip":
                test.skipped = quoted(texts)

    def _conclude(self):
        """The tests that were running when the process ended have failed."""
        if self.is_silent:
            reason = f"the test process printed nothing for {SILENCE_SECONDS * patience():.0f} s and was ended"
        else:
            end = f"signal {-self.code}" if self.code < 0 else f"code {self.code}"
            reason = f"the test process ended early, {end}" + (f": {self.crash}" if self.crash else "")
        running = [test for test in self.tests.values() if test.is_running]
        for test in running:
            test.failures.append(reason)
            test.ended = self.last_moment
        is_explained = self.faults or any(test.failures for test in self.tests.values())
        if self.code != 0 and not running and not (self.has_ended and is_explained):
            self.faults.append(f"{reason}, and no test was running")

    @property
    def not_begun(self):
        return [test for test in self.tests.values() if not test.has_begun]


def end_session(leader):
    """Kills whatever is left of a process and its children. They share its session, but not its process group."""
    while members := [number for number in map(int, filter(str.isdigit, os.listdir("/proc"))) if session(number) == leader.pid]:
        for number in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.05)


def session(number):
    """The session of a running process. None if it has ended."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
            state, _, _, of_process = file.read().rsplit(")", 1)[1].split()[:4]
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if state == "Z" else int(of_process)


def patience():
    """How much slower this machine is than an idle one, 1 to 6. deploy/test measures it."""
    return float(os.environ.get("TIDINGS_TEST_PATIENCE") or 1)


def is_failure(payload):
    issue = payload["issue"]
    return not issue.get("isKnown") and issue.get("isFailure", True)


def place(issue):
    location = issue.get("sourceLocation")
    return f"{location['fileID']}:{location['line']}" if location else "somewhere"


def quoted(texts):
    """The reason in a line such as `Test f() skipped: "reason"`. Empty if there is none."""
    match = re.search(r'(?:skipped|cancelled after [0-9.]+ seconds): "(.*)"$', texts[0], re.DOTALL) if texts else None
    return match.group(1) if match else ""


def one_line(text):
    """The beginning and the end: the end tells the seed of random inputs."""
    line = " ".join(text.split())
    return line if len(line) <= LINE_LENGTH else f"{line[: LINE_LENGTH // 2]} … {line[-LINE_LENGTH // 2 :]}"


def short(name):
    """A test without its place in a file, as `--filter` takes it."""
    return name.rsplit("/", 1)[0]


def exactly(names):
    """The filter that selects these tests only."""
    escaped = (re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", short(name)) for name in names)
    return "^(" + "|".join(escaped) + ")/"


# --- results ---


def note(results, records):
    with open(os.path.join(results, "results.jsonl"), "a", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def noted(results):
    try:
        with open(os.path.join(results, "results.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


def record_of(test, group=None, environment=None):
    if test.not_judged:
        test.skipped = "; ".join(test.not_judged)
    result = "failed" if test.failures else "skipped" if test.skipped is not None else "passed"
    return {
        "group": group, "environment": environment, "test": test.name, "result": result, "seconds": round(test.seconds, 1),
        "reason": test.skipped, "failures": [one_line(failure) for failure in test.failures[:20]],
    }


def show_failures(tests):
    """Failures once more, because they are lost among the output of two hundred tests."""
    for test in tests:
        for failure in test.failures[:5]:
            say(f"   {short(test.name)}: {failure[:1000]}")


def say(text):
    print(text, file=sys.stderr, flush=True)


# --- group ---


def group(options):
    environment = dict(pair.split("=", 1) for pair in options.set)
    tests, faults = {}, []
    selection = options.filter
    for _ in range(MOST_PROCESSES):
        run = Run(options.command, environment, options.results, selection)
        tests.update({name: test for name, test in run.tests.items() if test.has_begun})
        faults += run.faults
        left = run.not_begun
        if not left or not any(test.has_begun for test in run.tests.values()):
            break
        say(f"== {options.name}: {len(left)} tests had not begun when the process ended; they run in a new one")
        selection = exactly(test.name for test in left)
    for test in left:
        test.failures.append("the test did not run: the test process ended early each time")
        tests[test.name] = test
    if not tests:
        faults.append("no test ran: compare the filter with the names that swift test list prints")
    note(options.results, [record_of(test, options.name, environment) for test in tests.values()])
    note(options.results, [{"group": options.name, "fault": fault} for fault in faults])
    failed = [test for test in tests.values() if test.failures]
    if failed or faults:
        say(f"== {options.name}: {len(failed)} of {len(tests)} tests failed")
        show_failures(failed)
        for fault in faults:
            say(f"   {fault}")
    return 0


# --- part ---


def part(options):
    failures = []
    if options.code != 0:
        with open(options.log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        last = next((line for line in reversed(lines) if not line.startswith("fix:")), "it printed nothing")
        failures = [line for line in lines if line.startswith("FAIL")] or [last]
        if options.code in TIMED_OUT:
            failures.insert(0, f"it did not end within its limit of time; its last line: {last}")
    note(options.results, [{
        "part": options.name, "command": options.command, "result": "failed" if failures else "passed", "seconds": options.seconds,
        "failures": [one_line(failure) for failure in failures[:20]],
    }])
    return 0


def parts_again(records):
    """Runs each failed script alone. Returns rows of the table of unsteady tests, and the faults of those that failed again."""
    rows, faults = [], []
    for record in records:
        if record["result"] == "passed":
            continue
        say(f"== again, alone: {record['part']}")
        began = time.monotonic()
        code = subprocess.run(record["command"], stdin=subprocess.DEVNULL).returncode
        if code == 0:
            rows.append((record["part"], record["failures"][0], f"{record['seconds']}", f"{time.monotonic() - began:.1f}"))
        else:
            faults.append(f"{record['part']} failed twice, the second time with code {code}: {record['failures'][0]}")
    return rows, faults


# --- judge ---


def judge(options):
    records = noted(options.results)
    tests = [record for record in records if "test" in record]
    faults = [f"{record['group']}: {record['fault']}" for record in records if "fault" in record]
    failed = [record for record in tests if record["result"] == "failed"]
    skipped = [record for record in tests if record["result"] == "skipped"]
    for record in skipped:
        if not record["reason"].startswith(NOT_JUDGED) and record["reason"] not in options.may_skip:
            faults.append(f"{short(record['test'])} was skipped: {record['reason'] or 'without a reason'}; "
                          "provide what is missing, or add the reason to may_skip in deploy/test")
    if not tests:
        faults.append("no test ran")
    unsteady, broken = try_again(failed, options)
    parts = [record for record in records if "part" in record]
    unsteady_parts, part_faults = parts_again(parts)
    faults += part_faults
    table = [("test", "first failure", "seconds", "seconds alone")] + unsteady_parts + [
        (short(record["test"]), record["failures"][0], f"{record['seconds']}", f"{seconds}") for record, seconds in unsteady]
    write_table(os.path.join(options.results, "unsteady.tsv"), table)
    for record in skipped:
        if record["reason"].startswith(NOT_JUDGED):
            say(f"   {short(record['test'])}: {record['reason']}")
    if len(table) > 1:
        say(f"== unsteady tests: failed once, passed alone. The next change mends them first (CONTRIBUTING.md, \"My run is red\").")
        for row in table:
            say("   " + " | ".join(row))
    if len(table) - 1 > MOST_UNSTEADY:
        faults.append(f"{len(table) - 1} tests are unsteady, more than {MOST_UNSTEADY}: the machine or the change is sick")
    for record, failures in broken:
        faults.append(f"{short(record['test'])} failed: {failures[0]}")
    for fault in faults:
        say(f"run_tests.py: {fault}")
    passed = sum(record["result"] == "passed" for record in tests) + len(unsteady)
    ending = f", {len(unsteady)} of them unsteady" if unsteady else ""
    for record in parts:
        say(f"   {record['part']}: {record['result']} after {record['seconds']:.0f} s")
    if faults:
        say(f"Test run with {len(broken)} tests failed, {passed} passed{ending}, {len(skipped)} skipped")
        return 1
    say(f"Test run with {passed} tests passed{ending}, {len(skipped)} skipped for a stated reason")
    return 0


def try_again(failed, options):
    """Runs each failed test alone. Returns the unsteady ones with the seconds of the second try, and those that failed again."""
    unsteady, broken = [], []
    for record in failed[:MOST_AGAIN]:
        say(f"== again, alone: {short(record['test'])}")
        run = Run(options.command, record["environment"], options.results, exactly([record["test"]]))
        test = run.tests.get(record["test"])
        failures = (test.failures if test else []) + run.faults
        if not failures and (test is None or record_of(test)["result"] != "passed"):
            failures = ["the test did not run the second time"]
        if failures:
            broken.append((record, [one_line(failure) for failure in failures]))
        else:
            unsteady.append((record, round(test.seconds, 1)))
    broken += [(record, record["failures"] + ["not tried again: too many tests failed"]) for record in failed[MOST_AGAIN:]]
    return unsteady, broken


def write_table(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)


# --- repeat ---


def repeat(options):
    hosts = os.environ.get("TIDINGS_TEST_HOSTS")
    needed = 0
    done = sum(1 for record in noted(options.results) if "round" in record)
    while done < options.times:
        free = free_hosts(hosts)
        if needed > free:
            return NO_SERVERS_LEFT
        run = Run(options.command, {}, options.results, options.filter)
        needed = max(needed, free - free_hosts(hosts))
        done += 1
        note(options.results, [record_of(test, "repeat") for test in run.tests.values()] + [{"round": done, "faults": run.faults}])
        failed = [test for test in run.tests.values() if test.failures]
        say(f"== round {done} of {options.times}: {len(failed)} of {len(run.tests)} tests failed")
        show_failures(failed)
    return report(noted(options.results), options.times)


def report(records, times):
    tests = {}
    for record in records:
        if "test" in record:
            tests.setdefault(record["test"], []).append(record)
    faults = [fault for record in records for fault in record.get("faults", [])]
    failing = {name: [record for record in results if record["result"] == "failed"] for name, results in tests.items()}
    for name, failures in sorted(failing.items(), key=lambda item: -len(item[1])):
        if failures:
            say(f"   {short(name)}: {len(failures)} of {len(tests[name])} runs failed; first: {failures[0]['failures'][0]}")
    for fault in faults:
        say(f"run_tests.py: {fault}")
    failed = sum(len(failures) for failures in failing.values())
    ran = sum(record["result"] != "skipped" for results in tests.values() for record in results)
    say(f"== {times} rounds: {ran - failed} passed, {failed} failed")
    return 1 if failed or faults or not ran else 0


def free_hosts(path):
    """The virtual hosts that no test has used yet."""
    if not path:
        return 0
    with open(path, encoding="utf-8") as file:
        return sum(1 for line in file if line.strip())


# --- command line ---


def main():
    words = sys.argv[1:]
    command = []
    if "--" in words:
        words, command = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    for function in [group, part, judge, repeat]:
        verb = verbs.add_parser(function.__name__)
        verb.set_defaults(function=function)
        verb.add_argument("results")
        if function is group:
            verb.add_argument("name")
            verb.add_argument("--set", action="append", default=[])
        if function is part:
            verb.add_argument("name")
            verb.add_argument("code", type=int)
            verb.add_argument("seconds", type=float)
            verb.add_argument("log")
        if function is repeat:
            verb.add_argument("times", type=int)
        if function is judge:
            verb.add_argument("--may-skip", action="append", default=[])
        else:
            verb.add_argument("--filter")
    options = parser.parse_args(words)
    options.command = command
    if not command:
        parser.error("COMMAND is missing after --")
    # A signal ends the tests as well: Run kills their process group on the way out.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    sys.exit(options.function(options))


if __name__ == "__main__":
    main()
