"""An answer 202 is a promise, whatever process ends afterwards.

usage: promises.py [--intents 100000] [--kills 25] [--seed N]     (deploy/load/run builds the binary)

1. Clients send intents and ask for each id at once and some seconds later. Two routers are stopped, killed and started all the time, so
   that at times none runs. No id may be unknown.
2. Requests with the same Idempotency-Key and body go to two processes of the API. One of the two is killed. Half of the kills come between
   the confirm of the broker and the answer: a relay keeps the confirm from the process. The other half come at a random moment. Each
   request is then repeated at both processes: one notification, and the same answer everywhere.
"""

import argparse
import collections
import heapq
import json
import os
import random
import threading
import time

from gate import Gate
from system import API, Figures, KeptClient, Role, System, event

from client import eventually

checks = Figures("promises")

SENDERS = 8
LATER = 0.1, 3.0  # seconds from an answer to the second question
DOWN = 0.2, 3.0  # seconds for which a router is away
UP = 0.1, 1.0
DECIDED = 600  # seconds until the routers have decided everything
REQUESTS = 20  # at once, when a process is killed
MOMENT = 0.03  # seconds; the latest moment of a random kill. A request takes about 10 ms
SOURCE, RECIPIENT = "/load/promises", "promises-ann"


class Sender(threading.Thread):
    """Sends intents, and asks for each id at once and once more later."""

    def __init__(self, key, number, count, chance):
        super().__init__(daemon=True)
        self.client, self.number, self.count, self.random = KeptClient(key), number, count, chance
        self.ids, self.later, self.answers, self.error = [], [], collections.Counter(), None

    def run(self):
        try:
            for number in range(self.count):
                self.send(number)
                while self.later and self.later[0][0] <= time.monotonic():
                    self.ask(heapq.heappop(self.later)[1], "later")
            for due, id in sorted(self.later):
                time.sleep(max(0, due - time.monotonic()))
                self.ask(id, "later")
        except Exception as error:
            self.error = error

    def send(self, number):
        body = event(SOURCE, f"{self.number}-{number}", f"promises-{self.number}")
        answer = self.client.post("/v1/intents", body, Content_Type="application/cloudevents+json")
        self.answers["sent", answer.status] += 1
        if answer.status == 202:
            id = answer["notifications"][0]["id"]
            self.ask(id, "at once")
            self.ids.append(id)
            heapq.heappush(self.later, (time.monotonic() + self.random.uniform(*LATER), id))

    def ask(self, id, when):
        self.answers[when, self.client.get(f"/v1/notifications/{id}").status] += 1


class Restarter(threading.Thread):
    """Ends a router and starts it again, all the time."""

    def __init__(self, router, over, chance):
        super().__init__(daemon=True)
        self.router, self.over, self.random = router, over, chance
        self.ends, self.error = 0, None

    def run(self):
        try:
            while not self.over.wait(self.random.uniform(*UP)):
                self.random.choice((self.router.stop, self.router.kill))()
                self.ends += 1
                time.sleep(self.random.uniform(*DOWN))
                self.router.start()
        except BaseException as error:  # also the SystemExit of a router that does not start
            self.error = error


