"""Paging by cursor while notifications arrive, held ones among them. Nothing is repeated, left out or swallowed.

usage: paging.py [--seconds 60] [--rate 1000] [--people 20] [--seed N]     (deploy/load/run builds the binary)

A backend sends notifications to some people at a steady rate. A fifth of them is scheduled some seconds ahead, so it arrives late and with
an old id. Meanwhile, for each person:

- Readers walk the inbox from the top to its end, in pages of a random size. Afterwards each walk must have exactly the items that had
  arrived when it began.
- A sweeper marks everything as read up to the uppermost item that it has seen. Afterwards no item above that may be read.
- A tab follows the event stream. Afterwards an event must have named each item.
"""

import argparse
import collections
import itertools
import random
import threading
import time

from inbox import Follower, Walk
from system import API, Figures, KeptClient, Role, System, event

from client import eventually, seconds_from_now

checks = Figures("paging")

HELD = 0.2  # the share of notifications that are scheduled
LATEST = 8  # seconds ahead of the latest of these
TICK = 0.1  # seconds of arrivals in one request
PRODUCERS, READERS = 2, 4
PATIENCE = 120  # seconds until the last notification has arrived


class Arrivals(threading.Thread):
    """A backend that sends batches by a schedule. After a stall, the events that were due meanwhile follow at once."""

    def __init__(self, key, number, people, rate, seconds, chance):
        super().__init__(daemon=True)
        self.client, self.number, self.people = KeptClient(key), number, people
        self.rate, self.seconds, self.random = rate, seconds, chance
        self.accepted, self.took, self.error = collections.defaultdict(set), 0.0, None

    def run(self):
        try:
            self.send()
        except Exception as error:
            self.error = error

    def send(self):
        began, sent, count = time.monotonic(), 0, int(self.rate * self.seconds)
        while sent < count:
            due = min(max(sent + 1, int((time.monotonic() - began + TICK) * self.rate)), sent + 1000, count)
            events = [self.event(number) for number in range(sent, due)]
            sent = due
            answer = self.client.post("/v1/intents", events, Content_Type="application/cloudevents-batch+json")
            if answer.status != 202:
                raise AssertionError(f"a batch of {len(events)} events: {answer}")
            for notification in answer["notifications"]:
                self.accepted[notification["recipient"]].add(notification["id"])
            time.sleep(max(0, began + sent / self.rate - time.monotonic()))
        self.took = time.monotonic() - began

    def event(self, number):
        held = {"scheduledFor": seconds_from_now(self.random.randint(2, LATEST))} if self.random.random() < HELD else {}
        return event(f"/load/paging/{self.number}", str(number), self.random.choice(self.people), **held)


class Reader(threading.Thread):
    """Walks the inboxes of all people in turn."""

    def __init__(self, people, over, chance):
        super().__init__(daemon=True)
        self.people, self.over, self.random = people, over, chance
        self.walks, self.pages, self.error = [], 0, None

    def run(self):
        try:
            for someone in itertools.cycle(self.people):
                if self.over.is_set():
                    return
                walk = Walk(someone, self.random.randint(7, 100), self.turn)
                self.walks.append((someone.recipient, walk.position, walk.ids, walk.problem))
        except Exception as error:
            self.error = error

    def turn(self):
        self.pages += 1
        time.sleep(0.005)  # a person needs longer for a page, and a reader that never rests would only measure itself


class Sweeper(threading.Thread):
    """Marks the items as read that a person has seen: those of a page that is a moment old."""

    def __init__(self, people, over, chance):
        super().__init__(daemon=True)
        self.people, self.over, self.random = people, over, chance
        self.bounds, self.sweeps, self.error = {}, 0, None

    def run(self):
        try:
            for someone in itertools.cycle(self.people):
                page = someone.get("/api/notifications", limit=20, cursor="")["notifications"]
                if self.over.wait(self.random.random() / 2):  # meanwhile others arrive
                    return
                if page:
                    self.bounds[someone.recipient] = page[0]["position"]
                    if someone.patch("/api/notifications/read-all", before=page[0]["position"]).status != 200:
                        raise AssertionError("read-all was refused")
                    self.sweeps += 1
        except Exception as error:
            self.error = error


class Names(Follower):
    """A tab that keeps the id of each item that it was told of."""

    def begin(self, walk):
        self.named = getattr(self, "named", set()) | set(walk.ids)

    def change(self, news):
        self.named.update(news["new"])


