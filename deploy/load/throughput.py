"""The rate of the pipeline without an API, beside an idle API, and beside an API that answers a steady stream of requests.

usage: throughput.py [--intents 50000] [--runs 3] [--requests 500]     (deploy/load/run builds the binary)

`tidings bench` measures the same roles in turn: first without an API, then with one that has nothing to do, then with one that gets the
requests of many people, nine lists of an inbox for each change. The figures are medians.
"""

import argparse
import contextlib
import itertools
import json
import multiprocessing
import os
import statistics
import subprocess
import time

from system import API, Figures, KeptClient, Role, System, TIDINGS, event, percentile

from client import eventually

checks = Figures("throughput")

CLIENTS, PEOPLE, ITEMS = 8, 40, 20
CHANGES = 10  # each tenth request changes an item
IDLE = 0.97  # of the rate without an API: an idle process costs nothing
BUSY = 0.65  # the requests take their share of the same cores


def requests(number, tokens, rate, until, pipe):
    """Sends requests by a schedule. One that is late counts from when it was due."""
    os.nice(5)  # the clients of real life have machines of their own
    people = [KeptClient(token) for token in tokens[number::CLIENTS]]
    items = {person: person.get("/api/notifications", limit=1)["notifications"][0]["id"] for person in people}
    times, others, began = [], 0, time.monotonic()
    for count, person in zip(itertools.count(), itertools.cycle(people)):
        due = began + count * CLIENTS / rate
        if until.is_set():
            break
        time.sleep(max(0, due - time.monotonic()))
        if count % CHANGES:
            answer = person.get("/api/notifications", limit=20)
        else:
            answer = person.patch(f"/api/notifications/{items[person]}/{'read' if count // CHANGES % 2 else 'unread'}")
        times.append(time.monotonic() - due)
        others += answer.status != 200
    pipe.send((times, others, time.monotonic() - began))


@contextlib.contextmanager
def busy(tokens, rate):
    """Requests at a steady rate while the body runs. The list that it gives gets the figures afterwards."""
    context, found = multiprocessing.get_context("fork"), []
    until, pipes, children = context.Event(), [], []
    for number in range(CLIENTS):
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=requests, args=(number, tokens, rate, until, there), daemon=True)
        child.start()
        there.close()
        pipes.append(here)
        children.append(child)
    try:
        yield found
    finally:
        until.set()
        found += [pipe.recv() for pipe in pipes]
        for child in children:
            child.join()


def bench(intents):
    command = [TIDINGS, "bench", "--intents", str(intents), "--output", "json"]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"tidings bench: {done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--intents", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--requests", type=int, default=500, help="a second")
    options = parser.parse_args()
    with System() as system:
        system.start(Role("all", "all"))
        api = API()
        rates = {"without": [], "idle": [], "busy": []}
        figures = []
        for turn in range(options.runs):
            rates["without"].append(bench(options.intents)["intentsPerSecond"])
            system.start(api)
            if turn == 0:
                tokens = prepare(system)
            rates["idle"].append(bench(options.intents)["intentsPerSecond"])
            with busy(tokens, options.requests) as found:
                rates["busy"].append(bench(options.intents)["intentsPerSecond"])
            figures += found
            api.stop()
        medians = {name: statistics.median(found) for name, found in rates.items()}
        for name, found in rates.items():
            checks.tell(f"{name}: {medians[name]:,.0f} intents/s of {', '.join(f'{rate:,.0f}' for rate in found)}")
        checks.least("idle ÷ without", medians["idle"] / medians["without"], IDLE)
        checks.least("busy ÷ without", medians["busy"] / medians["without"], BUSY)
        times = [moment for found in figures for moment in found[0]]
        made = sum(len(found[0]) for found in figures) / (sum(found[2] for found in figures) / CLIENTS)
        checks.tell(f"requests: {made:,.0f} a second, p50 {percentile(times, 50) * 1000:.1f} ms, p99 {percentile(times, 99) * 1000:.1f} ms")
        checks.least("requests a second", made, 0.95 * options.requests)
        checks.equal("requests with another answer than 200", sum(found[1] for found in figures), 0)
    checks.finish()


def prepare(system):
    key = system.key("load", "intents:write")
    names = [f"reader-{number}" for number in range(PEOPLE)]
    backend = KeptClient(key)
    for number in range(ITEMS):
        answer = backend.post("/v1/intents", event("/load/throughput", str(number), names), Content_Type="application/cloudevents+json")
        if answer.status != 202:
            raise SystemExit(f"the preparation: {answer}")
    last = system.person(names[-1])
    eventually(lambda: last.get("/api/notifications", limit=1)["total"], lambda total: total >= ITEMS)
    return [system.login.token(name) for name in names]


if __name__ == "__main__":
    main()
