"""Random changes of one inbox by 8 clients, which 4 tabs follow. The counts stay those of a recount.

usage: counts.py [--operations 100000] [--round 5000] [--seed N]     (deploy/load/run builds the binary)

The clients read, mark, dismiss, delete, snooze, wake, undo and sweep at random while notifications arrive. After each round, when nothing
moves any more:

- The counts of the list are those of its items, and the number of snoozed items is that of their list.
- Each tab shows what the list has, and its counts.

At the end `tidings db verify` and a statement recount the inbox in the database.
"""

import argparse
import random
import secrets
import threading

from inbox import Follower, Walk, is_unread, look
from system import API, Figures, KeptClient, Role, System, event

from client import eventually, seconds_from_now, tidings

checks = Figures("counts")

CLIENTS, TABS = 8, 4
SIZE = 150  # items in the list before a client clears its lower part
KNOWN = 200  # ids among which a client chooses: of listed, snoozed and deleted items
HEALED = 60  # seconds; a tab hears of a change whose signal was lost within 45 s
WEIGHTS = {
    "arrive": 6, "list": 10, "show": 6, "count": 4, "read": 18, "unread": 10, "seen": 8, "dismissed": 10, "undo": 10, "delete": 6,
    "snooze": 6, "wake": 4, "readAll": 1, "clear": 1,
}
PATCHES = ("read", "unread", "seen", "dismissed")
POSTS = ("undo", "wake")
# The ends of snoozes, in seconds. A releaser wakes the items of the short ones while the clients go on.
SNOOZES = (3, 5, 3600)

RECOUNT = """
    select count(*) from tidings_ops.inboxes b cross join lateral (
        select count(*) filter (where snoozed_until is null) as total, count(*) filter (where snoozed_until is not null) as snoozed,
            count(*) filter (where snoozed_until is null and read_at is null and dismissed_at is null) as unread
        from tidings_ops.inbox i where i.tenant = b.tenant and i.recipient_id = b.recipient_id and i.deleted_at is null
    ) n where (b.total, b.unread, b.snoozed) is distinct from (n.total, n.unread, n.snoozed)
    """


class Person:
    """What the clients of a person know together."""

    def __init__(self, system, key):
        self.name = "counts-ann"
        self.token, self.key = system.login.token(self.name), key
        self.lock, self.ids, self.positions, self.total, self.accepted = threading.Lock(), [], [0], 0, 0

    def client(self):
        someone = KeptClient(self.token)
        someone.recipient = self.name
        return someone

    def arrived(self, id):
        with self.lock:
            self.accepted += 1
            self.ids = (self.ids + [id])[-KNOWN:]

    def listed(self, page):
        with self.lock:
            self.positions = [item["position"] for item in page["notifications"]] or self.positions
            self.total = page["total"]