def measure(system, options):
    system.start(Role("all", "all"), API(TIDINGS_API_REQUESTS_PER_PERSON="100000"))
    key = system.key("load", "intents:write")
    names = [f"paging-{number}" for number in range(options.people)]
    people = {name: system.person(name) for name in names}
    again = lambda: [KeptClient(person.credentials) for person in people.values()]
    over = threading.Event()
    chance = [random.Random(options.seed + number) for number in range(PRODUCERS + READERS + 1)]
    tabs = [Names(people[name]) for name in names]
    arrivals = [Arrivals(key, number, names, options.rate / PRODUCERS, options.seconds, chance.pop()) for number in range(PRODUCERS)]
    readers = [Reader(named(again(), names), over, chance.pop()) for _ in range(READERS)]
    sweeper = Sweeper(named(again(), names), over, chance.pop())
    for thread in (*tabs, *arrivals, *readers, sweeper):
        thread.start()
    for thread in arrivals:
        thread.join()
    over.set()
    for thread in (*readers, sweeper):
        thread.join()
    for thread in (*arrivals, *readers, sweeper):
        checks.true(f"{type(thread).__name__}: no error", thread.error is None, thread.error)
    accepted = {name: set().union(*(thread.accepted[name] for thread in arrivals)) for name in names}
    judge(system, accepted, arrivals, readers, sweeper, tabs, named(again(), names), options)


def named(clients, names):
    for client, name in zip(clients, names):
        client.recipient = name
    return clients


def judge(system, accepted, arrivals, readers, sweeper, tabs, people, options):
    count = sum(len(ids) for ids in accepted.values())
    took = max(thread.took for thread in arrivals)
    checks.equal("arrivals: every event was accepted", count, int(options.rate / PRODUCERS * options.seconds) * PRODUCERS)
    checks.least("arrivals: accepted", count / max(took, 0.001), 0.95 * options.rate, "/s")
    counted = lambda: sum(someone.get("/api/notifications", limit=1)["total"] for someone in people)
    checks.equal("arrivals: all arrived", eventually(counted, lambda found: found >= count, PATIENCE), count)
    final = {someone.recipient: Walk(someone, 100) for someone in people}
    for name, walk in final.items():
        if set(walk.ids) != accepted[name]:
            checks.note(f"{name}: the inbox has what was accepted", False, f"{len(accepted[name])} accepted, {len(walk.ids)} listed")
    late = sum(inversions(walk.ids) for walk in final.values())
    checks.least("arrivals: items that arrived later than one with a higher id", late, 1)
    checks.least("walks during the arrivals", sum(len(reader.walks) for reader in readers), len(people))
    judge_walks(final, [walk for reader in readers for walk in reader.walks], sum(reader.pages for reader in readers))
    checks.least("sweeps", sweeper.sweeps, 1)
    swallowed = left = 0
    for name, walk in final.items():
        bound = sweeper.bounds.get(name, 0)
        swallowed += sum(item["isRead"] and item["position"] > bound for item in walk.items)
        left += sum(not item["isRead"] and item["position"] <= bound for item in walk.items)
    checks.equal("sweeps: items read that no page had shown", swallowed, 0)
    checks.equal("sweeps: items left unread below a sweep", left, 0)
    judge_tabs(final, tabs)


def judge_walks(final, walks, pages):
    """An item that has arrived keeps its place, so the last walk says what each earlier one must have had."""
    places = {name: {item["id"]: item["position"] for item in walk.items} for name, walk in final.items()}
    gaps = extra = 0
    for name, position, ids, _ in walks:
        should = {id for id, place in places[name].items() if place <= position}
        gaps += len(should.difference(ids))
        extra += len(set(ids) - should)
    problems = [problem for *_, problem in walks if problem]
    checks.tell(f"{pages:,} pages; the longest walk had {max((len(ids) for _, _, ids, _ in walks), default=0):,} items")
    checks.true("walks: no repetition, and the order of arrival", not problems, f"{len(problems)} walks: {problems[:3]}")
    checks.equal("walks: items left out", gaps, 0)
    checks.equal("walks: items that had not arrived", extra, 0)


def judge_tabs(final, tabs):
    missing = 0
    for tab in tabs:
        should = final[tab.someone.recipient]
        eventually(lambda: tab.position, lambda position: position >= should.position)
        tab.stop()
        checks.true(f"tab of {tab.someone.recipient}: no error", tab.error is None, tab.error)
        missing += len(set(should.ids) - tab.named)
    checks.tell(f"{len(tabs)} tabs read their list again {sum(tab.resets for tab in tabs)} times")
    checks.equal("tabs: items that no event named", missing, 0)


def inversions(ids):
    """The items that stand above one with a higher id."""
    highest, count = "", 0
    for id in ids[::-1]:
        count += id < highest
        highest = max(highest, id)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=1000, help="notifications a second")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    checks.tell(f"{options.rate} notifications a second for {options.seconds} s and {options.people} people, seed {options.seed}")
    with System() as system:
        measure(system, options)
    checks.finish()


if __name__ == "__main__":
    main()
