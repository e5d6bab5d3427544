/** Stand-ins for the world of a case: clock, token provider, storage and server. They use only what browsers have too. */

const realTimeout = globalThis.setTimeout;

/** A turn of the event loop. It takes at least as long as a digest, which another thread computes for the library. */
export async function turn() {
    await crypto.subtle.digest("SHA-256", new Uint8Array(1));
    await new Promise((resolve) => realTimeout(resolve));
}

/** A clock that moves when a step says so. */
export class FakeClock {
    #time;
    #timers = new Map();
    #last = 0;

    constructor(time) {
        this.#time = time;
    }

    now = () => this.#time;

    setTimeout = (work, milliseconds) => {
        this.#last += 1;
        this.#timers.set(this.#last, { at: this.#time + milliseconds, work });
        return this.#last;
    };

    clearTimeout = (timer) => void this.#timers.delete(timer);

    /** Fires the timers that are due in order. Lets the library work after each one. */
    async advance(milliseconds, settle) {
        const end = this.#time + milliseconds;
        for (;;) {
            const [id, next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
            if (!next) break;
            this.#time = Math.max(this.#time, next.at);
            this.#timers.delete(id);
            next.work();
            await settle();
        }
        this.#time = end;
    }

    /** Lets time pass without a timer, as in a page that is frozen. */
    skip(milliseconds) {
        this.#time += milliseconds;
    }
}

/** A server that knows which requests come next. */
export class FakeServer {
    #open = [];
    #held = new Map();
    #tokens;
    #stream = null;

    /** Counts what happened, to notice when nothing happens any more. */
    activity = 0;
    problems = [];

    constructor(tokens) {
        this.#tokens = [...tokens];
    }

    token = async () => this.#tokens[0];

    expect(exchanges) {
        this.#open.push(...exchanges);
    }

    get missing() {
        return this.#open.map((exchange) => `no request came for ${exchange.request}`);
    }

    fetch = async (url, { method, headers, body, signal }) => {
        this.activity += 1;
        const request = { line: `${method} ${url.replace("https://inbox.example", "")}`, headers, body: body && JSON.parse(body) };
        const index = this.#open.findIndex((exchange) => isSameLine(exchange.request, request.line));
        if (index < 0) {
            this.problems.push(`unexpected request ${request.line}`);
            throw new TypeError("no exchange");
        }
        const [exchange] = this.#open.splice(index, 1);
        this.#check(exchange, request);
        if (exchange.held) await until(new Promise((release) => this.#held.set(exchange.held, release)), signal);
        this.activity += 1;
        if (exchange.answer.networkError) throw new TypeError("no network");
        return exchange.answer.stream ? this.#openStream(signal) : this.#answer(exchange.answer, headers.authorization);
    };

    #check(exchange, request) {
        for (const [name, value] of Object.entries(exchange.headers ?? {})) {
            const sent = request.headers[name] ?? null;
            if (sent !== value) this.problems.push(`${request.line}: header ${name} is ${sent}, not ${value}`);
        }
        const difference = exchange.body === undefined ? null : firstDifference(exchange.body, request.body, "body");
        if (difference) this.problems.push(`${request.line}: ${difference}`);
    }

    #answer({ status, headers, body, text }, authorization) {
        if (status === 401 && authorization === `Bearer ${this.#tokens[0]}` && this.#tokens.length > 1) this.#tokens.shift();
        const type = status < 400 ? "application/json" : "application/problem+json";
        const content = body === undefined ? text ?? null : JSON.stringify(body);
        return new Response(content, { status, headers: { "content-type": type, ...headers } });
    }

    #openStream(signal) {
        const body = new ReadableStream({
            start: (controller) => {
                this.#stream = controller;
                signal.addEventListener("abort", () => {
                    if (this.#stream !== controller) return;
                    this.#stream = null;
                    controller.error(signal.reason);
                });
            },
        });
        return new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } });
    }

    release(name) {
        const release = this.#held.get(name);
        if (release) release();
        else this.problems.push(`no request is held as ${name}`);
        this.#held.delete(name);
    }

    send(text) {
        if (this.#stream) this.#stream.enqueue(new TextEncoder().encode(text));
        else this.problems.push("no stream is open");
    }

    end() {
        this.#stream?.close();
        this.#stream = null;
    }
}

function isSameLine(a, b) {
    const split = (line) => {
        const [path, query = ""] = line.split("?");
        return [path, query.split("&").sort().join("&")].join("?");
    };
    return split(a) === split(b);
}

function until(promise, signal) {
    return new Promise((resolve, reject) => {
        promise.then(resolve);
        signal.addEventListener("abort", () => reject(signal.reason));
    });
}

/** Compares the members that `expected` names, and every element of an array. Returns the first difference as a sentence, or null. */
export function firstDifference(expected, actual, path) {
    const isNested = (value) => value !== null && typeof value === "object";
    if (!isNested(expected) || !isNested(actual) || Array.isArray(expected) && expected.length !== actual.length) {
        const [a, b] = [JSON.stringify(expected), JSON.stringify(actual)];
        return a === b ? null : `${path} is ${b}, not ${a}`;
    }
    for (const [name, value] of Object.entries(expected)) {
        const difference = firstDifference(value, actual[name], `${path}.${name}`);
        if (difference) return difference;
    }
    return null;
}