def ids_stay_known(system, routers, key, options):
    over = threading.Event()
    restarters = [Restarter(router, over, random.Random(options.seed + number)) for number, router in enumerate(routers)]
    senders = [Sender(key, number, options.intents // SENDERS, random.Random(options.seed - number)) for number in range(SENDERS)]
    for thread in (*restarters, *senders):
        thread.start()
    for thread in senders:
        thread.join()
    over.set()
    for thread in restarters:
        thread.join()
    for thread in (*restarters, *senders):
        checks.true(f"{type(thread).__name__}: no error", thread.error is None, repr(thread.error))
    answers = sum((sender.answers for sender in senders), collections.Counter())
    sent = sum(len(sender.ids) for sender in senders)
    checks.least("intents answered with 202", sent, options.intents // SENDERS * SENDERS)
    checks.tell(f"the routers were ended {sum(restarter.ends for restarter in restarters)} times")
    for when in ("at once", "later"):
        checks.equal(f"asked {when}: unknown ids", answers[when, 404], 0)
        checks.equal(f"asked {when}: ids that were found", answers[when, 200], sent)
    others = {f"{what} {status}": number for (what, status), number in answers.items() if status not in (200, 202)}
    checks.equal("other answers", others, {})
    decided(system, SOURCE, sent)
    client = KeptClient(key)
    some = [id for sender in senders for id in sender.ids[::10]]
    states = collections.Counter(client.get(f"/v1/notifications/{id}").json.get("notification", {}).get("state") for id in some)
    checks.equal("states of every tenth when all are decided", dict(states), {"done": len(some)})


def decided(system, source, count):
    """Waits until the routers have decided everything. Then each accepted intent is one notification."""
    deadline = time.monotonic() + DECIDED
    statement = f"select count(*), count(distinct event_id) from tidings_ops.notifications where source = '{source}'"
    while (found := system.sql(statement)[0]) != [str(count)] * 2 and time.monotonic() < deadline:
        time.sleep(1)  # poll: a decision signals nobody here
    checks.equal(f"notifications of {count:,} intents, and their events", found, [str(count)] * 2)


class Request(threading.Thread):
    """A request on its way to a process that may die meanwhile."""

    def __init__(self, api, key, name):
        super().__init__(daemon=True)
        self.client, self.name = KeptClient(key, url=api.url, repeats=False), name
        self.answer, self.error = None, None

    def run(self):
        try:
            body = event(f"{SOURCE}/kills", self.name, RECIPIENT, title=f"Order {self.name}")
            self.answer = self.client.post(
                "/v1/intents", body, Content_Type="application/cloudevents+json", Idempotency_Key=self.name)
        except Exception as error:
            self.error = error
        finally:
            self.client.close()


def send_all(api, key, names):
    requests = [Request(api, key, name) for name in names]
    for request in requests:
        request.start()
    return requests


class Answers:
    """What was answered to each request, by any process."""

    def __init__(self):
        self.bodies, self.refusals, self.unanswered = collections.defaultdict(set), collections.Counter(), 0

    def take(self, requests):
        """Waits for the ends of requests."""
        for request in requests:
            request.join()
            if request.answer is None:
                self.unanswered += 1
            elif request.answer.status == 202:
                self.bodies[request.name].add(request.answer.bytes)
            else:
                self.refusals[request.answer.status] += 1
        return [request for request in requests if request.answer is None]


def kill_between(api, other, gate, key, names, answers, chance, holds):
    """Half of the requests go to both processes at once, and all go to the one that is killed. All are repeated afterwards.

    Returns the number of requests that got no answer from the killed process."""
    if holds:
        gate.hold()
    doomed = send_all(api, key, names)
    both = send_all(other, key, names[::2])
    if holds:
        if not gate.has_held.wait(10):
            checks.note("the broker confirmed an intent", False, "no confirm came within 10 s")
        time.sleep(0.05)  # the broker confirms the other requests of this moment meanwhile
    else:
        time.sleep(chance.uniform(0, MOMENT))
    api.kill()
    gate.open()
    lost = answers.take(doomed)
    answers.take(both)
    answers.take(send_all(other, key, names))
    api.start()
    answers.take(send_all(api, key, names))
    return len(lost)


def kills_change_nothing(system, api, other, gate, key, options):
    chance, answers, lost, names = random.Random(options.seed), Answers(), {True: 0, False: 0}, []
    for turn in range(2 * options.kills):
        holds = turn % 2 == 0
        names.append([f"{options.seed}-{turn}-{number}" for number in range(REQUESTS)])
        lost[holds] += kill_between(api, other, gate, key, names[-1], answers, chance, holds)
    count = sum(map(len, names))
    checks.equal("kills between confirm and answer: requests without an answer", lost[True], options.kills * REQUESTS)
    checks.tell(f"kills at a random moment: {lost[False]} of {options.kills * REQUESTS} requests without an answer")
    checks.equal("requests to the other process without an answer", answers.unanswered - sum(lost.values()), 0)
    checks.equal("requests that were refused", dict(answers.refusals), {})
    checks.equal("requests that were answered in the end", len(answers.bodies), count)
    checks.equal("requests with more than one answer", sum(len(bodies) > 1 for bodies in answers.bodies.values()), 0)
    decided(system, f"{SOURCE}/kills", count)
    promised = {json.loads(body)["notifications"][0]["id"] for bodies in answers.bodies.values() for body in bodies}
    made = {row[0] for row in system.sql(f"select notification_id from tidings_ops.notifications where source = '{SOURCE}/kills'")}
    checks.equal("promised ids that became no notification", len(promised - made), 0)
    ann = system.person(RECIPIENT, url=other.url)
    total = lambda: ann.get("/api/notifications", limit=1)["total"]
    checks.equal("items in the inbox", eventually(total, lambda found: found >= count), count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--intents", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=25, help="kills of each kind")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    checks.tell(f"{options.intents} intents and {options.kills} kills of each kind, seed {options.seed}")
    with System() as system:
        gate = Gate(os.environ["TIDINGS_AMQP_URL"])
        routers = [Role(f"router-{number}", "router") for number in range(2)]
        other, api = API("api-other"), API("api", TIDINGS_AMQP_URL=gate.url)
        system.start(*routers, Role("deliver", "deliver"), Role("release", "release"), other, api)
        key = system.key("load", "intents:write", "notifications:read")
        with checks.part("ids stay known"):
            ids_stay_known(system, routers, key, options)
        with checks.part("kills change nothing"):
            kills_change_nothing(system, api, other, gate, key, options)
    checks.finish()


if __name__ == "__main__":
    main()
