/** Cases of the demo page, in the stand-in for a document. Only Node runs them, because each case replaces the browser's globals. */

import { FakeDocument } from "./document.mjs";
import { FakeClock, FakeServer, firstDifference, turn } from "./fakes.mjs";

const item = (number) => ({ id: `019ac000-0000-7000-8000-00000000000${number}`, title: `Title ${number}`, isRead: false });
const page = (numbers, nextCursor = null) => ({
    notifications: numbers.map(item), total: numbers.length, unreadCount: numbers.length, limit: 20, nextCursor, permissionHint: null,
});
const list = (body) => ({ request: "GET /api/notifications?limit=20&cursor=", answer: { status: 200, body } });
const stream = { request: "GET /api/notifications/stream", answer: { stream: true } };
/** Each request comes twice: the library asks for another token, and the page has only the same one. */
const refused = (detail, ...requests) =>
    [...requests, ...requests].map((request) => ({ request, answer: { status: 401, body: { status: 401, detail } } }));
const firstPage = list(null).request;
const event = (data) => `event: inbox\ndata: ${JSON.stringify({ new: [], reset: false, ...data })}\n\n`;
const deleted = (number, total) => ({
    request: `DELETE /api/notifications/${item(number).id}`, answer: { status: 200, body: { unreadCount: total, total } },
});
const undone = (number, unreadCount) => ({
    request: `POST /api/notifications/${item(number).id}/undo`, answer: { status: 200, body: { notification: item(number), unreadCount } },
});
const lost = ({ request }) => ({ request, answer: { networkError: true } });

