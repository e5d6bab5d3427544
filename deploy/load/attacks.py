"""Attacks on one process of the API with its limits for production. Memory and connections stay bounded, and other people are served.

usage: attacks.py [--seconds 20] [ATTACK…]     such as S2 S12; all without an argument (deploy/load/run builds the binary)

Each attack comes from one address, with tokens and a key that are good. Meanwhile a measurement in a process of its own lists the inboxes
of other people and sends intents of another tenant, both at a steady rate and by a schedule. It also follows the event stream of the person
who gets these intents: the time from the answer 202 to the event. The same measurement without an attack, before and after, is the calm
run. A run begins when routers have decided everything of the run before.

| attack | the attacker |
| --- | --- |
| S1 | asks for the head of event streams, or resets the connection before the answer |
| S2 | opens 1,200 streams of one person, or 1,200 connections that ask for nothing |
| S3 | sends bodies without their last byte to callbacks and to intents, or reads pages of 20 MB slowly |
| S4 | sends intents over 64 connections: for 1,000 people each, with 200 KB for 10 people each, or for one person each |
| S12 | sends wrong keys, wrong signatures and unknown keys over 200 connections, or different tokens of one unknown key |
"""

import argparse
import collections
import contextlib
import itertools
import math
import multiprocessing
import os
import pathlib
import re
import subprocess
import threading
import time

import attackers
from system import API, Figures, HOME, KeptClient, Role, System, TIDINGS, event, percentile

from client import Stream, eventually

checks = Figures("attacks")

OTHERS = "127.0.0.10"  # the address of other people, which is no proxy
PROXIES = "192.0.2.0/24"  # addresses of no machine (RFC 5737): the addresses of this machine are those of clients
PEOPLE, ITEMS = 40, 20
EVES = 10  # people whose tokens the attacker has
STREAMS, CONNECTIONS = 20, 1_000  # the bounds of a person and of an address
FOLLOWED = "other-0"  # the person who gets the intents of the measurement, and whose one stream is open meanwhile
LISTS, SENDS = 80, 10  # requests a second of the measurement
PATIENCE = 60  # seconds until the effects of an attack are over
DRAIN, STILL = 600, 3  # seconds until routers have decided a backlog, and without a decision by then
LARGE = 200_000  # bytes of the data of a large item
SLOWER = 2  # times the calm run
ATTACKS = {
    "S1": [attackers.heads_of_streams, attackers.streams_reset_at_once],
    "S2": [attackers.streams_of_one_person, attackers.idle_connections],
    "S3": [attackers.slow_callbacks, attackers.slow_intents, attackers.pages_read_slowly],
    "S4": [attackers.large_intents, attackers.heavy_intents, attackers.small_intents],
    "S12": [attackers.wrong_credentials, attackers.tokens_of_one_unknown_key],
}


class Measurement(threading.Thread):
    """One kind of request of other people, by a schedule. A request that is late counts from when it was due."""

    def __init__(self, rate, seconds, requests, should):
        super().__init__(daemon=True)
        self.rate, self.seconds, self.requests, self.should = rate, seconds, itertools.cycle(requests), should
        self.times, self.others = [], collections.Counter()

    def run(self):
        began = time.monotonic()
        for number, request in zip(range(int(self.rate * self.seconds)), self.requests):
            due = began + number / self.rate
            time.sleep(max(0, due - time.monotonic()))
            try:
                status = request().status
            except Exception as error:
                status = type(error).__name__
            self.times.append(time.monotonic() - due)
            if status != self.should:
                self.others[str(status)] += 1


class Follower(threading.Thread):
    """The tab of a person. It notes when an event names each notification."""

    def __init__(self, token):
        super().__init__(daemon=True)
        self.client, self.told, self.has_ended = KeptClient(token, address=OTHERS), {}, False
        self.stream = Stream(self.client)

    def run(self):
        try:
            while (event := self.stream.event(math.inf)) is not None:
                if event["event"] == "inbox":
                    self.note(event["data"])
        finally:
            self.has_ended = True

    def note(self, news):
        ids = news["new"]
        if news["reset"]:  # the event does not name every item
            ids = [item["id"] for item in self.client.get("/api/notifications", limit=100)["notifications"]]
        for id in ids:
            self.told.setdefault(id, time.monotonic())

    def waits(self, confirmed):
        """The seconds from each confirm to its event, and until now if no event came."""
        eventually(lambda: self.has_ended or all(id in self.told for id in confirmed), within=PATIENCE)
        now = time.monotonic()
        return [max(0, self.told.get(id, now) - moment) for id, moment in confirmed.items()]

    def stop(self):
        """Ends the stream. Returns whether it was open until now."""
        was_open = not self.has_ended
        self.stream.end()
        self.join()
        return was_open


