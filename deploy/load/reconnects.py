"""The login service replaces all its keys, and the API is killed with many streams open. The clients come back spread, and all of them.

usage: reconnects.py [--streams 1000] [--down 3]     (deploy/load/run builds the binary; needs node 20 or newer)

The clients are the library for browsers, tidings-inbox.js, in one process of node, which is also the login service. Each client keeps its
token, which no key of the API verifies after the rotation. It must get a new one and connect again, and must not give up.
"""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import time

from system import API, Figures, KEYS, Role, System

checks = Figures("reconnects")

FOLDER = pathlib.Path(__file__).resolve().parent
SPREAD = 30  # seconds
SHARE = 0.1  # the largest share of the clients in one second; an even spread over 29 s has 0.034
REQUESTS = 2  # answered requests of a client: the first has its old token


class Clients:
    """The process of node."""

    def __init__(self, url, count):
        command = ["node", str(FOLDER / "reconnects.mjs"), url, str(KEYS.resolve()), str(count)]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.answer()

    def order(self, word):
        self.child.stdin.write(f"{word}\n")
        self.child.stdin.flush()

    def answer(self):
        line = self.child.stdout.readline()
        if not line:
            raise SystemExit("node ended\n    fix: see its message above")
        return json.loads(line)

    def ask(self, word):
        self.order(word)
        return self.answer()

    def end(self):
        self.child.kill()
        self.child.wait()


def measure(system, options):
    api = API(TIDINGS_API_CONNECTIONS=str(options.streams + 1_000))
    clients = Clients(api.url, options.streams)
    try:
        system.start(Role("all", "all"), api)
        checks.equal("streams that opened", clients.ask("open"), {"open": options.streams, "refused": 0})
        time.sleep(1)
        began = clients.ask("rotate")["at"]
        api.kill()
        time.sleep(options.down)
        api.start()
        down = time.time() * 1000 - began
        report = clients.ask("report")
        counted = int(api.metric("tidings_api_streams"))
    finally:
        clients.end()
    checks.tell(f"the process was away for {down / 1000:.1f} s")
    judge(report, began, options)
    checks.equal("streams that the process counts", counted, options.streams)


def judge(report, began, options):
    """Requests that no process was there to answer say nothing about the storm: they cost the server nothing."""
    answered = [[request for request in requests if request["status"] is not None] for requests in report["requests"]]
    opened = sorted((request["answeredAt"] - began) / 1000 for requests in answered for request in requests if request["status"] == 200)
    statuses = collections.Counter(request["status"] for requests in answered for request in requests)
    missed = sum(len(requests) for requests in report["requests"]) - sum(map(len, answered))
    checks.tell(f"answers: {dict(statuses)}; {missed} requests met no process")
    checks.equal("streams that were given up", report["refused"], 0)
    checks.equal("streams that are open again", report["open"], options.streams)
    checks.most("answered requests of one client", max(map(len, answered)), REQUESTS)
    if not opened:
        return
    busiest = max(collections.Counter(map(int, opened)).values())
    # A token of an unknown key waits for a look at the keys, so the streams of some seconds open together.
    checks.tell(f"the first stream was open after {opened[0]:.1f} s; {busiest} opened in the busiest second")
    checks.least("the last stream was open after", opened[-1], SPREAD, " s")
    seconds = collections.Counter(int((requests[0]["at"] - began) / 1000) for requests in answered if requests)
    checks.most("share of the clients that came back in the busiest second", max(seconds.values()) / options.streams, SHARE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--down", type=float, default=3, help="seconds from the kill to the next start")
    options = parser.parse_args()
    if shutil.which("node") is None:
        raise SystemExit("node is missing\n    fix: install node 20 or newer, such as apt-get install nodejs")
    checks.tell(f"{options.streams} streams")
    with System() as system:
        measure(system, options)
    checks.finish()


if __name__ == "__main__":
    main()