const cases = {
    "page: a sign-in shows the inbox with its controls": async (demo) => {
        await demo.signIn("token-1", list(page([2, 1])), stream);
        return demo.has({
            focus: "heading", entries: ["Title 2", "Title 1"], connection: "Live",
            shown: { "sign-in": false, "actions": true, "inbox": true, "error": false },
        });
    },
    "page: a refused token is told beside its field, which has the focus": async (demo) => {
        const detail = "The token is refused: the token does not have three parts.";
        await demo.signIn("nonsense", ...refused(detail, firstPage, stream.request));
        return demo.has({
            focus: "token", connection: "The token was refused", texts: { "token-error": detail, "error": "" }, invalid: "true",
            shown: { "sign-in": true, "token-error": true, "actions": false, "inbox": false, "error": false },
        });
    },
    "page: a sign-in after a refused token takes the error away": async (demo) => {
        await demo.signIn("nonsense", ...refused("Refused.", firstPage, stream.request));
        await demo.signIn("token-1", list(page([1])), stream);
        await demo.click("sign-out");
        return demo.has({
            focus: "token", connection: "Not connected", texts: { "token-error": "" }, invalid: "false", shown: { "token-error": false },
        });
    },
    "page: a token that no header can carry is refused, and no network is blamed": async (demo) => {
        await demo.signIn("t\u00f6ken");
        return demo.has({
            focus: "token", texts: { "token-error": "Your sign-in is not valid. Sign in again." }, shown: { "actions": false },
        });
    },
    "page: a token that expires takes the inbox away": async (demo) => {
        const detail = "The token is refused: the token has expired.";
        await demo.signIn("token-1", list(page([2, 1])), stream);
        demo.server.expect(refused(detail, `PATCH /api/notifications/${item(2).id}/read`));
        await demo.click("read", 0);
        return demo.has({
            focus: "token", entries: [], title: "Inbox · Tidings", texts: { "token-error": detail },
            shown: { "sign-in": true, "actions": false, "inbox": false, "badge": false, "error": false },
        });
    },
    "page: after a deletion the next Tab reaches Undo, and the item has the focus again": async (demo) => {
        await demo.signIn("token-1", list(page([4, 3, 2, 1])), stream);
        demo.server.expect([deleted(3, 3)]);
        await demo.click("delete", 1);
        const before = demo.has({ focus: "delete Title 2", entries: ["Title 4", "Title 2", "Title 1"], shown: { toast: true } });
        demo.tab();
        const reached = demo.has({ focus: "undo" });
        demo.server.expect([undone(3, 4)]);
        await demo.click("undo");
        return before ?? reached ?? demo.has({
            focus: "delete Title 3", entries: ["Title 4", "Title 3", "Title 2", "Title 1"], shown: { toast: false },
        });
    },
    "page: Control Z undoes a deletion, also when its toast is gone": async (demo) => {
        await demo.signIn("token-1", list(page([2, 1])), stream);
        demo.server.expect([deleted(1, 1)]);
        await demo.click("delete", 1);
        await demo.clock.advance(20_000, () => demo.settle());
        const gone = demo.has({ focus: "delete Title 2", shown: { toast: false } });
        demo.server.expect([undone(1, 2)]);
        await demo.press("z", { ctrlKey: true });
        await demo.press("z", { ctrlKey: true });
        return gone ?? demo.has({ focus: "delete Title 1", entries: ["Title 2", "Title 1"] });
    },
    "page: the toast of the only item stands behind the heading": async (demo) => {
        await demo.signIn("token-1", list(page([1])), stream);
        demo.server.expect([deleted(1, 0)]);
        await demo.click("delete", 0);
        const heading = demo.has({ focus: "heading", entries: [], shown: { empty: true } });
        demo.tab();
        return heading ?? demo.has({ focus: "undo" });
    },
    "page: the toast and the focus in it move on when their entry goes": async (demo) => {
        await demo.signIn("token-1", list(page([3, 2, 1])), stream);
        demo.server.expect([deleted(3, 2), deleted(2, 1)]);
        await demo.click("delete", 0);
        await demo.click("delete", 0);
        demo.tab();
        const second = demo.has({ focus: "undo", texts: { "toast-text": "Deleted: Title 2" }, entries: ["Title 1"] });
        demo.server.expect([list(page([]))]);
        demo.server.send(event({ unreadCount: 0, total: 0, newest: item(1).id, changed: [item(1).id] }));
        await demo.settle();
        return second ?? demo.has({ focus: "undo", entries: [], shown: { toast: true } });
    },
    "page: the toast gives the focus back to its entry when it is closed": async (demo) => {
        await demo.signIn("token-1", list(page([2, 1])), stream);
        demo.server.expect([deleted(2, 1)]);
        await demo.click("delete", 0);
        await demo.click("close-toast");
        return demo.has({ focus: "delete Title 1", shown: { toast: false } });
    },
    "page: an undo without an answer can be tried again": async (demo) => {
        await demo.signIn("token-1", list(page([2, 1])), stream);
        demo.server.expect([deleted(2, 1), lost(undone(2, 2))]);
        await demo.click("delete", 0);
        await demo.click("undo");
        const failed = demo.has({ focus: "delete Title 1", entries: ["Title 1"], shown: { toast: true, error: true } });
        demo.server.expect([undone(2, 2)]);
        await demo.press("z", { metaKey: true });
        return failed ?? demo.has({ focus: "delete Title 2", entries: ["Title 2", "Title 1"], shown: { error: false } });
    },
    "page: an item that goes elsewhere passes the focus to its neighbour": async (demo) => {
        await demo.signIn("token-1", list(page([3, 2, 1])), stream);
        demo.focusOn("read", 1);
        demo.server.expect([list(page([3, 1]))]);
        demo.server.send(event({ unreadCount: 2, total: 2, newest: item(3).id, changed: [item(2).id] }));
        await demo.settle();
        return demo.has({ focus: "delete Title 1", entries: ["Title 3", "Title 1"] });
    },
    "page: the last page and Mark all as read pass the focus on": async (demo) => {
        await demo.signIn("token-1", list(page([3, 2], item(2).id)), stream);
        const next = { request: `GET /api/notifications?limit=20&cursor=${item(2).id}`, answer: { status: 200, body: page([1]) } };
        demo.server.expect([next]);
        await demo.click("load-more");
        const last = demo.has({ focus: "delete Title 1", shown: { "load-more": false } });
        const answer = { status: 200, body: { updated: 3, unreadCount: 0 } };
        demo.server.expect([{ request: `PATCH /api/notifications/read-all?before=${item(3).id}`, answer }]);
        await demo.click("read-all");
        return last ?? demo.has({ focus: "refresh" });
    },
    "page: a disabled control has a look of its own, also in forced colours": async (demo) => {
        const [plain, forced] = demo.style.split("@media (forced-colors: active)");
        const rule = /button:disabled\s*\{[^}]*color:/;
        return rule.test(plain) && rule.test(forced ?? "") ? null : "demo.css has no rule for button:disabled";
    },
    "page: Control Z in the field belongs to the field": async (demo) => {
        await demo.signIn("token-1", list(page([1])), stream);
        demo.server.expect([deleted(1, 0)]);
        await demo.click("delete", 0);
        await demo.click("sign-out");
        await demo.press("z", { ctrlKey: true });
        return demo.has({ focus: "token", shown: { toast: false, inbox: false } });
    },
};

