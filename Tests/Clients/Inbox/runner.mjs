/** Runs the table of cases against `tidings-inbox.js`. It uses only what browsers have too, so that a page can load it. */

import { FakeClock, FakeServer, firstDifference, turn } from "./fakes.mjs";

/** Runs each case in turn. Yields `{name, problems}`. */
export async function* runCases(table, library, filter = "") {
    for (const description of table.cases) {
        if (!description.name.includes(filter)) continue;
        const { given = {}, steps } = expand(description, table.fixtures);
        const run = new CaseRun({ ...table.defaults, ...given }, library, table.fixtures);
        yield { name: description.name, problems: await run.run(steps) };
    }
}

/** Replaces `$from` and `$n4`. */
function expand(value, fixtures) {
    const copy = (value) => {
        if (Array.isArray(value)) return value.map(copy);
        if (value === null || typeof value !== "object") return value;
        const { $from, ...own } = value;
        const members = Object.fromEntries(Object.entries(own).map(([name, member]) => [name, copy(member)]));
        return $from === undefined ? members : { ...copy(fixtures[$from]), ...members };
    };
    const withIDs = (text) => text.replace(/\$([nu][0-9]+)/g, (_, name) => fixtures[name].id);
    return JSON.parse(withIDs(JSON.stringify(copy(value))));
}

class CaseRun {
    #library;
    #clock;
    #server;
    #storage = new Map();
    #inbox;
    #push;
    #plan;
    #givenUp = 0;

    constructor(given, library) {
        this.#library = library;
        this.#clock = new FakeClock(Date.parse(given.now));
        this.#server = new FakeServer(given.tokens);
        this.given = given;
    }

    async run(steps) {
        this.#inbox = await this.#makeInbox();
        this.#inbox.addEventListener("reportfailed", ({ detail }) => (this.#givenUp += detail.reports.length));
        for (const [index, step] of steps.entries()) {
            const problems = await this.#take(step);
            if (problems.length > 0) return problems.map((problem) => `step ${index + 1} (${step.do}): ${problem}`);
        }
        this.#inbox.stop();
        await this.#settle();
        return this.#server.problems;
    }

    /** The storage has a name that only the library knows. The cache of the case is there from the start under any name. */
    async #makeInbox() {
        const { cache, cacheText } = this.given;
        const first = cacheText ?? (cache ? JSON.stringify({ version: 1, ...cache }) : null);
        return new this.#library.TidingsInbox({
            baseURL: "https://inbox.example", token: this.#server.token, fetch: this.#server.fetch, person: "person-1",
            pageSize: this.given.pageSize, clock: this.#clock, random: () => this.given.random, locks: null, channel: null,
            storage: {
                get: (key) => this.#storage.get(key) ?? (isOfReports(key) ? null : first),
                set: (key, text) => void this.#storage.set(key, text),
                remove: (key) => void this.#storage.delete(key),
            },
        });
    }

    async #take(step) {
        this.#server.expect(step.exchanges ?? []);
        let isDone = false;
        const done = Promise.resolve(this.#call(step)).then(() => (isDone = true));
        await this.#settle();
        const mayWait = step.wait === false || (step.exchanges ?? []).some((exchange) => exchange.held);
        if (!mayWait) await Promise.race([done, this.#settle(200)]);
        const difference = firstDifference(step.expect ?? {}, this.#state, "state");
        const open = isDone || mayWait ? [] : ["the call does not return"];
        return [...this.#server.problems, ...this.#server.missing, ...open, ...(difference ? [difference] : [])];
    }

    #call(step) {
        const [inbox, { likes }] = [this.#inbox, this.#inbox];
        switch (step.do) {
        case "look": return undefined;
        case "snooze": return inbox.snooze(step.id, step.until);
        case "offline": return inbox.setOnline(false);
        case "online": return inbox.setOnline(true);
        case "advance": return this.#clock.advance(step.seconds * 1000, () => this.#settle());
        case "release": return this.#server.release(step.held);
        case "event": return this.#server.send(eventText(step));
        case "text": return this.#server.send(step.text);
        case "endStream": return this.#server.end();
        case "parsePush": return inbox.handlePush(step.payload).then((push) => (this.#push = push));
        case "report": return inbox.report(step.events);
        case "receipt": return inbox.confirmReceipt(step.id, step.deviceId);
        case "reconcilePlan": return this.#reconcile(step);
        case "likes.act": return likes.act(step.id, step.action);
        case "features": return likes.loadFeatures();
        case "unblur.start": return likes.startUnblur();
        case "unblur.state": return likes.loadUnblur();
        default: {
            const [name, target] = step.do.startsWith("likes.") ? [step.do.slice(6), likes] : [step.do, inbox];
            if (typeof target[name] !== "function") throw new Error(`unknown step ${step.do}`);
            return step.id === undefined ? target[name]() : target[name](step.id);
        }
        }
    }

    #reconcile({ plan, answer }) {
        const { reconcileLocalPlan } = this.#library;
        const none = { version: null, planned: [] };
        const whole = { version: plan.version, reset: true, requests: plan.planned, removed: [] };
        const before = plan.version === null ? none : reconcileLocalPlan(none, whole, this.#clock.now());
        const result = reconcileLocalPlan(before, answer, this.#clock.now());
        const names = (requests) => requests.map((request) => request.identifier);
        this.#plan = { ...result, add: names(result.add), planned: names(result.planned.map((entry) => entry.request)) };
    }

    get #state() {
        const { items, error, reports, ...state } = this.#inbox.state;
        const { likes, error: likesError, newLikes, features, unblur, isVisible, ...likesState } = this.#inbox.likes.state;
        return {
            ...state, error: plain(error), newLikes, features, unblur, isVisible, push: this.#push, plan: this.#plan, cache: this.#cached,
            reports: { ...reports, error: plain(reports.error), givenUp: this.#givenUp },
            ...listed(items), items: Object.fromEntries(items.map((item) => [item.id, item])),
            likes: {
                ...likesState, error: plain(likesError), ids: likes.map((like) => like.id),
                statuses: Object.fromEntries(likes.map((like) => [like.id, like.status])),
            },
        };
    }

    get #cached() {
        const [, text] = [...this.#storage].find(([key]) => !isOfReports(key)) ?? [];
        if (!text) return null;
        const { items, unreadCount, total } = JSON.parse(text);
        return { ...listed(items), unreadCount, total };
    }

    /** Waits until the library has done its work: several turns of the event loop in which no request came. */
    async #settle(turns = 6) {
        for (let quiet = 0, seen = this.#server.activity; quiet < turns; quiet += 1) {
            await turn();
            if (this.#server.activity !== seen) [quiet, seen] = [0, this.#server.activity];
        }
    }
}

function isOfReports(key) {
    return key.startsWith("tidings-reports:");
}

function listed(items) {
    return { ids: items.map((item) => item.id), read: items.filter((item) => item.isRead).map((item) => item.id) };
}

function plain(error) {
    if (!error) return null;
    const { kind, status, retryAfterSeconds, message } = error;
    return { kind, status, retryAfterSeconds, description: message };
}

function eventText({ event, id, retry, data }) {
    const lines = [`event: ${event}`, id && `id: ${id}`, retry && `retry: ${retry}`, `data: ${JSON.stringify(data)}`];
    return `${lines.filter(Boolean).join("\n")}\n\n`;
}
