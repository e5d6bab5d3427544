/**
 * Cases of several tabs of one browser. Only the browser library has them, so they are not in the shared table. Each tab has its own
 * fake server: a request of a tab that must not send one is an unexpected request.
 */

import { FakeClock, FakeServer, firstDifference, turn } from "./fakes.mjs";

const item = (number) => ({ id: `019ac000-0000-7000-8000-00000000000${number}`, title: `Title ${number}`, isRead: false });
const page = (numbers, unreadCount = numbers.length) => ({
    notifications: numbers.map(item), total: numbers.length, unreadCount, limit: 3, nextCursor: null, permissionHint: null,
});
/** Two pages with the same counts. Between them, one item was read and the other one became unread. */
const oldAndYoung = () => {
    const read = (number) => ({ ...item(number), isRead: true, state: "read" });
    return [
        { ...page([2, 1], 1), notifications: [item(2), read(1)], position: 4 },
        { ...page([2, 1], 1), notifications: [read(2), item(1)], position: 6 },
    ];
};
const list = (body) => ({ request: "GET /api/notifications?limit=3&cursor=", answer: { status: 200, body } });
const stream = (headers = {}) => ({ request: "GET /api/notifications/stream", headers, answer: { stream: true } });
const event = (data) => `event: inbox\nid: ${data.newest}\ndata: ${JSON.stringify({ new: [], changed: [], reset: false, ...data })}\n\n`;

const accepted = { request: "POST /api/events", answer: { status: 202, body: { accepted: 1 } } };
const unanswered = { request: "POST /api/events", answer: { networkError: true } };
/** Events that a test can tell apart. */
const events = (count, name = "") => Array.from({ length: count }, (_, index) => ({ type: "opened", detail: { index: name + index } }));
/** The names of the events that the app is told about. */
const givenUp = ({ inbox }) => {
    const names = [];
    inbox.addEventListener("reportfailed", ({ detail }) => names.push(...detail.reports.map(({ event }) => event.detail.index)));
    return names;
};