/** Runs each case in turn. `files` has the texts of the page, its script and its style. Yields `{name, problems}`. */
export async function* runPageCases(files, filter = "") {
    for (const [name, run] of Object.entries(cases)) {
        if (!name.includes(filter)) continue;
        const demo = new DemoPage(files);
        await demo.open();
        const problem = await run(demo);
        await demo.close();
        yield { name, problems: [problem, ...demo.server.problems].filter(Boolean) };
    }
}

/** The demo page in a browser of its own. */
class DemoPage {
    static #opened = 0;

    server = new FakeServer([]);
    clock = new FakeClock(Date.parse("2026-11-25T12:00:00Z"));
    #files;
    #document;
    #window = new EventTarget();
    #replaced = new Map();

    constructor(files) {
        this.#files = files;
        this.style = files.style;
        this.#document = new FakeDocument(files.html);
    }

    async open() {
        const none = () => {};
        this.#replace({
            document: this.#document, window: this.#window, addEventListener: this.#window.addEventListener.bind(this.#window),
            location: { hash: "", pathname: "/demo", search: "" }, history: { replaceState: none }, scrollTo: none,
            fetch: this.server.fetch, setInterval: none, setTimeout: this.clock.setTimeout, clearTimeout: this.clock.clearTimeout,
        });
        // Each page runs its own copy of the script.
        const text = `${this.#files.script}\n// ${(DemoPage.#opened += 1)}`;
        await import(`data:text/javascript,${encodeURIComponent(text)}`);
    }

    async close() {
        if (this.#shown("actions")) await this.click("sign-out");
        for (const [name, value] of this.#replaced) globalThis[name] = value;
    }

    #replace(globals) {
        for (const [name, value] of Object.entries(globals)) {
            this.#replaced.set(name, globalThis[name]);
            globalThis[name] = value;
        }
    }

    // MARK: The person

    async signIn(token, ...exchanges) {
        this.server.expect(exchanges);
        this.#element("token").value = token;
        this.#element("sign-in").dispatchEvent(new Event("submit", { cancelable: true }));
        await this.settle();
    }

    /** Clicks a control by its id, or by its class in an entry of the list. The click moves the focus, as in most browsers. */
    async click(name, entry = null) {
        const control = entry === null ? this.#element(name) : this.#element("list").children[entry].querySelector(`.${name}`);
        control.focus();
        control.click();
        await this.settle();
    }

    /** Moves the focus to the control with a class in an entry of the list. */
    focusOn(name, entry) {
        this.#element("list").children[entry].querySelector(`.${name}`).focus();
    }

    tab() {
        this.#document.tab();
    }

    async press(key, modifiers) {
        const event = Object.assign(new Event("keydown", { cancelable: true }), { key, ...modifiers });
        Object.defineProperty(event, "target", { value: this.#document.activeElement });
        this.#window.dispatchEvent(event);
        await this.settle();
    }

    // MARK: The page

    /** Compares what the page shows. Returns the first difference, or null. */
    has(expected) {
        const shown = Object.fromEntries(Object.keys(expected.shown ?? {}).map((id) => [id, this.#shown(id)]));
        const texts = Object.fromEntries(Object.keys(expected.texts ?? {}).map((id) => [id, this.#element(id).textContent]));
        return firstDifference(expected, {
            shown, texts, focus: this.#focus, title: this.#document.title, connection: this.#element("connection").textContent,
            invalid: this.#element("token").getAttribute("aria-invalid"),
            entries: this.#element("list").children.map((entry) => entry.querySelector(".title").textContent),
        }, "page");
    }

    /** The id of the focused element, or the class of a control with the title of its entry. */
    get #focus() {
        const { activeElement } = this.#document;
        const title = activeElement.closest(".item")?.querySelector(".title").textContent;
        return activeElement.id || (title ? `${activeElement.getAttribute("class")} ${title}` : activeElement.tag);
    }

    #shown(id) {
        return this.#element(id).isShown;
    }

    #element(id) {
        return this.#document.getElementById(id);
    }

    /** Waits until the page has done its work: several turns of the event loop in which no request came. */
    async settle() {
        for (let quiet = 0, seen = this.server.activity; quiet < 8; quiet += 1) {
            await turn();
            if (this.server.activity !== seen) [quiet, seen] = [0, this.server.activity];
        }
        this.#document.draw();
    }
}
