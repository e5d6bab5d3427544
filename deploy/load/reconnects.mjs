// Opens the event streams of many people with the client library for browsers, and tells what each stream does.
//
// usage: node reconnects.mjs URL KEYS COUNT     (reconnects.py runs it)
//
// It is also the login service: it signs the tokens, and writes the public keys to the file KEYS. A line on standard input is an order:
//
//   open     opens the streams, and answers with a line when all are open
//   rotate   replaces all keys and answers; the next requests count
//   report   answers with the requests since then, when all streams are open or none is left to wait for
//
// Each answer is a line of JSON.

import { generateKeyPairSync, sign } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

import { TidingsInbox } from "../../Sources/Clients/InboxJS/tidings-inbox.js";

const [url, keysFile, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const ISSUER = "load", AUDIENCE = "tidings";
const KEYS = 3; // of a set; each signs the tokens of a third of the people
const OPENED_AT_ONCE = 20;
const PATIENCE = 300_000; // milliseconds until all streams are open

class LoginService {
    #keys = [];
    #generation = 0;

    rotate() {
        this.#generation += 1;
        this.#keys = Array.from({ length: KEYS }, (_, number) => {
            const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
            return { kid: `${this.#generation}-${number}`, publicKey, privateKey };
        });
        const keys = this.#keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" }));
        writeFileSync(`${keysFile}.new`, JSON.stringify({ keys }), { mode: 0o600 });
        renameSync(`${keysFile}.new`, keysFile); // a reader sees the whole old set or the whole new one
    }

    token(number) {
        const { kid, privateKey } = this.#keys[number % KEYS];
        const now = Math.floor(Date.now() / 1000);
        const claims = { iss: ISSUER, aud: AUDIENCE, sub: `person-${number}`, iat: now, exp: now + 3600 };
        const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
        const text = `${encode({ alg: "ES256", typ: "JWT", kid })}.${encode(claims)}`;
        return `${text}.${sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    }
}

/** The stream of one person, as an app has it. */
class Client {
    requests = [];
    state = "stopped";
    #inbox;

    constructor(number, login) {
        this.#inbox = new TidingsInbox({
            baseURL: url, locks: null, channel: null,
            token: async () => login.token(number),
            fetch: (address, options) => this.#fetch(address, options, number),
        });
        this.#inbox.subscribe(({ connection }) => { this.state = connection; });
    }

    start() {
        this.#inbox.start();
    }

    /** Each client has an address of its own, which its proxy names. */
    async #fetch(address, options, number) {
        const headers = { ...options.headers, "x-forwarded-for": `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` };
        const request = { at: Date.now(), status: null };
        if (address.endsWith("/stream")) this.requests.push(request);
        const response = await fetch(address, { ...options, headers });
        request.status = response.status;
        request.answeredAt = Date.now();
        return response;
    }
}

const login = new LoginService();
login.rotate();
const clients = Array.from({ length: count }, (_, number) => new Client(number, login));
/** Resolves when the line is written: a long one takes several turns. */
const tell = (answer) => new Promise((written) => process.stdout.write(`${JSON.stringify(answer)}\n`, written));
const numberIn = (state) => clients.filter((client) => client.state === state).length;

/** Waits until every stream is open or refused. */
async function settle() {
    const deadline = Date.now() + PATIENCE;
    while (numberIn("open") + numberIn("refused") < count && Date.now() < deadline) await wait(100);
    return { open: numberIn("open"), refused: numberIn("refused") };
}

const orders = {
    async open() {
        for (let first = 0; first < count; first += OPENED_AT_ONCE) {
            for (const client of clients.slice(first, first + OPENED_AT_ONCE)) client.start();
            await wait(100);
        }
        tell(await settle());
    },
    rotate() {
        login.rotate();
        for (const client of clients) client.requests = [];
        tell({ at: Date.now() });
    },
    async report() {
        await tell({ ...(await settle()), requests: clients.map((client) => client.requests) });
    },
};

tell({ ready: true });
for await (const line of createInterface({ input: process.stdin })) await orders[line.trim()]?.();
process.exit(0);