const cases = {
    "tabs: one connection, its events reach every tab": async ([a, b]) => {
        await a.begin(list(page([2, 1])), stream());
        await b.begin(list(page([2, 1])));
        a.server.send(event({ unreadCount: 3, total: 3, newest: item(3).id, new: [item(3).id] }));
        await settle();
        return [
            a.has({ connection: "open", isLeader: true, newItems: 1, unreadCount: 3 }),
            b.has({ connection: "open", isLeader: false, newItems: 1, unreadCount: 3 }),
        ];
    },
    "tabs: reading in one tab changes the badge in the others without a request": async ([a, b]) => {
        await a.begin(list(page([2, 1])), stream());
        await b.begin(list(page([2, 1])));
        const body = { notification: { ...item(2), isRead: true, state: "read" }, unreadCount: 1 };
        b.server.expect([{ request: `PATCH /api/notifications/${item(2).id}/read`, answer: { status: 200, body } }]);
        await b.inbox.markRead(item(2).id);
        await settle();
        a.server.send(event({ unreadCount: 1, total: 2, newest: item(2).id, changed: [item(2).id] }));
        await settle();
        return [a, b].map((tab) => tab.has({ badge: "1", items: { 0: { isRead: true }, 1: { isRead: false } } }));
    },
    "tabs: the next tab takes the connection over, from the last event": async ([a, b]) => {
        await a.begin(list(page([1])), stream());
        await b.begin(list(page([1])));
        a.server.send(event({ unreadCount: 2, total: 2, newest: item(2).id, new: [item(2).id] }));
        await settle();
        b.server.expect([stream({ "last-event-id": item(2).id })]);
        a.inbox.stop();
        await settle();
        return [a.has({ connection: "stopped", isLeader: false }), b.has({ connection: "open", isLeader: true, newItems: 1 })];
    },
    "tabs: a tab takes the connection over from a frozen one, which follows when it thaws": async ([a, b]) => {
        await a.begin(list(page([1])), stream());
        await b.begin(list(page([1])));
        a.server.send(event({ unreadCount: 2, total: 2, newest: item(2).id, new: [item(2).id] }));
        await settle();
        // A quiet tab that answers is left alone.
        await b.clock.advance(50_000, settle);
        const problems = [b.has({ connection: "open", isLeader: false }), a.has({ isLeader: true })];
        a.freeze();
        b.server.expect([stream({ "last-event-id": item(2).id })]);
        await b.clock.advance(60_000, settle);
        problems.push(b.has({ connection: "open", isLeader: true, newItems: 1 }));
        a.thaw();
        await settle();
        b.server.send(event({ unreadCount: 3, total: 3, newest: item(3).id, new: [item(3).id] }));
        await settle();
        return [...problems, ...[a, b].map((tab) => tab.has({ connection: "open", newItems: 2 })), a.has({ isLeader: false })];
    },
    "tabs: a tab gives the connection back before it freezes, and follows when it thaws": async ([a, b]) => {
        await a.begin(list(page([1])), stream());
        await b.begin(list(page([1])));
        a.server.send(event({ unreadCount: 2, total: 2, newest: item(2).id, new: [item(2).id] }));
        await settle();
        b.server.expect([stream({ "last-event-id": item(2).id })]);
        a.page.dispatchEvent(new Event("freeze"));
        a.freeze();
        await settle();
        const problems = [b.has({ connection: "open", isLeader: true, newItems: 1 })];
        b.server.send(event({ unreadCount: 3, total: 3, newest: item(3).id, new: [item(3).id] }));
        await settle();
        a.thaw();
        a.page.dispatchEvent(new Event("resume"));
        await settle();
        problems.push(...[a, b].map((tab) => tab.has({ connection: "open", newItems: 2 })), a.has({ isLeader: false }));
        a.server.expect([stream({ "last-event-id": item(3).id })]);
        b.inbox.stop();
        await settle();
        return [...problems, a.has({ connection: "open", isLeader: true })];
    },
    "tabs: a frozen tab gets no connection": async ([a, b], browser) => {
        const c = new Tab(browser);
        for (const tab of [a, b, c]) await tab.begin(list(page([1])), ...(tab === a ? [stream()] : []));
        b.page.dispatchEvent(new Event("freeze"));
        b.freeze();
        c.server.expect([stream()]);
        a.inbox.stop();
        await settle();
        const problems = [c.has({ connection: "open", isLeader: true })];
        b.thaw();
        b.page.dispatchEvent(new Event("resume"));
        await settle();
        problems.push(b.has({ connection: "open", isLeader: false }));
        c.end();
        return [...problems, ...c.problems];
    },
    "tabs: a frozen tab that still answers messages does not keep the connection": async ([a, b]) => {
        await a.begin(list(page([1])), stream());
        await b.begin(list(page([1])));
        a.clock.skip(70_000);
        b.server.expect([stream()]);
        await b.clock.advance(60_000, settle);
        return [b.has({ connection: "open", isLeader: true }), a.has({ isLeader: false })];
    },
    "tabs: a tab whose token is refused leaves the connection to the next": async ([a, b]) => {
        const refused = { request: "GET /api/notifications/stream", answer: { status: 401, body: {} }, held: "first" };
        await a.begin(list(page([1])), refused, { ...refused, held: undefined });
        await b.begin(list(page([1])));
        b.server.expect([stream()]);
        a.server.release("first");
        await settle();
        return [a.has({ connection: "refused", error: { kind: "unauthorized" } }), b.has({ connection: "open", isLeader: true })];
    },
    "tabs: a tab that comes late learns of the newest item": async ([a, b]) => {
        await a.begin(list(page([1])), stream());
        a.server.send(event({ unreadCount: 2, total: 2, newest: item(2).id, new: [item(2).id] }));
        await settle();
        await b.begin(list(page([1])));
        return [b.has({ connection: "open", newItems: 1, unreadCount: 2 })];
    },
    "tabs: a tab that comes late with an old list reads it again, though the counts are the same": async ([a, b]) => {
        const [old, young] = oldAndYoung();
        b.server.expect([list(old)]);
        await b.inbox.load();
        await a.begin(list(young), stream({ "last-event-id": "6" }));
        a.server.send(event({ unreadCount: 1, total: 2, newest: item(2).id, position: 6 }));
        await settle();
        b.server.expect([list(young)]);
        b.inbox.start();
        await settle();
        return [b.has({ isLeader: false, items: { 0: { isRead: true }, 1: { isRead: false } } })];
    },
    "tabs: a tab with an older list than the one with the connection reads it again": async ([a, b]) => {
        const [old, young] = oldAndYoung();
        b.server.expect([list(old)]);
        await b.inbox.load();
        await a.begin(list(young), stream({ "last-event-id": "6" }));
        b.inbox.start();
        await settle();
        b.server.expect([list(young)]);
        for (let times = 0; times < 2; times += 1) {
            a.server.send(event({ unreadCount: 1, total: 2, newest: item(2).id, position: 6 }));
            await settle();
        }
        return [b.has({ isLeader: false, items: { 0: { isRead: true }, 1: { isRead: false } } })];
    },
    "tabs: a connection that opens again clears the error in every tab": async ([a, b]) => {
        await a.begin(list(page([1])), stream());
        await b.begin(list(page([1])));
        b.server.expect([{ request: `PATCH /api/notifications/${item(1).id}/read`, answer: { networkError: true } }]);
        await b.inbox.markRead(item(1).id);
        const before = b.has({ error: { kind: "network" }, unreadCount: 1 });
        a.inbox.setOnline(false);
        a.server.expect([stream()]);
        a.inbox.setOnline(true);
        await settle();
        return [before, b.has({ connection: "open", error: null })];
    },
    "tabs: without Web Locks each tab has its own connection": async (_, browser) => {
        const [a, b] = [new Tab({ ...browser, locks: null }), new Tab({ ...browser, locks: null })];
        await a.begin(list(page([1])), stream());
        await b.begin(list(page([1])), stream());
        const problems = [a, b].map((tab) => tab.has({ connection: "open", isLeader: true }));
        a.end();
        b.end();
        return [...problems, ...a.problems, ...b.problems];
    },
    "tabs: a report outlives its page, and the next page sends it": async (_, browser) => {
        const shared = { ...browser, storage: browser.library.memoryStorage() };
        const [a, next, third] = [new Tab(shared), new Tab(shared), new Tab(shared)];
        a.server.expect([{ request: "POST /api/events", answer: { networkError: true } }]);
        const isSent = await a.inbox.report([{ type: "opened", notificationId: item(1).id }]);
        const body = { events: [{ type: "opened", notificationId: item(1).id, at: "2026-11-25T12:00:00.000Z" }] };
        await next.begin(list(page([1])), { request: "POST /api/events", body, answer: { status: 202, body: { accepted: 1 } } }, stream());
        next.end();
        await third.begin(list(page([1])), stream());
        const problems = [isSent ? "the report is not sent" : null, a.has({ reports: { waiting: 1, error: { kind: "network" } } })];
        problems.push(...[next, third].map((tab) => tab.has({ reports: { waiting: 0, error: null } })));
        a.end();
        third.end();
        return [...problems, ...[a, next, third].flatMap((tab) => tab.problems)];
    },
    "tabs: a full queue gives up the oldest reports": async ([a]) => {
        let givenUp = 0;
        a.inbox.addEventListener("reportfailed", ({ detail }) => {
            givenUp += detail.error.kind === "tooManyReports" ? detail.reports.length : 1_000;
        });
        a.server.expect([{ request: "POST /api/events", answer: { networkError: true } }]);
        await a.inbox.report(Array.from({ length: 203 }, (_, index) => ({ type: "opened", detail: { index: String(index) } })));
        return [a.has({ reports: { waiting: 200 } }), givenUp === 3 ? null : `${givenUp} reports are given up, not 3`];
    },
    "tabs: a report that cannot be written is told, and holds nothing up": async ([a]) => {
        const told = [];
        a.inbox.addEventListener("reportfailed", ({ detail }) => told.push([detail.error.kind, detail.reports.length]));
        const circle = { type: "opened" };
        circle.detail = circle;
        const hostile = { get type() { throw new Error("no type"); } };
        const unusable = [undefined, null, 5, [{ type: "opened", detail: { number: 5n } }, circle], hostile];
        for (const events of unusable) if (await a.inbox.report(events)) return ["an event that cannot be written is accepted"];
        if (await a.inbox.confirmReceipt("\ud800", "device-1")) return ["a receipt without an address is accepted"];
        const body = { events: [{ type: "opened", at: "2026-11-25T12:00:00.000Z" }] };
        a.server.expect([{ ...accepted, body }]);
        const isSent = await a.inbox.report([circle, { type: "opened", at: undefined }]);
        const counts = told.map(([kind, count]) => (kind === "invalid" ? count : kind)).join();
        return [
            isSent ? "one of two events is no event" : null, counts === "1,1,1,2,1,1,1" ? null : `the app is told of ${counts}`,
            a.has({ reports: { waiting: 0, error: null } }),
        ];
    },
    "tabs: a full queue keeps the reports of the request on its way": async ([a]) => {
        const [reports, names] = [events(201), givenUp(a)];
        a.server.expect([{ ...accepted, held: "first" }]);
        const first = a.inbox.report(reports.slice(0, 1));
        await settle();
        const others = a.inbox.report(reports.slice(1));
        a.server.expect([accepted, accepted, accepted, accepted]);
        a.server.release("first");
        const problems = (await first) ? [] : ["the server has the report of the request on its way"];
        if (await others) problems.push("one report is given up");
        if (names.join() !== "1") problems.push(`the reports ${names} are given up, not 1`);
        return [...problems, a.has({ reports: { waiting: 0, error: null } })];
    },
    "tabs: a report that is given up in a pause does not come back": async ([a]) => {
        a.server.expect([{ ...unanswered, held: "first" }]);
        const first = a.inbox.report(events(1));
        await settle();
        const others = a.inbox.report(events(200));
        a.server.release("first");
        await Promise.all([first, others]);
        return [a.has({ reports: { waiting: 200, error: { kind: "network" } } })];
    },
    "tabs: reports of a closed page that leave a full storage are told": async (_, browser) => {
        const shared = { ...browser, storage: browser.library.memoryStorage() };
        const [a, b] = [new Tab(shared), new Tab(shared)];
        const names = givenUp(b);
        await b.begin(list(page([1])), stream());
        a.server.expect([unanswered]);
        await a.inbox.report(events(50, "a"));
        b.server.expect([unanswered]);
        await b.inbox.report(events(152, "b"));
        const problems = [names.join() === "a0,a1" ? null : `the reports ${names} are given up, not a0,a1`];
        problems.push(b.has({ reports: { waiting: 152, isStored: true } }));
        b.end();
        return [...problems, ...a.problems, ...b.problems];
    },
    "tabs: stored reports are read when the storage can be read": async (_, browser) => {
        const storage = new BreakableStorage(browser.library.memoryStorage());
        const [a, next] = [new Tab({ ...browser, storage }), new Tab({ ...browser, storage })];
        a.server.expect([unanswered]);
        await a.inbox.report(events(1));
        storage.broken = ["get"];
        await next.begin(list(page([1])), stream());
        storage.broken = [];
        next.server.expect([accepted]);
        next.inbox.setOnline(true);
        await settle();
        next.end();
        return [next.has({ reports: { waiting: 0 } }), ...a.problems, ...next.problems];
    },
    "tabs: stored reports are read when a token tells whose they are": async (_, browser) => {
        const jwt = `e30.${btoa(JSON.stringify({ sub: "person-1" }))}.e30`;
        let isOffline = false;
        const token = async () => {
            if (isOffline) throw new TypeError("no network");
            return jwt;
        };
        const shared = { ...browser, person: undefined, token, storage: browser.library.memoryStorage() };
        const [a, next] = [new Tab(shared), new Tab(shared)];
        a.server.expect([unanswered]);
        await a.inbox.report(events(1));
        isOffline = true;
        await next.inbox.load();
        isOffline = false;
        next.server.expect([list(page([1])), accepted]);
        next.inbox.setOnline(true);
        await settle();
        return [next.has({ status: "loaded", reports: { waiting: 0 } }), ...a.problems, ...next.problems];
    },
    "tabs: a report that a failed write left in the storage is removed by the next one": async (_, browser) => {
        const storage = new BreakableStorage(browser.library.memoryStorage());
        const [a, next] = [new Tab({ ...browser, storage }), new Tab({ ...browser, storage })];
        a.server.expect([unanswered]);
        await a.inbox.report(events(1));
        const problems = [a.has({ reports: { waiting: 1, isStored: true } })];
        storage.broken = ["set", "remove"];
        a.server.expect([accepted]);
        a.inbox.setOnline(true);
        await settle();
        problems.push(a.has({ reports: { waiting: 0, error: null, isStored: false } }));
        storage.broken = [];
        a.server.expect([accepted]);
        await a.inbox.report(events(1));
        problems.push(a.has({ reports: { waiting: 0, isStored: true } }));
        await next.begin(list(page([1])), stream());
        next.end();
        return [...problems, ...a.problems, ...next.problems];
    },
    "tabs: reports of a person who signs out are forgotten": async (_, browser) => {
        const shared = { ...browser, storage: browser.library.memoryStorage() };
        const [a, next] = [new Tab(shared), new Tab(shared)];
        a.server.expect([{ request: "POST /api/events", answer: { networkError: true } }]);
        await a.inbox.report([{ type: "opened" }]);
        await a.inbox.forget();
        await next.begin(list(page([1])), stream());
        const problems = [a.has({ reports: { waiting: 0 } }), next.has({ reports: { waiting: 0, error: null } })];
        next.end();
        return [...problems, ...a.problems, ...next.problems];
    },
    "tabs: an update reads the items again that it could not read": async ([a]) => {
        const idOf = (number) => `019ac000-0000-7000-8000-${String(number).padStart(12, "0")}`;
        const numbered = (number, isRead = false) => ({ ...item(0), id: idOf(number), isRead });
        const items = Array.from({ length: 102 }, (_, index) => numbered(102 - index));
        const answer = (notifications, nextCursor) => (
            { status: 200, body: { ...page([]), notifications, total: 102, unreadCount: 102, nextCursor } });
        const lists = (cursor) => `GET /api/notifications?${cursor}`;
        await a.begin({ request: lists("limit=3&cursor="), answer: answer(items.slice(0, 52), "c") }, stream());
        a.server.expect([{ request: lists("limit=3&cursor=c"), answer: answer(items.slice(52), null) }]);
        await a.inbox.loadMore();
        // The largest page has 100 items, so the two lowest are read one by one.
        const update = { request: lists("limit=100&cursor="), answer: answer(items.slice(0, 100), "d") };
        const one = (number) => ({
            request: `GET /api/notifications/${idOf(number)}`, answer: { status: 200, body: { notification: numbered(number, true) } },
        });
        const told = { unreadCount: 100, total: 102, newest: items[0].id };
        a.server.expect([update, { ...one(2), answer: { networkError: true } }]);
        a.server.send(event({ ...told, changed: [idOf(2), idOf(1)] }));
        await settle();
        const problems = [a.has({ items: { 100: { isRead: false }, 101: { isRead: false } } })];
        a.server.expect([update, one(2), one(1)]);
        a.server.send(event(told));
        await settle();
        return [...problems, a.has({ items: { 100: { isRead: true }, 101: { isRead: true } } })];
    },
    "tabs: tabs of different people share nothing": async ([a], browser) => {
        const other = new Tab({ ...browser, person: "person-2" });
        await a.begin(list(page([2, 1])), stream());
        await other.begin(list(page([1])), stream());
        a.server.send(event({ unreadCount: 3, total: 3, newest: item(3).id, new: [item(3).id] }));
        await settle();
        const problems = [a.has({ newItems: 1 }), other.has({ isLeader: true, newItems: 0, unreadCount: 1 })];
        other.end();
        return [...problems, ...other.problems];
    },
};