def others(tokens, key, seconds, pipe):
    """Measures the requests of other people. Four clients list inboxes, one sends intents, and a tab follows what these become."""
    measured, confirmed = [], {}
    for number in range(4):
        clients = [KeptClient(token, address=OTHERS) for token in tokens[number::4]]
        lists = [lambda client=client: client.get("/api/notifications", limit=20) for client in clients]
        measured.append(Measurement(LISTS / 4, seconds, lists, 200))
    backend, count = KeptClient(key, address=OTHERS), itertools.count()

    def send():
        intent = event("/load/others", f"{os.getpid()}-{next(count)}", FOLLOWED)
        answer = backend.post("/v1/intents", intent, Content_Type="application/cloudevents+json")
        if answer.status == 202:
            confirmed[answer["notifications"][0]["id"]] = time.monotonic()
        return answer

    measured.append(Measurement(SENDS, seconds, [send], 202))
    follower = Follower(tokens[int(FOLLOWED.rpartition("-")[2])])
    for thread in (follower, *measured):
        thread.start()
    for thread in measured:
        thread.join()
    lists = [moment for thread in measured[:-1] for moment in thread.times]
    answers = sum((thread.others for thread in measured), collections.Counter())
    events = follower.waits(confirmed)
    if not follower.stop():
        answers["the stream ended"] += 1
    pipe.send((lists, measured[-1].times, events, answers))
    pipe.close()


class Run:
    """The figures of a measurement of other people, and of the API meanwhile."""

    def __init__(self, api, tokens, key, seconds):
        here, there = multiprocessing.get_context("fork").Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(target=others, args=(tokens, key, seconds, there), daemon=True)
        api.forget_peak()
        process.start()
        there.close()
        self.connections, self.streams = [], []
        while not here.poll(0.5):
            self.connections.append(connections(api, attackers.ADDRESS))
            self.streams.append(api.metric("tidings_api_streams"))
        self.lists, self.sends, self.events, self.others = here.recv()
        process.join()
        self.peak = api.memory()[1]


def connections(api, address):
    """The open connections between an address and a process, as the kernel lists them."""
    port = int(api.address.rpartition(":")[2])
    remote = "".join(f"{int(part):02X}" for part in reversed(address.split(".")))
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    ends = (line.split()[1:4] for line in lines)
    return sum(local.endswith(f":{port:04X}") and there.startswith(f"{remote}:") and state == "01" for local, there, state in ends)


class Attacker:
    """Makes the attacks, with the people and the key of a tenant."""

    def __init__(self, system, api, roles):
        self.system, self.api, self.roles = system, api, roles
        host, _, port = api.address.rpartition(":")
        self.host, self.port = host, int(port)
        self.tokens = [system.login.token(f"{attackers.TENANT}-{number}", attackers.TENANT) for number in range(EVES)]
        self.key = system.key("eve", "intents:write", tenant=attackers.TENANT)
        self.streams = int(api.metric("tidings_api_streams"))

    def attack(self, function, tokens, key, seconds):
        """Attacks while other people are measured. Returns the figures, with what is left of the attack afterwards."""
        target = attackers.Target(self.host, self.port, self.tokens, self.key)
        process, pipe = attackers.start(function, target, seconds + 3)
        time.sleep(1)  # the attack has its full strength when the measurement begins
        run = Run(self.api, tokens, key, seconds)
        run.answers = {}
        with contextlib.suppress(EOFError):  # the attacker ended without a word
            if pipe.poll(PATIENCE):
                run.answers = pipe.recv()
        process.join(1)
        run.streams_left = eventually(lambda: int(self.api.metric("tidings_api_streams")), lambda left: left <= self.streams, PATIENCE)
        run.connections_left = eventually(lambda: connections(self.api, attackers.ADDRESS), lambda left: left == 0, PATIENCE)
        run.decided = drained(self.roles)
        return run


def drained(roles):
    """Waits until routers decide nothing more. Returns whether they have come to an end."""
    decided, since, end = None, time.monotonic(), time.monotonic() + DRAIN
    while time.monotonic() < end:
        now = roles.metric("tidings_intents_total")
        if now != decided:
            decided, since = now, time.monotonic()
        elif time.monotonic() - since > STILL:
            return True
        time.sleep(0.2)
    return False


def prepare(system, api, roles):
    """Other people with small inboxes, and an attacker with a large one. Returns the tokens and the key of other people."""
    key = system.key("others", "intents:write")
    names = [f"other-{number}" for number in range(PEOPLE)]
    backend = KeptClient(key, address=OTHERS)
    for number in range(ITEMS):
        send(backend, event("/load/prepare", str(number), names))
    attacker = Attacker(system, api, roles)
    backend = KeptClient(attacker.key, address=OTHERS)
    for number in range(100):
        send(backend, event("/load/large", str(number), "eve-0", tenant=attackers.TENANT, data={"text": "a" * LARGE}))
    arrived(system, names[-1], "default", ITEMS)
    arrived(system, "eve-0", attackers.TENANT, 100)
    return attacker, [system.login.token(name) for name in names], key