class Clicker(threading.Thread):
    """A client that changes the inbox at random."""

    def __init__(self, person, operations, chance):
        super().__init__(daemon=True)
        self.person, self.operations, self.random = person, operations, chance
        self.app, self.backend = person.client(), KeptClient(person.key)
        self.statuses, self.error = {}, None

    def run(self):
        try:
            for _ in range(self.operations):
                kind = self.random.choices(list(WEIGHTS), WEIGHTS.values())[0]
                answer = self.act(kind, self.random.choice(self.person.ids))
                counted = (kind, answer.status)
                self.statuses[counted] = self.statuses.get(counted, 0) + 1
        except Exception as error:
            self.error = error

    def act(self, kind, id):
        path = f"/api/notifications/{id}"
        if kind in PATCHES:
            return self.app.patch(f"{path}/{kind}")
        if kind in POSTS:
            return self.app.post(f"{path}/{kind}")
        match kind:
            case "arrive": return self.arrive()
            case "list": return self.list()
            case "show": return self.app.get(path)
            case "count": return self.app.get("/api/notifications/unread-count")
            case "delete": return self.app.delete(path)
            case "snooze": return self.app.post(f"{path}/snooze", {"until": seconds_from_now(self.random.choice(SNOOZES))})
            case "readAll": return self.app.patch("/api/notifications/read-all", before=self.random.choice(self.person.positions))
            case "clear": return self.clear()

    def arrive(self):
        body = event("/load/counts", secrets.token_hex(8), self.person.name)
        answer = self.backend.post("/v1/intents", body, Content_Type="application/cloudevents+json")
        if answer.status == 202:
            self.person.arrived(answer["notifications"][0]["id"])
        return answer

    def list(self):
        answer = self.app.get("/api/notifications", limit=100, offset=self.random.choice((0, 0, 100, 200)))
        if answer.status == 200:
            self.person.listed(answer.json)
        return answer

    def clear(self):
        """Deletes the lower part of a long list, and only the lowest item of a short one."""
        positions = sorted(self.person.positions)
        return self.app.delete("/api/notifications", before=positions[len(positions) // 2 if self.person.total > SIZE else 0])


class Tab(Follower):
    """A tab that shows the whole list with its counts."""

    def begin(self, walk):
        self.shown = {item["id"]: look(item) for item in walk.items}
        self.counts = walk.total, walk.unread

    def change(self, news):
        for id in set(news["new"] + news["changed"]):
            answer = self.someone.get(f"/api/notifications/{id}")
            if answer.status not in (200, 404):
                raise AssertionError(f"an item that an event names: {answer}")
            item = answer["notification"] if answer.status == 200 else None
            if item is None or item["snoozedUntil"] is not None:
                self.shown.pop(id, None)
            else:
                self.shown[id] = look(item)
        self.counts = news["total"], news["unreadCount"]


def at_rest(system, person, someone):
    """A reading of the list and the snoozed items when nothing moves any more: every accepted intent has arrived, and every snooze that
    ends soon is over."""
    arrived = "select count(*) from tidings_ops.notifications where source = '/load/counts' and state = 'done'"
    soon = f"select count(*) from tidings_ops.inbox where deleted_at is null and snoozed_until < tidings.clock() + interval '{max(SNOOZES) // 2} seconds'"
    for statement, expected in ((arrived, person.accepted), (soon, 0)):
        found = eventually(lambda: int(system.sql(statement)[0][0]), lambda found: found == expected, HEALED)
        if found != expected:
            raise AssertionError(f"the inbox does not come to rest: {found} instead of {expected}: {statement}")
    walk, snoozed = Walk(someone, 100), snoozed_items(someone)
    return walk, *snoozed


def snoozed_items(someone):
    """The number of snoozed items that their list names, and the items that it has."""
    count, cursor, total = 0, "", None
    while cursor is not None:
        page = someone.get("/api/notifications", limit=100, cursor=cursor, snoozed="true")
        total = page["total"] if total is None else total
        count += len(page["notifications"])
        cursor = page["nextCursor"]
    return total, count


def judge(system, person, someone, tabs):
    """Compares counts, items and tabs. Returns the number of mistakes."""
    walk, said, snoozed = at_rest(system, person, someone)
    found = {
        "the list": walk.problem is None,
        "total": walk.total == len(walk.items),
        "unreadCount": walk.unread == sum(is_unread(item) for item in walk.items),
        "the number of snoozed items": said == snoozed,
    }
    shown = {item["id"]: look(item) for item in walk.items}
    detail = f"{walk.problem or ''} total {walk.total} of {len(walk.items)}, unread {walk.unread}, snoozed {said} of {snoozed}"
    for number, tab in enumerate(tabs):
        fits = lambda: (tab.shown, tab.counts) == (shown, (walk.total, walk.unread))
        found[f"tab {number}"] = eventually(fits, within=HEALED) and tab.error is None
        differ = [id for id in shown.keys() | tab.shown.keys() if shown.get(id) != tab.shown.get(id)]
        detail += f"; tab {number}: {tab.error or ''} at {tab.position} of {walk.position}, counts {tab.counts}, {len(differ)} items differ"
    for what, is_right in found.items():
        if not is_right:
            checks.note(what, False, detail)
    return sum(not is_right for is_right in found.values())


def measure(system, options):
    system.start(Role("all", "all"), API(TIDINGS_API_REQUESTS_PER_PERSON="100000"))
    person = Person(system, system.key("load", "intents:write"))
    chance = random.Random(options.seed)
    first = Clicker(person, 0, chance)
    for _ in range(100):
        first.arrive()
    someone = person.client()
    checks.equal("the first items arrived", eventually(lambda: someone.get("/api/notifications")["total"], lambda total: total == 100), 100)
    tabs = [Tab(person.client()) for _ in range(TABS)]
    for tab in tabs:
        tab.start()
    done = mistakes = rounds = 0
    statuses = {}
    while done < options.operations:
        share = max(1, min(options.round, options.operations - done) // CLIENTS)
        clickers = [Clicker(person, share, random.Random(chance.random())) for _ in range(CLIENTS)]
        for clicker in clickers:
            clicker.start()
        for clicker in clickers:
            clicker.join()
            if clicker.error:
                checks.note("a client", False, repr(clicker.error))
            for counted, number in clicker.statuses.items():
                statuses[counted] = statuses.get(counted, 0) + number
        done, rounds, mistakes = done + share * CLIENTS, rounds + 1, mistakes + judge(system, person, someone, tabs)
    report(system, done, rounds, mistakes, statuses, tabs)


def report(system, done, rounds, mistakes, statuses, tabs):
    checks.least("operations", sum(statuses.values()), done)
    # An item that is deleted cannot be changed, and an item that a router has not decided is not there yet.
    odd = {f"{kind} {status}": number for (kind, status), number in statuses.items() if status not in (200, 202, 404)}
    checks.equal("operations with another answer than 200, 202 and 404", odd, {})
    changed = sum(number for (_, status), number in statuses.items() if status != 404)
    checks.least("share of the operations that found their item", changed / max(1, done), 0.4)
    checks.equal(f"mistakes after {rounds} rounds, with {len(tabs)} tabs", mistakes, 0)
    for tab in tabs:
        tab.stop()
    checks.tell(f"the tabs read their list again {sum(tab.resets for tab in tabs)} times")
    checks.equal("inboxes whose counts differ from a recount in the database", system.sql(RECOUNT), [["0"]])
    with checks.part("tidings db verify"):
        checks.tell(tidings("db", "verify").strip() or "tidings db verify found nothing")
        checks.true("tidings db verify: every inbox has its counts", True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--round", type=int, default=5_000, help="operations between two recounts")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    checks.tell(f"{options.operations} operations of {CLIENTS} clients, seed {options.seed}")
    with System() as system:
        measure(system, options)
    checks.finish()


if __name__ == "__main__":
    main()