/** Runs each case in turn. Yields `{name, problems}`. */
export async function* runTabCases(library, filter = "") {
    for (const [name, run] of Object.entries(cases)) {
        if (!name.includes(filter)) continue;
        const browser = { library, locks: new FakeLocks(), channel: fakeChannels(), person: "person-1" };
        const tabs = [new Tab(browser), new Tab(browser)];
        const problems = await run(tabs, browser);
        for (const tab of tabs) tab.end();
        await settle();
        yield { name, problems: [...problems, ...tabs.flatMap((tab) => tab.problems)].filter(Boolean) };
    }
}

class Tab {
    server = new FakeServer(["token-1"]);
    clock = new FakeClock(Date.parse("2026-11-25T12:00:00Z"));
    page = new EventTarget();
    inbox;
    #channel = null;

    constructor({ library, locks, channel, person, storage, token }) {
        this.inbox = new library.TidingsInbox({
            baseURL: "https://inbox.example", token: token ?? this.server.token, fetch: this.server.fetch, person, pageSize: 3,
            clock: this.clock, random: () => 0.5, locks, page: this.page, channel: (name) => (this.#channel = channel(name)),
            storage: storage ?? library.memoryStorage(),
        });
    }

    /** A frozen tab reads no message until it thaws. It keeps its lock if its page is not told. */
    freeze() {
        this.#channel.held = [];
    }

    thaw() {
        const { held } = this.#channel;
        this.#channel.held = null;
        for (const data of held) this.#channel.onmessage?.({ data });
    }

    async begin(...exchanges) {
        this.server.expect(exchanges);
        await this.inbox.load();
        this.inbox.start();
        await settle();
    }

    has(expected) {
        return firstDifference(expected, this.inbox.state, "state");
    }

    end() {
        this.inbox.stop();
    }

    get problems() {
        return [...this.server.problems, ...this.server.missing];
    }
}

/** A storage of which a case breaks some functions. */
class BreakableStorage {
    broken = [];