def send(backend, intent):
    answer = backend.post("/v1/intents", intent, Content_Type="application/cloudevents+json")
    if answer.status != 202:
        raise SystemExit(f"the preparation: an intent was not accepted: {answer}")


def arrived(system, name, tenant, count):
    someone = system.person(name, tenant, address=OTHERS)
    total = lambda: someone.get("/api/notifications", limit=1)["total"]
    checks.equal(f"preparation: the items of {name}", eventually(total, lambda found: found >= count, PATIENCE), count)


def judge(name, run, calm, streams):
    said = ", ".join(f"{number:,} × {status}" for status, number in sorted(run.answers.items()))
    checks.true(f"{name}: the attack was made", run.answers)
    checks.tell(f"{name}: the attacker got {said}; at most {max(run.connections):,} connections")
    checks.most(f"{name}: memory", run.peak / 2**20, memory_limit() / 2**20, " MiB")
    # A refused connection is open for a moment, too.
    checks.most(f"{name}: connections of the attacker, median", percentile(run.connections, 50), CONNECTIONS)
    checks.most(f"{name}: open streams", int(max(run.streams)), streams + EVES * STREAMS + 1)
    checks.most(f"{name}: streams that stay open", run.streams_left, streams)
    checks.most(f"{name}: connections that stay open", run.connections_left, 0)
    checks.true(f"{name}: routers decided the backlog", run.decided, f"not within {DRAIN} s")
    checks.equal(f"{name}: other answers to other people", dict(run.others), {})
    for what, found, expected in zip(("lists", "intents", "events after the 202"), (run.lists, run.sends, run.events), calm):
        checks.most(f"{name}: p99 of {what} of other people", percentile(found, 99) * 1000, SLOWER * percentile(expected, 99) * 1000, " ms")


def memory_limit():
    """The bytes that the unit of systemd allows."""
    unit = pathlib.Path(__file__).parent.parent.joinpath("systemd/tidings-api@.service").read_text()
    number, prefix = re.search(r"^MemoryMax=(\d+)([KMG]?)$", unit, re.MULTILINE).groups()
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[prefix]


def apply_catalogue():
    """Adds a provider with callbacks to the built-in catalogue. Nothing is sent to it."""
    provider = """
  dmp:
    channel: push
    kind: http
    addressing: person
    settings: {url: "http://127.0.0.1:9/", callbackAuthentication: hmac, callbackSecret: "env:DMP_SECRET", callbackHeader: X-Signature,
      callbackReferencePath: /ref, callbackStatePath: /state, callbackStates: "arrived = delivered"}"""
    os.environ["DMP_SECRET"] = "the secret of a service that is never called"
    show = subprocess.run([TIDINGS, "catalogue", "show", "--built-in"], env=os.environ, capture_output=True, text=True, check=True)
    catalogue = show.stdout.replace("    local: [localPlan]\n", "    push: [dmp]\n    local: [localPlan]\n")
    path = pathlib.Path(HOME, "catalogue.yaml")
    path.write_text(catalogue.replace("\nproviders:", f"\nproviders:{provider}"))
    subprocess.run([TIDINGS, "catalogue", "apply", str(path)], env=os.environ, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=" ".join(ATTACKS))
    parser.add_argument("--seconds", type=int, default=20, help="of each measurement")
    options = parser.parse_args()
    wanted = options.attacks or list(ATTACKS)
    if unknown := set(wanted) - set(ATTACKS):
        parser.error(f"there is no attack {', '.join(unknown)}; the attacks are {', '.join(ATTACKS)}")
    with System() as system:
        apply_catalogue()
        roles, api = Role("all", "all"), API(TIDINGS_API_PROXIES=PROXIES)
        system.start(roles, api)
        attacker, tokens, key = prepare(system, api, roles)
        calm = [Run(api, tokens, key, options.seconds)]
        found = []
        for name in wanted:
            for function in ATTACKS[name]:
                found.append((f"{name} {function.__name__}", attacker.attack(function, tokens, key, options.seconds)))
        calm.append(Run(api, tokens, key, options.seconds))
        times = [sum(kind, []) for kind in zip(*((run.lists, run.sends, run.events) for run in calm))]
        shown = [f"{percentile(kind, 99) * 1000:.1f} ms" for kind in times]
        checks.tell(f"calm: p99 of lists {shown[0]}, of intents {shown[1]}, of events after the 202 {shown[2]}, {calm[0].peak >> 20} MiB")
        for name, run in found:
            judge(name, run, times, attacker.streams)
    checks.finish()


if __name__ == "__main__":
    main()