    constructor(storage) {
        for (const name of ["get", "set", "remove"]) {
            this[name] = (...values) => {
                if (this.broken.includes(name)) throw new Error(`${name} is broken`);
                return storage[name](...values);
            };
        }
    }
}

/** Web Locks: the holder keeps the lock until its promise ends, or until another request steals it. The others wait in a queue. */
class FakeLocks {
    #last = new Map();
    /** Ends the holding of a lock by its name. */
    #breaks = new Map();

    async request(name, { signal, steal = false }, work) {
        const before = steal ? undefined : this.#last.get(name);
        const aborted = new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
        aborted.catch(() => {});
        const turn = Promise.race([before, aborted]);
        if (steal) this.#breaks.get(name)?.(new DOMException("stolen", "AbortError"));
        let isHeld = false;
        const held = turn.then(() => {
            isHeld = true;
            const broken = new Promise((_, reject) => this.#breaks.set(name, reject));
            return Promise.race([work(), broken]);
        });
        // A request that was aborted in the queue leaves its place to the next one.
        this.#last.set(name, held.catch(() => (isHeld ? undefined : before)));
        return held;
    }
}

/** BroadcastChannel: a message reaches the other channels of its name later, as a copy. */
function fakeChannels() {
    const open = new Set();
    return (name) => {
        const channel = {
            name, onmessage: null, held: null,
            postMessage(message) {
                const data = structuredClone(message);
                const deliver = (other) => (other.held ? other.held.push(data) : other.onmessage?.({ data }));
                for (const other of open) if (other !== channel && other.name === name) queueMicrotask(() => deliver(other));
            },
            close: () => void open.delete(channel),
        };
        open.add(channel);
        return channel;
    };
}

async function settle() {
    for (let number = 0; number < 10; number += 1) await turn();
}
