/**
 * A client for a person's inbox: list, counts, changes and the event stream.
 *
 * One ES module without dependencies, for browsers. The sections are in order of importance: inbox, state, likes, stream, tabs, requests,
 * cache, reports, pushes, local plans. `Tests/Clients/Inbox/README.md` has the rules of behaviour and the table of cases that proves them.
 *
 * The token travels in a header. It is never in an address, in a message to another tab, or in storage.
 * @module
 */

/** Limits. Times are in milliseconds. */
export const limits = Object.freeze({
    pageSize: 20,
    /** The server gives no more items in one page. */
    largestPage: 100,
    requestTimeout: 30_000,
    /** The server sends a heartbeat each 15 s. Three missing ones are a broken connection. */
    silence: 45_000,
    shortestDelay: 1_000,
    longestDelay: 30_000,
    /** The longest line of the event stream, in characters. A longer line breaks the connection. */
    streamLine: 65_536,
    /** The server sends an event for each change. Within this time an event about an own change is its echo. */
    echo: 10_000,
    /** Answered changes that are kept for pages that were asked for before. */
    settled: 100,
    cachedItems: 100,
    localPlan: 64,
    /** Reports that wait. With one more, the oldest is given up, unless a request with it is on its way. */
    reports: 200,
    /** Events of one request, and their bytes. The server takes 100 events and a body of 64 KiB. */
    reportEvents: 50,
    reportBytes: 48 * 1024,
    /** A report that waits for longer is given up. */
    reportAge: 7 * 86_400_000,
    shortestPause: 1_000,
    longestPause: 300_000,
    /** The longest pause that the server may ask for. */
    longestAsked: 86_400_000,
    /** The tab with the connection tells the others that it lives. */
    leaderBeat: 15_000,
    /** A tab that has not worked for this long is frozen. Browsers let a hidden tab work once a minute. */
    leaderPause: 65_000,
    /** A visible tab that hears nothing for this long asks the tab with the connection. */
    leaderSilence: 45_000,
    /** Without an answer within this time, the visible tab takes the connection over. */
    leaderAnswer: 10_000,
});

// MARK: Inbox

/**
 * The inbox of one person. Make another one for another person.
 *
 * `state` is an immutable snapshot. Each change makes a new snapshot, calls the subscribers and dispatches `change`. `newitems` and
 * `newlikes` are signals with a count, and `reportfailed` tells of reports that are given up. No method rejects: a method resolves to
 * whether it succeeded, and `state.error` has the error.
 */
export class TidingsInbox extends EventTarget {
    #options;
    #api;
    #model;
    #stream;
    #tabs;
    #cache;
    #reports;
    #listeners = new Set();
    #status = "idle";
    #error = null;
    #connection = { connection: "stopped", reconnectInSeconds: null };
    #isOnline = globalThis.navigator?.onLine !== false;
    #isLoadingMore = false;
    /** The first page on its way. */
    #loading = null;
    /** The next page on its way. */
    #more = null;
    /** The background request for the list on its way. */
    #syncing = null;
    #needsSync = false;
    /** Whether a background request failed, so that the next event asks again. */
    #isDoubtful = false;
    /** Changes are sent one after the other: answers out of order would leave wrong counts. */
    #queue = Promise.resolve();
    #state = null;
    #detach = null;
    #key = null;

    /** The likes of the same person, over the same connection. */
    likes;

    /** @param {import("./tidings-inbox.js").TidingsInboxOptions} options */
    constructor(options) {
        super();
        this.#options = { pageSize: limits.pageSize, random: Math.random, storage: memoryStorage(), ...options };
        const clock = (this.#options.clock ??= systemClock);
        this.#api = new Requests(this.#options, clock);
        this.#model = new Model(clock);
        const key = async () => (this.#key ??= await this.#personKey());
        this.#cache = new Cache(this.#options.storage, key);
        this.#reports = new ReportQueue({
            api: this.#api, clock, random: this.#options.random, storage: this.#options.storage, key,
            locks: this.#options.locks === undefined ? globalThis.navigator?.locks : this.#options.locks,
            onChange: () => this.#changed(),
            onFailure: (failure) => this.dispatchEvent(new CustomEvent("reportfailed", { detail: failure })),
        });
        this.#tabs = new Tabs({
            key, clock, locks: this.#options.locks, channel: this.#options.channel, page: this.#options.page,
            onMessage: (message) => this.#receive(message),
        });
        this.#stream = new EventStream({
            api: this.#api, clock, random: this.#options.random, lastEventID: () => this.#model.beginStream(),
            onEvent: (event) => this.#lead(event),
            onChange: (connection, error) => this.#setConnection(connection, error),
            onRead: () => this.#tabs.worked(),
        });
        this.likes = new TidingsLikes(this.#api, clock, this.#options.pageSize);
    }

    /** @returns {import("./tidings-inbox.js").InboxState} */
    get state() {
        return (this.#state ??= this.#snapshot());
    }

    /** Calls the listener at once and after each change. Returns the function that ends this. */
    subscribe(listener) {
        this.#listeners.add(listener);
        listener(this.state);
        return () => void this.#listeners.delete(listener);
    }

    // MARK: List

    /** Loads the first page. Before the first answer, the list shows the cache. A call during a load joins that load. */
    load() {
        return (this.#loading ??= this.#loadFirst().finally(() => {
            this.#loading = null;
            this.#syncAgain();
        }));
    }

    /** Puts the first page in the list's place. */
    refresh() {
        return this.load();
    }

    /** Shows the new items: puts the first page in the list's place. */
    async showNew() {
        const isLate = this.#loading !== null;
        const succeeded = await this.load();
        // The page on its way may be older than the signal.
        return isLate && succeeded && this.#model.newCount > 0 ? this.load() : succeeded;
    }

    /** Appends the next page. Does nothing if there is none. */
    loadMore() {
        if (this.#model.cursor === null) return Promise.resolve(true);
        return (this.#more ??= this.#loadNext().finally(() => {
            this.#more = null;
            this.#isLoadingMore = false;
            this.#changed();
        }));
    }

    async #loadFirst() {
        this.#attach();
        this.#reports.open();
        this.#status = "loading";
        this.#changed();
        if (!this.#model.isLoaded && this.#model.showCached(await this.#cache.read())) this.#changed();
        return this.#attempt(async () => {
            const asked = this.#model.steps;
            const page = await this.#page("", this.#options.pageSize);
            // The end of the load asks again.
            if (this.#model.replace(page, asked)) this.#needsSync = true;
            this.#isDoubtful = false;
            this.#status = "loaded";
        }, () => { this.#status = "failed"; });
    }

    #loadNext() {
        this.#isLoadingMore = true;
        this.#changed();
        return this.#attempt(async () => {
            const { cursor, generation } = this.#model;
            const asked = this.#model.steps;
            const page = await this.#page(cursor, this.#options.pageSize);
            if (generation === this.#model.generation) this.#model.append(page, asked);
        });
    }

    async #page(cursor, limit) {
        const answer = await this.#api.json("GET", `/api/notifications?limit=${limit}&cursor=${encodeURIComponent(cursor)}`);
        return decodePage(answer.body);
    }

    /** Asks for the list again in the background. The list does not move: see ``Model.merge``. */
    #sync() {
        this.#needsSync = true;
        if (!this.#loading && !this.#syncing) this.#syncAgain();
    }

    #syncAgain() {
        if (!this.#needsSync || this.#syncing) return;
        [this.#needsSync, this.#isDoubtful] = [false, false];
        let isGap = false;
        this.#syncing = this.#attempt(async () => {
            const limit = Math.min(limits.largestPage, Math.max(this.#options.pageSize, this.#model.shownAndNew));
            const asked = this.#model.steps;
            const page = await this.#page("", limit);
            const missed = this.#model.merge(page, asked);
            if (missed === null && this.#model.hasReturned(asked)) this.#needsSync = true;
            else isGap = missed === null;
            try {
                for (; missed?.length > 0; missed.shift()) await this.#reread(missed[0]);
            } finally {
                this.#model.missed(missed ?? []);
            }
        }, () => { this.#isDoubtful = true; }).finally(() => {
            this.#syncing = null;
            if (isGap) void this.load();
            else this.#syncAgain();
        });
    }

    /** Reads one item again that is beyond the largest page. */
    async #reread(id) {
        try {
            const { body } = await this.#api.json("GET", `/api/notifications/${encodeURIComponent(id)}`);
            this.#model.update(decodeItem(body?.notification));
        } catch (error) {
            if (error.kind !== "notFound") throw error;
            this.#model.update(null, id);
        }
    }

    /** Runs a step of the list. Its error goes into the state. */
    async #attempt(step, failed = () => {}) {
        try {
            await step();
            this.#error = null;
            this.#save();
            return true;
        } catch (error) {
            this.#error = TidingsError.from(error);
            failed();
            return false;
        } finally {
            this.#changed();
        }
    }

    // MARK: Changes

    /** Marks an item as read. Sends nothing if it is read. */
    markRead(id) {
        return this.#model.item(id)?.isRead ? Promise.resolve(true) : this.#change({ kind: "read", id });
    }

    markUnread(id) {
        return this.#change({ kind: "unread", id });
    }

    /** Tells that the person has seen the item. */
    markSeen(id) {
        return this.#change({ kind: "seen", id });
    }

    /** Marks the uppermost shown item and all below it as read. New ones stay unread. */
    markAllRead() {
        return this.#changeAll("readAll");
    }

    /** Deletes an item. `undo` brings it back for 10 minutes. */
    remove(id) {
        return this.#change({ kind: "remove", id });
    }

    /** Deletes the uppermost shown item and all below it. */
    removeAll() {
        return this.#changeAll("removeAll");
    }

    #changeAll(kind) {
        const first = this.#model.view.items[0];
        return first === undefined ? Promise.resolve(true) : this.#change({ kind, ...placeOf(first) });
    }

    /** Takes back a delete or a dismissal. */
    undo(id) {
        return this.#change({ kind: "undo", id });
    }

    /** Dismisses an item. The item stays listed and no longer counts as unread. */
    dismiss(id) {
        return this.#change({ kind: "dismiss", id });
    }

    /** Hides an item until a time, given as a Date or as RFC 3339 text. Then it arrives anew, on top and unread. */
    snooze(id, until) {
        return this.#change({ kind: "snooze", id, until: until instanceof Date ? until.toISOString() : String(until) });
    }

    /** Ends a snooze. The item is then on top of the list. */
    wake(id) {
        return this.#change({ kind: "wake", id });
    }

    /** Resolves to a page of the snoozed items, the soonest end first, or to null. The list stays as it is. */
    async snoozed(cursor = "") {
        let page = null;
        await this.#attempt(async () => {
            const query = `snoozed=true&limit=${this.#options.pageSize}&cursor=${encodeURIComponent(cursor)}`;
            page = decodePage((await this.#api.json("GET", `/api/notifications?${query}`)).body);
        });
        return page && { items: page.items, total: page.total, nextCursor: page.nextCursor };
    }

    #change(change) {
        this.#model.begin(change);
        this.#changed();
        const sent = this.#queue.then(() => this.#send(change));
        this.#queue = sent;
        return sent;
    }

    async #send(change) {
        try {
            const [method, path, body] = requestFor(change);
            this.#model.send(change);
            const answer = decodeAnswer((await this.#api.json(method, path, body)).body);
            this.#settle(change, answer);
            this.#tabs.post({ type: "change", change, answer });
            this.#error = null;
            return true;
        } catch (error) {
            this.#error = TidingsError.from(error);
            const isGone = this.#error.kind === "notFound" && change.kind !== "undo" && !change.kind.endsWith("All");
            if (!isGone) this.#model.takeBack(change);
            else this.#settle(change, { isGone });
            if (isGone && change.kind === "remove") this.#error = null;
            return this.#error === null;
        } finally {
            this.#changed();
        }
    }

    #settle(change, answer) {
        if (this.#model.settle(change, answer)) this.#sync();
        this.#save();
    }

    /** Writes the confirmed list to the cache. Before the first page there is nothing to write. */
    #save() {
        if (this.#model.isLoaded) this.#cache.write(this.#model.base);
    }

    // MARK: Stream

    /** Opens the event stream, once for all tabs of the browser, and keeps it open until `stop`. */
    start() {
        if (!["stopped", "refused"].includes(this.#connection.connection)) return;
        this.#attach();
        this.#reports.open();
        this.#setConnection({ connection: "connecting", reconnectInSeconds: null });
        this.#tabs.join({
            lead: () => this.#stream.open(this.#isOnline),
            resign: () => this.#stream.close(),
        });
    }

    /** Closes the event stream. Another tab takes it over. */
    stop() {
        this.#tabs.leave();
        this.#stream.close();
        this.#detach?.();
        this.#detach = null;
        this.#setConnection({ connection: "stopped", reconnectInSeconds: null });
    }

    /**
     * Ends this inbox: stops, and removes the person's items and reports from memory and from the storage. Call it when the person signs
     * out.
     */
    async forget() {
        this.stop();
        this.#api.end();
        this.#model.clear();
        this.likes.clear();
        [this.#status, this.#error] = ["idle", null];
        this.#changed();
        await Promise.all([this.#cache.clear(), this.#reports.clear()]);
    }

    /** Tells whether the device has a network. Browsers' `online` and `offline` events call it. */
    setOnline(isOnline) {
        this.#isOnline = isOnline;
        if (isOnline) this.#stream.resume();
        else this.#stream.pause();
        if (isOnline) this.#reports.resume();
        if (isOnline && this.#status === "failed") this.load();
        this.#changed();
    }

    /** Handles an event of the own connection, and passes it to the other tabs. Their lists may be older than the connection. */
    #lead(event) {
        const told = { ...event, since: this.#model.toldBefore(event.data) };
        this.#tabs.post({ type: "event", event: told });
        this.#handle(told);
    }

    /** `since` is the position from which an event names all changes. */
    #handle({ event, id, data, since }) {
        if (id) this.#model.lastEventID = id;
        if (event === "likes") return this.#signalLikes(data);
        if (event !== "inbox" || !Number.isInteger(data?.unreadCount) || !Number.isInteger(data?.total)) return;
        const before = this.#model.newCount;
        const next = this.#model.notice(data, id, since);
        if (this.#status === "failed" || next === "replace") this.#reload();
        else if (next === "merge" || this.#isDoubtful) this.#sync();
        this.#changed();
        if (this.#model.newCount > before) this.#signal("newitems", this.#model.newCount);
    }

    /** Loads the first page. If one is on its way, loads again after it: that page may be older than the event. */
    #reload() {
        if (this.#loading) this.#loading.then(() => this.load());
        else this.load();
    }

    #signalLikes(data) {
        if (!Number.isInteger(data?.new) || data.new < 1) return;
        this.likes.announce(data.new);
        this.#signal("newlikes", this.likes.state.newLikes);
    }

    /** Handles a message of another tab of the same person. */
    #receive(message) {
        switch (message.type) {
        case "change":
            if (this.#model.adopt(message.change, message.answer)) this.#sync();
            this.#save();
            return this.#changed();
        case "event":
            return this.#tabs.isFollower ? this.#handle(message.event) : undefined;
        case "connection":
            if (!this.#tabs.isFollower) return undefined;
            this.#connection = message.connection;
            if (this.#connection.connection === "open") this.#reached();
            return this.#changed();
        case "hello":
            if (!this.#tabs.isLeader) return undefined;
            this.#tabs.post({ type: "connection", connection: this.#connection });
            // It names nothing any more.
            if (this.#model.lastEvent) {
                this.#tabs.post({ type: "event", event: { ...this.#model.lastEvent, since: this.#model.toldBefore() } });
            }
            return undefined;
        }
        return undefined;
    }

    #setConnection(connection, error = null) {
        this.#connection = connection;
        if (error) this.#error = error;
        if (connection.connection === "open") this.#reached();
        // Another tab may have a token that the server accepts.
        if (connection.connection === "refused") this.#tabs.leave();
        if (this.#tabs.isLeader) this.#tabs.post({ type: "connection", connection });
        this.#changed();
    }

    /** The stream is open, so the service can be reached: loads a failed list again, and forgets an error that says otherwise. */
    #reached() {
        if (this.#status === "failed") this.load();
        else if (["network", "unavailable"].includes(this.#error?.kind)) this.#error = null;
    }

    // MARK: Reports

    /** Reads a push payload. An unknown one is reported to the server. */
    async handlePush(payload) {
        const push = parsePush(payload);
        if (push.kind === "unknown") {
            const detail = push.type === null ? { reason: push.reason } : { reason: push.reason, type: push.type.slice(0, 64) };
            await this.report([{ type: "unknownPayload", detail }]);
        }
        return push;
    }

    /**
     * Reports engagement events. Resolves to whether the server has them after the first try. Events that the server cannot take yet wait,
     * see `state.reports`. `reportfailed` tells of refused ones, and of anything that is no event. A failure is no error of the inbox.
     */
    async report(events) {
        const list = Array.isArray(events) ? events : [events];
        return this.#reports.add(list.map((event) => ({ event })));
    }

    /** Confirms that a push reached this device. Resolves, waits and fails as `report` does. */
    async confirmReceipt(notificationId, deviceId) {
        return this.#reports.add([{ receipt: { notificationId, deviceId } }]);
    }

    // MARK: State

    #changed() {
        this.#state = null;
        for (const listener of this.#listeners) listener(this.state);
        this.dispatchEvent(new CustomEvent("change", { detail: this.state }));
    }

    #signal(type, count) {
        this.dispatchEvent(new CustomEvent(type, { detail: count }));
    }

    #snapshot() {
        const { items, total, unreadCount, permissionHint } = this.#model.view;
        return Object.freeze({
            status: this.#status, items, total, unreadCount, permissionHint,
            badge: unreadCount === 0 ? "" : unreadCount > 99 ? "99+" : String(unreadCount),
            canLoadMore: this.#model.cursor !== null,
            isLoadingMore: this.#isLoadingMore,
            newItems: this.#model.newCount,
            error: this.#error,
            reports: this.#reports.state,
            isOnline: this.#isOnline,
            isLeader: this.#tabs.isLeader,
            ...this.#connection,
        });
    }

    /** Listens to the browser's network state, from the first load or start until `stop`. */
    #attach() {
        if (this.#detach || typeof globalThis.window?.addEventListener !== "function") return;
        const [online, offline] = [() => this.setOnline(true), () => this.setOnline(false)];
        window.addEventListener("online", online);
        window.addEventListener("offline", offline);
        this.#detach = () => {
            window.removeEventListener("online", online);
            window.removeEventListener("offline", offline);
        };
    }

    /** The name that tabs and the cache of one person share: a hash. Null if nothing tells whose inbox it is. */
    async #personKey() {
        try {
            const person = this.#options.person ?? personOf(await this.#api.currentToken());
            if (!person || !globalThis.crypto?.subtle) return null;
            const text = new TextEncoder().encode(`${this.#options.baseURL}\n${person}`);
            const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
            return Array.from(hash.slice(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
        } catch {
            return null;
        }
    }
}

// MARK: State of the list

/**
 * The list and its counts. `base` is confirmed by the server. `view` is `base` with the changes on top that have no answer yet, so that
 * taking back a change means to forget it.
 */
class Model {
    #clock;
    #pending = [];
    /** The last settled changes. A page on its way may not have them. */
    #settled = [];
    #steps = 0;
    /** New items by id. The value is the position of the item, or a later one; 0 if none is known. */
    #news = new Map();
    #echoes = new Map();
    /** Until then, a change of an item that the list does not have may be the echo of a change of all. */
    #sweptUntil = 0;
    /** Removed and dismissed items as they were, for an undo. */
    #before = new Map();
    /** The change whose request is on its way, and whether an event has told of it meanwhile. */
    #sending = { change: null, isTold: false };
    #view = null;
    /** The uppermost place when the list was loaded. Items above it are new. Null before the first page. */
    #watermark = null;
    /**
     * The place from which downwards the list leaves nothing out. Below the watermark after an item came back above the list, because the
     * items between both were never in it.
     */
    #complete = BOTTOM;
    /** The newest position that a page has told. Events up to it have no news. */
    #readPosition = 0;
    /** The position up to which events have told of all changes. Null if none is known. */
    #toldPosition = null;

    /** The id of the last event. Only the server knows its meaning. */
    lastEventID = "";
    base = EMPTY;
    cursor = null;
    generation = 0;
    lastEvent = null;

    constructor(clock) {
        this.#clock = clock;
    }

    get isLoaded() {
        return this.#watermark !== null;
    }

    get newCount() {
        return this.#news.size;
    }

    get shownAndNew() {
        return this.base.items.length + this.#news.size;
    }

    /** Returns the value from which an event stream goes on: the last event, else the page. Null if there is none. */
    beginStream() {
        if (!this.lastEventID) this.#toldPosition = this.#readPosition > 0 ? this.#readPosition : null;
        return this.lastEventID || (this.#readPosition > 0 ? String(this.#readPosition) : this.#watermark?.id) || null;
    }

    /** The position from which an event of the own connection names all changes. Null if it is not known. */
    toldBefore(data) {
        return this.#toldPosition ?? (Number.isInteger(data?.position) ? data.position : null);
    }

    get view() {
        return (this.#view ??= this.#pending.reduce((view, change) => this.#apply(view, change), this.base));
    }

    item(id) {
        return this.view.items.find((item) => item.id === id);
    }

    clear() {
        Object.assign(this, { base: EMPTY, cursor: null, lastEvent: null, lastEventID: "", generation: this.generation + 1 });
        [this.#watermark, this.#complete, this.#readPosition, this.#toldPosition, this.#sweptUntil] = [null, BOTTOM, 0, null, 0];
        this.#view = null;
        for (const collection of [this.#news, this.#echoes, this.#before]) collection.clear();
        this.#pending = [];
        this.#sending = { change: null, isTold: false };
    }

    #set(base) {
        this.base = Object.freeze({ ...base, items: Object.freeze(base.items) });
        this.#view = null;
    }

    // Pages

    /** The number of settled changes. A request for a page takes it down, for the call that takes the page. */
    get steps() {
        return this.#steps;
    }

    /** Returns the page with the changes that were settled since it was asked for. */
    #withSettled(page, asked) {
        const changed = this.#settled.filter(({ step }) => step > asked).reduce((view, { change }) => this.#apply(view, change), page);
        return { ...changed, nextCursor: page.nextCursor };
    }

    showCached(cached) {
        if (!cached || this.isLoaded) return false;
        this.#set(cached);
        return true;
    }

    /** Returns whether the list misses changes that no event names again, because the first page is older than the last event. */
    replace(page, asked) {
        const { nextCursor, position, ...base } = this.#withSettled(page, asked);
        const isOld = !this.isLoaded && position !== null && this.lastEvent?.data.position > position;
        this.#watermark = sorted([placeOf(page.items[0]), placeOf(base.items[0])])[0];
        this.#complete = this.#known(position, placeOf(page.items[0]));
        this.cursor = nextCursor;
        this.generation += 1;
        const isLater = position === null ? ([id]) => id > this.#watermark.id : ([, known]) => known > position;
        this.#news = new Map([...this.#news].filter(isLater));
        this.#readPosition = Math.max(this.#readPosition, position ?? 0);
        this.#set(base);
        return isOld;
    }

    append(page, asked) {
        const { nextCursor, position: _, ...base } = this.#withSettled(page, asked);
        const ids = new Set(base.items.map((item) => item.id));
        this.cursor = nextCursor;
        this.#set({ ...base, items: sorted([...this.base.items.filter((item) => !ids.has(item.id)), ...base.items]) });
    }

    /**
     * Takes a first page without moving the list: updates, inserts and removes items in the page's range, keeps those below, and leaves
     * those above the list hidden as new. Returns the ids of changed items that the page does not reach. Returns null, and takes nothing, if
     * the list would have a gap: the page ends above the items that were shown before an item came back above them.
     */
    merge(page, asked) {
        const { nextCursor, position, ...base } = this.#withSettled(page, asked);
        const end = nextCursor === null ? BOTTOM : placeOf(base.items.at(-1));
        if (isAbove(end, this.#complete) && isAbove(this.#watermark, this.#complete)) return null;
        this.#complete = this.#known(position, this.#watermark);
        // An item that has moved into the page, as a woken one does, is no longer below it.
        const isInPage = new Set(base.items.map((item) => item.id));
        const older = this.base.items.filter((item) => isAbove(end, item) && !isInPage.has(item.id));
        const isNew = (item) => isAbove(item, this.#watermark);
        // A page that does not reach the list leaves new items out.
        const leavesOut = isAbove(end, this.#watermark);
        const beyond = leavesOut ? [...this.#news].filter(([id]) => !isInPage.has(id)) : [];
        this.#news = new Map([...base.items.filter(isNew).map((item) => [item.id, item.position]), ...beyond]);
        if (!leavesOut) this.#readPosition = Math.max(this.#readPosition, position ?? 0);
        this.#set({ ...base, items: [...base.items.filter((item) => !isNew(item)), ...older] });
        if (older.length === 0) this.cursor = nextCursor;
        const missed = older.filter((item) => this.#changedElsewhere.has(item.id)).map((item) => item.id);
        this.#changedElsewhere.clear();
        return missed;
    }

    /** The place below which a page knows every item. An arrival that is younger than the page may be below an item that came back. */
    #known(position, place) {
        const bound = position === null ? place : { position: position + 1, id: "" };
        return isAbove(this.#watermark, bound) ? bound : this.#watermark;
    }

    /** Whether an item came back since a page was asked for. */
    hasReturned(asked) {
        return this.#settled.some(({ step, change }) => step > asked && ["undo", "wake"].includes(change.kind));
    }

    #changedElsewhere = new Set();

    /** Takes back ids that a page did not reach, and that could not be read one by one: the next update names them again. */
    missed(ids) {
        for (const id of ids) this.#changedElsewhere.add(id);
    }

    /** Takes one item that was read again, or removes it. */
    update(item, id = item?.id) {
        const items = this.base.items.filter((known) => known.id !== id);
        this.#set({ ...this.base, items: item ? sorted([...items, item]) : items });
    }

    // Changes

    begin(change) {
        this.#remember(change);
        this.#expectEcho(change);
        this.#pending.push(change);
        this.#view = null;
    }

    /** Notes that the request of a change goes out. */
    send(change) {
        this.#sending = { change, isTold: false };
    }

    takeBack(change) {
        this.#pending = this.#pending.filter((other) => other !== change);
        this.#echoes.delete(change.id);
        if (change.kind.endsWith("All")) this.#sweptUntil = 0;
        this.#view = null;
    }

    /** Takes the answer to a change. Returns whether a page is needed, because the list now begins above items that are hidden as new. */
    settle(change, answer) {
        this.#pending = this.#pending.filter((other) => other !== change);
        const settled = answer.isGone ? { kind: "remove", id: change.id } : { ...change, item: answer.item };
        this.#settled = [...this.#settled, { step: ++this.#steps, change: settled }].slice(-limits.settled);
        const base = this.#apply(this.base, settled);
        // An event that tells of the change is younger than the answer, however late the answer comes.
        const counts = this.#sending.change === change && this.#sending.isTold ? this.lastEvent.data : answer;
        this.#set({ ...base, unreadCount: counts.unreadCount ?? base.unreadCount, total: counts.total ?? base.total });
        if (change.kind === "undo") this.#before.delete(change.id);
        return ["undo", "wake"].includes(change.kind) && this.#raise(answer.item);
    }

    /** Lets the list begin with an item that came back above it. Returns whether new items may be below it. */
    #raise(item) {
        if (!item || !this.isLoaded || !isAbove(item, this.#watermark)) return false;
        this.#watermark = placeOf(item);
        this.#news.delete(item.id);
        return this.#news.size > 0;
    }

    /** Takes a change that another tab made. */
    adopt(change, answer) {
        this.#remember(change);
        this.#expectEcho(change);
        return this.settle(change, answer);
    }

    #remember({ kind, id }) {
        const item = this.item(id);
        if (item && (kind === "remove" || (kind === "dismiss" && item.state !== "dismissed"))) this.#before.set(id, item);
    }

    #expectEcho({ kind, id, position = 0 }) {
        const until = this.#clock.now() + limits.echo;
        if (!kind.endsWith("All")) return void this.#echoes.set(id, until);
        for (const item of this.view.items) if (!isAbove(item, { id, position })) this.#echoes.set(item.id, until);
        this.#sweptUntil = until;
    }

    #apply(view, { kind, id, position = 0, item: confirmed }) {
        const isTaken = (item) => !isAbove(item, { id, position });
        switch (kind) {
        case "read": return patched(view, id, confirmed ?? { isRead: true, state: "read" });
        case "unread": return patched(view, id, confirmed ?? { isRead: false, state: "delivered" });
        case "dismiss": return patched(view, id, confirmed ?? { state: "dismissed" });
        case "seen": return patched(view, id, confirmed ?? {});
        case "remove": case "snooze": return without(view, id);
        case "undo": return this.#restored(view, id, confirmed ?? this.#before.get(id));
        // A woken item gets its place from the server.
        case "wake": return this.#restored(view, id, confirmed);
        case "readAll": {
            const items = view.items.map((item) => (isTaken(item) && isUnread(item) ? { ...item, isRead: true, state: "read" } : item));
            return { ...view, items, unreadCount: Math.min(view.unreadCount, this.#news.size) };
        }
        case "removeAll": {
            const items = view.items.filter((item) => !isTaken(item));
            const left = items.length + this.#news.size;
            return { ...view, items, total: Math.min(view.total, left), unreadCount: Math.min(view.unreadCount, left) };
        }
        }
        return view;
    }

    #restored(view, id, item) {
        if (!item) return view;
        if (view.items.some((known) => known.id === id)) {
            const changed = patched(view, id, item);
            return { ...changed, items: sorted(changed.items) };
        }
        // A page that is loaded later has the item.
        const isBeyond = this.cursor !== null && view.items.length > 0 && isAbove(view.items.at(-1), item);
        const items = isBeyond ? view.items : sorted([...view.items, item]);
        return { ...view, items, total: view.total + 1, unreadCount: view.unreadCount + (isUnread(item) ? 1 : 0) };
    }

    // Events

    /**
     * Takes the counts and new ids of an event. Returns the need for a request: `replace` the list, `merge` the first page, or null.
     */
    notice(data, eventID, since = null) {
        this.lastEvent = { event: "inbox", id: eventID ?? null, data: { ...data, new: [], changed: [], reset: false } };
        const misses = this.#readPosition > 0 && since !== null && since > Math.max(this.#readPosition, this.#toldPosition ?? 0);
        if (Number.isInteger(data.position)) this.#toldPosition = data.position;
        if (!this.isLoaded) {
            this.#set({ ...this.base, unreadCount: data.unreadCount, total: data.total });
            return null;
        }
        const fresh = this.#fresh(data);
        const changed = texts(data.changed);
        if (changed.some((id) => this.#mayBeTold(id))) this.#sending.isTold = true;
        const elsewhere = changed.filter((id) => !this.#isEcho(id) && this.#isInRange(id));
        const fits = (known) => data.unreadCount === known.unreadCount + fresh.length && data.total === known.total + fresh.length;
        // The counts have a change already that waits for its answer. The answer brings them again.
        const isAhead = this.#pending.length > 0 && fits(this.view);
        const isFitting = isAhead || fits(this.base);
        if (!isAhead) this.#set({ ...this.base, unreadCount: data.unreadCount, total: data.total });
        // A change of all by this person is a reset too, because the event names only some items. The list has it already.
        const isOwn = changed.length > 0 && elsewhere.length === 0 && isFitting;
        if (data.reset && !isOwn) return "replace";
        for (const id of fresh) this.#news.set(id, data.position ?? 0);
        for (const id of elsewhere) this.#changedElsewhere.add(id);
        return elsewhere.length > 0 || !isFitting || data.reset || misses ? "merge" : null;
    }

    /** The new items of an event that are not known. A page that is younger than the event has them, or had them. */
    #fresh(data) {
        const isUnknown = (id) => !this.#news.has(id) && !this.#has(id);
        const ids = [...new Set(texts(data.new))];
        if (Number.isInteger(data.position) && this.#readPosition > 0) {
            return data.position > this.#readPosition ? ids.filter(isUnknown) : [];
        }
        return [...new Set([...ids, ...texts([data.newest])])].filter((id) => id > this.#watermark.id && isUnknown(id));
    }

    #has(id) {
        return this.base.items.some((item) => item.id === id);
    }

    /** Whether the event about this id tells of a change that this person made in this browser. An echo counts once. */
    #isEcho(id) {
        const until = this.#echoes.get(id);
        this.#echoes.delete(id);
        if (until !== undefined) return this.#clock.now() <= until;
        return this.#clock.now() <= this.#sweptUntil && !this.#has(id) && !this.#news.has(id);
    }

    /** Whether an event that names the id may tell of the change whose request is on its way. */
    #mayBeTold(named) {
        const { change } = this.#sending;
        if (!this.#pending.includes(change)) return false;
        if (!change.kind.endsWith("All")) return change.id === named;
        const item = this.base.items.find((known) => known.id === named);
        return item ? !isAbove(item, { id: change.id, position: change.position ?? 0 }) : !this.#news.has(named);
    }

    /** Whether a change of this id can alter the shown list. An id that the list does not have tells no place, if items have positions. */
    #isInRange(id) {
        const last = this.base.items.at(-1);
        return this.cursor === null || last === undefined || last.position > 0 || id >= last.id;
    }
}

const EMPTY = Object.freeze({ items: Object.freeze([]), total: 0, unreadCount: 0, permissionHint: null });

function isUnread(item) {
    return !item.isRead && item.state !== "dismissed";
}

/** A place below every item. */
const BOTTOM = Object.freeze({ position: 0, id: "" });

/** The place of an item in the list: its position, and its id for items of one position. */
function placeOf(item) {
    return item ? { position: item.position, id: item.id } : BOTTOM;
}

/**
 * Whether an item stands above another one: it arrived later. Without positions, as in a cache of an earlier version, the id decides. It
 * is a UUID of version 7, and tells when the notification was accepted.
 */
function isAbove(one, other) {
    return one.position === other.position ? one.id > other.id : one.position > other.position;
}

/** The uppermost first. */
function sorted(items) {
    return [...items].sort((a, b) => (isAbove(b, a) ? 1 : isAbove(a, b) ? -1 : 0));
}

function patched(view, id, patch) {
    const old = view.items.find((item) => item.id === id);
    if (!old) return view;
    const item = Object.freeze({ ...old, ...patch });
    const unreadCount = Math.max(0, view.unreadCount + Number(isUnread(item)) - Number(isUnread(old)));
    return { ...view, items: view.items.map((other) => (other === old ? item : other)), unreadCount };
}

function without(view, id) {
    const old = view.items.find((item) => item.id === id);
    if (!old) return view;
    const unreadCount = Math.max(0, view.unreadCount - Number(isUnread(old)));
    return { ...view, items: view.items.filter((item) => item !== old), total: Math.max(0, view.total - 1), unreadCount };
}

function requestFor({ kind, id, position, until }) {
    const item = `/api/notifications/${encodeURIComponent(id)}`;
    const bound = encodeURIComponent(position > 0 ? position : id);
    switch (kind) {
    case "readAll": return ["PATCH", `/api/notifications/read-all?before=${bound}`];
    case "removeAll": return ["DELETE", `/api/notifications?before=${bound}`];
    case "wake": return ["POST", `${item}/wake`];
    case "remove": return ["DELETE", item];
    case "undo": return ["POST", `${item}/undo`];
    case "snooze": return ["POST", `${item}/snooze`, { until }];
    case "dismiss": return ["PATCH", `${item}/dismissed`];
    default: return ["PATCH", `${item}/${kind}`];
    }
}

// MARK: Reading answers

function decodePage(body) {
    if (!Array.isArray(body?.notifications) || !Number.isInteger(body.total) || !Number.isInteger(body.unreadCount)) {
        throw new TidingsError("decoding");
    }
    return {
        items: body.notifications.map(decodeItem).filter((item) => item !== null),
        total: Math.max(0, body.total),
        unreadCount: Math.max(0, body.unreadCount),
        permissionHint: textOrNull(body.permissionHint),
        nextCursor: textOrNull(body.nextCursor),
        position: Number.isInteger(body.position) ? body.position : null,
    };
}

/** Reads the answer to a change: an item, counts, or both. */
function decodeAnswer(body) {
    const count = (value) => (Number.isInteger(value) ? Math.max(0, value) : undefined);
    if (count(body?.unreadCount) === undefined) throw new TidingsError("decoding");
    return { item: decodeItem(body.notification) ?? undefined, unreadCount: count(body.unreadCount), total: count(body.total) };
}

/** Reads an item. Returns null for one without an id. Missing members get plain values. */
function decodeItem(json) {
    if (typeof json?.id !== "string" || json.id === "") return null;
    const text = (value, otherwise = "") => (typeof value === "string" && value !== "" ? value : otherwise);
    return Object.freeze({
        id: json.id, type: text(json.type), title: text(json.title), body: text(json.body), data: decodeData(json.data),
        category: text(json.category), channel: text(json.channel), createdAt: text(json.createdAt),
        scheduledFor: textOrNull(json.scheduledFor), isRead: json.isRead === true,
        icon: text(json.icon, "bell.fill"), color: text(json.color, "gray"), deepLink: textOrNull(json.deepLink),
        imageURL: textOrNull(json.imageURL), groupKey: textOrNull(json.groupKey),
        state: text(json.state, json.isRead === true ? "read" : "delivered"),
        position: Number.isInteger(json.position) ? json.position : 0, snoozedUntil: textOrNull(json.snoozedUntil),
    });
}

/** Values that are not text become their JSON. */
function decodeData(json) {
    if (json === null || typeof json !== "object" || Array.isArray(json)) return Object.freeze({});
    const entries = Object.entries(json).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
    return Object.freeze(Object.fromEntries(entries));
}

function textOrNull(value) {
    return typeof value === "string" && value !== "" ? value : null;
}

function texts(values) {
    return Array.isArray(values) ? values.filter((value) => typeof value === "string" && value !== "") : [];
}

// MARK: Likes and unblur

/** The likes of a person, and the timer that shows them without blur. `inbox.likes` has it. */
export class TidingsLikes extends EventTarget {
    #api;
    #clock;
    #pageSize;
    #base = [];
    /** Actions without an answer: user id to status. */
    #pending = new Map();
    #cursor = null;
    #status = "idle";
    #error = null;
    #newLikes = 0;
    #features = null;
    #queue = Promise.resolve();
    #unblur;

    constructor(api, clock, pageSize) {
        super();
        this.#api = api;
        this.#clock = clock;
        this.#pageSize = pageSize;
        this.#unblur = new UnblurTimer(clock, () => this.#changed());
    }

    /** @returns {import("./tidings-inbox.js").LikesState} */
    get state() {
        const likes = this.#base.map((like) => ({ ...like, status: this.#pending.get(like.id) ?? like.status }));
        return Object.freeze({
            status: this.#status, likes, canLoadMore: this.#cursor !== null, error: this.#error, newLikes: this.#newLikes,
            features: this.#features, unblur: this.#unblur.state, isVisible: this.isVisible,
        });
    }

    /** Whether likes are shown without blur: the timer is active, or the blur feature is off. Until the features are known it is on. */
    get isVisible() {
        return this.#unblur.state.isActive || this.#features?.isBlurEnabled === false;
    }

    load() {
        this.#status = "loading";
        this.#changed();
        return this.#run(async () => this.#replace(await this.#page("")));
    }

    loadMore() {
        const cursor = this.#cursor;
        if (cursor === null) return Promise.resolve(true);
        return this.#run(async () => {
            const page = await this.#page(`&cursor=${encodeURIComponent(cursor)}`);
            if (cursor !== this.#cursor) return;
            this.#base = withoutRepeats([...this.#base, ...page.likes]);
            this.#cursor = page.cursor;
        });
    }

    /** Gets newer likes only and puts them first. If too many are missing, the server asks to replace the list. */
    sync() {
        const newest = this.#base[0]?.id;
        if (newest === undefined) return this.load();
        return this.#run(async () => {
            const page = await this.#page(`&since_id=${encodeURIComponent(newest)}`);
            if (page.isReset) return this.#replace(page);
            this.#base = withoutRepeats([...page.likes, ...this.#base]);
            this.#newLikes = 0;
        });
    }

    /** Likes (`like`) or passes (`pass`). Shown at once, taken back if it fails. */
    act(id, action) {
        this.#pending.set(id, action === "like" ? 1 : 2);
        this.#changed();
        const sent = this.#queue.then(() => this.#run(async () => {
            const status = action === "like" ? 1 : 2;
            try {
                await this.#api.send("POST", `/likes/${encodeURIComponent(id)}/action`, { action });
                this.#base = this.#base.map((like) => (like.id === id ? { ...like, status } : like));
            } finally {
                if (this.#pending.get(id) === status) this.#pending.delete(id);
            }
        }));
        this.#queue = sent;
        return sent;
    }

    loadFeatures() {
        return this.#run(async () => {
            const { body } = await this.#api.json("GET", "/configuration/features");
            if (typeof body?.is_blur_enabled !== "boolean") throw new TidingsError("decoding");
            this.#features = { isBlurEnabled: body.is_blur_enabled, refreshIntervalSeconds: Number(body.refresh_interval_sec) || 0 };
        });
    }

    startUnblur() {
        return this.#run(async () => this.#unblur.take(await this.#api.json("POST", "/unblur/start")));
    }

    loadUnblur() {
        return this.#run(async () => this.#unblur.take(await this.#api.json("GET", "/unblur/state")));
    }

    /** Forgets the person's likes. */
    clear() {
        [this.#base, this.#cursor, this.#status, this.#error, this.#newLikes] = [[], null, "idle", null, 0];
        this.#unblur.clear();
        this.#changed();
    }

    /** Counts likes that the stream told of. The list stays as it is until `sync`. */
    announce(count) {
        this.#newLikes += count;
        this.#changed();
    }

    async #page(query) {
        const { body } = await this.#api.json("GET", `/likes?limit=${this.#pageSize}${query}`);
        if (!Array.isArray(body?.data)) throw new TidingsError("decoding");
        return {
            likes: body.data.filter((like) => typeof like?.id === "string"),
            cursor: textOrNull(body.meta?.next_cursor),
            isReset: body.meta?.reset_required === true,
        };
    }

    #replace(page) {
        this.#base = withoutRepeats(page.likes);
        this.#cursor = page.cursor;
        this.#newLikes = 0;
        this.#status = "loaded";
    }

    async #run(step) {
        try {
            await step();
            this.#error = null;
            return true;
        } catch (error) {
            this.#error = TidingsError.from(error);
            if (this.#status === "loading") this.#status = "failed";
            return false;
        } finally {
            this.#changed();
        }
    }

    #changed() {
        this.dispatchEvent(new CustomEvent("change", { detail: this.state }));
    }
}

function withoutRepeats(likes) {
    return [...new Map(likes.map((like) => [like.id, like])).values()];
}

/** A timer that ends by the server's clock. The `Date` header of the answer tells how far the device's clock is off. */
class UnblurTimer {
    #clock;
    #ended;
    #timer = null;
    /** The end by the device's clock. */
    #endsAt = null;

    constructor(clock, ended) {
        this.#clock = clock;
        this.#ended = ended;
    }

    get state() {
        const left = this.#endsAt === null ? 0 : Math.max(0, this.#endsAt - this.#clock.now());
        return { isActive: left > 0, remainingSeconds: Math.ceil(left / 1000) };
    }

    clear() {
        this.#clock.clearTimeout(this.#timer);
        this.#endsAt = null;
    }

    take({ body, headers }) {
        const now = this.#clock.now();
        const served = Date.parse(headers.get("date") ?? "");
        const end = Date.parse(body?.expires_at ?? "");
        if (body?.is_active && Number.isNaN(end)) throw new TidingsError("decoding");
        this.clear();
        this.#endsAt = body?.is_active ? end - (Number.isNaN(served) ? 0 : served - now) : null;
        if (this.#endsAt !== null) this.#timer = this.#clock.setTimeout(() => this.#ended(), Math.max(0, this.#endsAt - now));
    }
}

// MARK: Event stream

/** The connection to the event stream. It connects again until it is closed or refused. */
class EventStream {
    #options;
    /** Ends the present connection. Null while there is none. */
    #abort = null;
    #timer = null;
    #watchdog = null;
    #isWanted = false;

    constructor(options) {
        this.#options = options;
    }

    open(isOnline = true) {
        if (this.#isWanted) return;
        this.#isWanted = true;
        if (isOnline) this.#connect();
        else this.#report("waiting");
    }

    close() {
        this.#isWanted = false;
        this.#disconnect();
    }

    /** Closes the connection until `resume`. */
    pause() {
        if (!this.#isWanted) return;
        this.#disconnect();
        this.#report("waiting");
    }

    /** Connects at once if the stream waits. */
    resume() {
        if (this.#isWanted && !this.#abort) this.#connect();
    }

    async #connect() {
        this.#disconnect();
        const abort = (this.#abort = new AbortController());
        this.#report("connecting");
        this.#watch();
        let delay = null;
        try {
            const last = this.#options.lastEventID();
            const headers = { accept: "text/event-stream", ...(last ? { "last-event-id": last } : {}) };
            const response = await this.#options.api.open("/api/notifications/stream", headers, abort.signal);
            if (abort.signal.aborted) return;
            this.#report("open");
            delay = await this.#read(response.body, abort.signal);
        } catch (error) {
            if (abort.signal.aborted) return;
            const failure = TidingsError.from(error);
            if (["unauthorized", "forbidden", "notFound", "invalid"].includes(failure.kind)) return this.#refuse(failure);
            if (failure.retryAfterSeconds !== null) delay = failure.retryAfterSeconds * 1000 + this.#draw();
        }
        if (!abort.signal.aborted) this.#wait(delay ?? this.#draw());
    }

    /** Reads until the stream ends. Returns the delay that the server asked for, or null. */
    async #read(body, signal) {
        const decoder = new TextDecoder();
        const parser = new EventParser();
        const reader = body.getReader();
        for (;;) {
            const { value, done } = await reader.read();
            if (done || signal.aborted) return parser.retry;
            this.#watch();
            this.#options.onRead();
            for (const event of parser.feed(decoder.decode(value, { stream: true }))) {
                if (event.event === "bye") return parser.retry;
                const data = parseJSON(event.data);
                if (data !== undefined && !signal.aborted) this.#options.onEvent({ ...event, data });
            }
        }
    }

    /** Ends a silent connection: a network that is gone without a word sends no error. */
    #watch() {
        this.#options.clock.clearTimeout(this.#watchdog);
        this.#watchdog = this.#options.clock.setTimeout(() => this.#wait(this.#draw()), limits.silence);
    }

    /** A random delay. The clients of a server that ended must not return all at once. */
    #draw() {
        return limits.shortestDelay + this.#options.random() * (limits.longestDelay - limits.shortestDelay);
    }

    #wait(asked) {
        this.#disconnect();
        if (!this.#isWanted) return;
        const delay = Math.max(limits.shortestDelay, asked);
        this.#timer = this.#options.clock.setTimeout(() => this.#connect(), delay);
        this.#report("waiting", delay / 1000);
    }

    #refuse(error) {
        this.close();
        this.#options.onChange({ connection: "refused", reconnectInSeconds: null }, error);
    }

    #report(connection, reconnectInSeconds = null) {
        this.#options.onChange({ connection, reconnectInSeconds });
    }

    #disconnect() {
        this.#options.clock.clearTimeout(this.#timer);
        this.#options.clock.clearTimeout(this.#watchdog);
        this.#abort?.abort();
        this.#abort = null;
    }
}

/** Reads `text/event-stream` piece by piece, as the HTML standard defines it. */
class EventParser {
    #line = "";
    #endedWithCR = false;
    #isFirst = true;
    #event = "";
    #data = [];
    #id = null;

    /** The delay of the last `retry`, in milliseconds. */
    retry = null;

    /** Returns the events that the piece completes. */
    feed(text) {
        const events = [];
        if (this.#isFirst && text.length > 0) {
            this.#isFirst = false;
            if (text.startsWith("\uFEFF")) text = text.slice(1);
        }
        // A line feed after a carriage return belongs to the line that ended already.
        if (this.#endedWithCR && text.startsWith("\n")) text = text.slice(1), (this.#endedWithCR = false);
        if (text.length > 0) this.#endedWithCR = text.endsWith("\r");
        const lines = (this.#line + text).split(/\r\n|\r|\n/);
        this.#line = lines.pop();
        if (this.#line.length > limits.streamLine) throw new TidingsError("decoding");
        for (const line of lines) {
            const event = this.#take(line);
            if (event) events.push(event);
        }
        return events;
    }

    #take(line) {
        if (line === "") return this.#dispatch();
        const colon = line.indexOf(":");
        const [name, rest] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)];
        const value = rest.startsWith(" ") ? rest.slice(1) : rest;
        if (name === "event") this.#event = value;
        else if (name === "data") this.#data.push(value);
        else if (name === "id" && !value.includes("\0")) this.#id = value;
        else if (name === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
        return null;
    }

    #dispatch() {
        const event = { event: this.#event || "message", id: this.#id || null, data: this.#data.join("\n") };
        const isEmpty = this.#data.length === 0 && event.event !== "bye";
        [this.#event, this.#data] = ["", []];
        return isEmpty ? null : event;
    }
}

// MARK: Tabs

/**
 * The tabs of one person. The tab that holds a lock leads: it has the connection and passes events on. If it ends, the browser gives the
 * lock to the next tab. Without Web Locks, or if nothing tells whose inbox it is, each tab has its own connection.
 *
 * Browsers freeze hidden tabs. A tab that is told so first gives the lock back. A frozen tab that was not told keeps it. So the leader tells
 * again and again that it works. If it is silent, a visible tab asks it, and then takes the lock away. The tab that thaws follows.
 */
class Tabs {
    #options;
    #channel = null;
    #leaving = null;
    /** Ends the wait for the lock, or the lead. */
    #turn = null;
    /** Resolves when the page thaws. Null while it is not frozen. */
    #thawed = null;
    #thaw = null;
    /** The time at which a timer ran, or a part of the stream came. A frozen page may still receive messages. */
    #workedAt = 0;
    /** The next sign of life of a leader, or the end of the patience of a follower. */
    #timer = null;
    #self = Math.random().toString(36).slice(2);

    isLeader = false;
    isFollower = false;

    constructor(options) {
        this.#options = {
            ...options,
            locks: options.locks === undefined ? globalThis.navigator?.locks : options.locks,
            channel: options.channel === undefined && globalThis.BroadcastChannel
                ? (name) => new BroadcastChannel(name) : options.channel,
            page: options.page === undefined ? globalThis.document : options.page,
        };
    }

    /** Joins the tabs. Calls `lead` when this tab has to connect, `resign` when it has to close the connection. */
    async join({ lead, resign }) {
        if (this.#leaving) return;
        const leaving = (this.#leaving = new AbortController());
        const needsKey = this.#options.locks || this.#options.channel;
        const key = needsKey ? await this.#options.key() : null;
        if (leaving.signal.aborted) return;
        if (key && this.#options.channel) this.#listen(`tidings-inbox:${key}`);
        if (!key || !this.#options.locks || !this.#channel) {
            this.isLeader = true;
            lead();
            return;
        }
        this.#attend();
        let takesAway = false;
        while (!leaving.signal.aborted) {
            if (this.#thawed) {
                await this.#thawed;
                continue;
            }
            const turn = { wasHeld: false, ending: new AbortController() };
            const end = () => turn.ending.abort();
            leaving.signal.addEventListener("abort", end);
            this.#follow(turn.ending);
            try {
                await this.#request(`tidings-inbox:${key}`, turn, takesAway, { lead, resign });
                takesAway = false;
            } catch {
                if (leaving.signal.aborted) return;
                // Another tab has taken the lock away, because this one was frozen.
                if (turn.wasHeld) resign();
                // The lock is refused, for example in a sandboxed frame.
                else if (takesAway || !turn.ending.signal.aborted) return this.#leadAlone(lead);
                takesAway = !turn.wasHeld && !this.#thawed;
            } finally {
                leaving.signal.removeEventListener("abort", end);
            }
        }
    }

    /** Waits for the lock, or takes it away. Leads while this tab has it. Rejects if the lock is refused, or taken away. */
    #request(name, turn, takesAway, { lead, resign }) {
        const ending = turn.ending.signal;
        return this.#options.locks.request(name, takesAway ? { steal: true } : { signal: ending }, () => {
            if (ending.aborted) return undefined;
            turn.wasHeld = true;
            return this.#hold(ending, lead, resign);
        });
    }

    #hold(ending, lead, resign) {
        [this.isFollower, this.isLeader] = [false, true];
        return new Promise((release) => {
            ending.addEventListener("abort", () => {
                [this.isFollower, this.isLeader] = [true, false];
                resign();
                release();
            });
            this.#beat();
            lead();
        });
    }

    #follow(ending) {
        [this.isFollower, this.isLeader, this.#turn] = [true, false, ending];
        this.post({ type: "hello" });
        this.#listenForLife();
    }

    /** Gives the lock back before the browser freezes the page, and joins again when it thaws. */
    #attend() {
        this.#options.page?.addEventListener?.("freeze", this.#freeze);
        this.#options.page?.addEventListener?.("resume", this.#resume);
    }

    #freeze = () => {
        this.#thawed ??= new Promise((thaw) => (this.#thaw = thaw));
        this.#options.clock.clearTimeout(this.#timer);
        this.#turn?.abort();
    };

    #resume = () => {
        this.#thaw?.();
        [this.#thawed, this.#thaw] = [null, null];
    };

    #leadAlone(lead) {
        this.#options.clock.clearTimeout(this.#timer);
        [this.isFollower, this.isLeader, this.#turn] = [false, true, null];
        lead();
    }

    /** A part of the stream has come, which is a sign of life of a leader. The timers of a hidden tab come late. */
    worked() {
        if (this.isLeader && this.#turn) this.#beat();
    }

    #beat() {
        this.#options.clock.clearTimeout(this.#timer);
        this.#workedAt = this.#options.clock.now();
        this.post({ type: "alive" });
        this.#timer = this.#options.clock.setTimeout(() => this.#beat(), limits.leaderBeat);
    }

    #listenForLife() {
        this.#options.clock.clearTimeout(this.#timer);
        this.#timer = this.#options.clock.setTimeout(() => this.#askForLife(), limits.leaderSilence);
    }

    /** A tab that was frozen itself finds the answer among its messages. A hidden tab needs no news. */
    #askForLife() {
        if (this.#options.page?.visibilityState === "hidden") return this.#listenForLife();
        this.post({ type: "hello" });
        this.#timer = this.#options.clock.setTimeout(() => this.#turn?.abort(), limits.leaderAnswer);
    }

    /** Only a leader that works answers. */
    #answerForLife() {
        if (this.#options.clock.now() - this.#workedAt <= limits.leaderPause) this.post({ type: "alive" });
    }

    leave() {
        this.#leaving?.abort();
        this.#leaving = null;
        this.#options.clock.clearTimeout(this.#timer);
        this.#options.page?.removeEventListener?.("freeze", this.#freeze);
        this.#options.page?.removeEventListener?.("resume", this.#resume);
        this.#resume();
        this.#channel?.close();
        this.#channel = null;
        [this.isFollower, this.isLeader, this.#turn] = [false, false, null];
    }

    post(message) {
        this.#channel?.postMessage({ v: 1, from: this.#self, ...message });
    }

    #listen(name) {
        this.#channel = this.#options.channel(name);
        this.#channel.onmessage = ({ data }) => {
            if (data?.v !== 1 || data.from === this.#self) return;
            if (this.isFollower && data.type === "alive") this.#listenForLife();
            if (this.isLeader && data.type === "hello") this.#answerForLife();
            this.#options.onMessage(data);
        };
    }
}

// MARK: Requests

/** A failed request. `message` is for people. */
export class TidingsError extends Error {
    constructor(kind, { status = null, retryAfterSeconds = null, problem = null, cause } = {}) {
        super(describe(kind, status, retryAfterSeconds, problem), { cause });
        this.name = "TidingsError";
        this.kind = kind;
        this.status = status;
        this.retryAfterSeconds = retryAfterSeconds;
        /** The problem document of the server (RFC 9457), or null. */
        this.problem = problem;
    }

    static from(error) {
        return error instanceof TidingsError ? error : new TidingsError("network", { cause: error });
    }
}

function describe(kind, status, retryAfterSeconds, problem) {
    const later = retryAfterSeconds === null ? "Try again later." : `Try again in ${retryAfterSeconds} s.`;
    switch (kind) {
    case "unauthorized": return "Your sign-in is not valid. Sign in again.";
    case "forbidden": return "You are not allowed to do this.";
    case "notFound": return "This notification no longer exists.";
    case "rateLimited": return `Too many requests. ${later}`;
    case "unavailable": return `The service is not available. ${later}`;
    case "invalid": return `The request was refused: ${problem?.detail ?? problem?.title ?? `status ${status}`}`;
    case "server": return `The service failed (status ${status}). Try again later.`;
    case "decoding": return "The answer of the service cannot be read.";
    case "tooManyReports": return "Too many reports are waiting for the network.";
    default: return "The service cannot be reached. Check your connection.";
    }
}

/** Requests with a token. A refused token is replaced once. */
class Requests {
    #base;
    #fetch;
    #provider;
    #clock;
    #token = null;
    #hasEnded = false;

    constructor({ baseURL, fetch, token }, clock) {
        if (typeof token !== "function") throw new TypeError("TidingsInbox needs `token`: an async function that returns a token");
        this.#base = String(baseURL ?? "").replace(/\/+$/, "");
        this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
        this.#provider = token;
        this.#clock = clock;
    }

    /** Sends a request and reads the JSON of its answer. */
    async json(method, path, body) {
        const answer = await this.send(method, path, body);
        const json = parseJSON(answer.text);
        if (json === undefined) throw new TidingsError("decoding");
        return { body: json, headers: answer.headers };
    }

    /** Sends a request and reads the text of its answer. */
    async send(method, path, body) {
        const abort = new AbortController();
        const timer = this.#clock.setTimeout(() => abort.abort(), limits.requestTimeout);
        try {
            const headers = { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) };
            const text = body === undefined ? undefined : JSON.stringify(body);
            const response = await this.#authorized(path, { method, headers, body: text, signal: abort.signal });
            const answer = { text: await response.text(), headers: response.headers };
            if (this.#hasEnded) throw new TidingsError("unauthorized");
            return answer;
        } finally {
            this.#clock.clearTimeout(timer);
        }
    }

    /** Opens a stream. The caller limits its time. */
    open(path, headers, signal) {
        return this.#authorized(path, { method: "GET", headers, signal });
    }

    currentToken() {
        // Callers at the same time share one call of the provider. A failed call is not kept.
        if (!this.#token) {
            const token = this.#askProvider();
            this.#token = token;
            token.catch(() => this.#drop(token));
        }
        return this.#token;
    }

    /** Ends all requests. An answer that is on its way is dropped. */
    end() {
        this.#hasEnded = true;
        this.#token = null;
    }

    async #askProvider() {
        let token;
        try {
            token = String(await this.#provider()).trim();
        } catch (error) {
            // `fetch` throws a TypeError if the provider's own service cannot be reached. Other errors mean: nobody is signed in.
            throw new TidingsError(error instanceof TypeError ? "network" : "unauthorized", { cause: error });
        }
        // No header can carry such a token. `fetch` would throw the error of a lost network.
        if (!/^[!-~]+$/.test(token)) throw new TidingsError("unauthorized");
        return token;
    }

    #drop(token) {
        if (this.#token === token) this.#token = null;
    }

    async #authorized(path, request) {
        for (let isSecond = false; ; isSecond = true) {
            if (this.#hasEnded) throw new TidingsError("unauthorized");
            const token = this.currentToken();
            const headers = { ...request.headers, authorization: `Bearer ${await token}` };
            const options = { ...request, headers, cache: "no-store", credentials: "omit", redirect: "error" };
            const response = await this.#fetch(this.#base + path, options);
            if (response.ok) return response;
            if (response.status === 401) this.#drop(token);
            const failure = await failureOf(response, this.#clock.now());
            if (response.status !== 401 || isSecond) throw failure;
        }
    }
}

async function failureOf(response, now) {
    const problem = parseJSON(await response.text().catch(() => "")) ?? null;
    const { status } = response;
    const kinds = { 401: "unauthorized", 403: "forbidden", 404: "notFound", 429: "rateLimited", 503: "unavailable" };
    const kind = kinds[status] ?? (status >= 400 && status < 500 ? "invalid" : "server");
    return new TidingsError(kind, { status, retryAfterSeconds: retryAfter(response.headers.get("retry-after"), now), problem });
}

/** Reads `Retry-After`: seconds, or a date. */
function retryAfter(value, now) {
    if (!value) return null;
    if (/^[0-9]+$/.test(value)) return Number(value);
    const date = Date.parse(value);
    return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

function parseJSON(text) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

/** Names the person of a JWT, for the cache and the tabs only. The server alone decides whether a token is valid. */
function personOf(token) {
    const payload = String(token).split(".")[1];
    if (!payload) return null;
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    const claims = parseJSON(new TextDecoder().decode(bytes));
    return claims?.sub ? JSON.stringify([claims.tenant ?? "default", claims.sub]) : null;
}

const systemClock = Object.freeze({
    now: () => Date.now(),
    setTimeout: (work, milliseconds) => setTimeout(work, milliseconds),
    clearTimeout: (timer) => clearTimeout(timer),
});

// MARK: Cache

/** The confirmed list of one person in a storage. A storage that fails or holds something else is no error: there is no cache then. */
class Cache {
    #storage;
    #key;
    #writing = Promise.resolve();

    constructor(storage, key) {
        this.#storage = storage;
        this.#key = key;
    }

    async read() {
        try {
            const key = await this.#key();
            const cached = key ? parseJSON(await this.#storage.get(`tidings-inbox:${key}`)) : null;
            if (cached?.version !== 1) return null;
            const { items, total, unreadCount, permissionHint } = decodePage({ ...cached, notifications: cached.items });
            return { items, total, unreadCount, permissionHint };
        } catch {
            return null;
        }
    }

    /** Writes in the order of the calls. */
    write(base) {
        const text = JSON.stringify({ version: 1, ...base, items: base.items.slice(0, limits.cachedItems) });
        this.#writing = this.#writing.then(() => this.#store((key) => this.#storage.set(key, text)));
    }

    clear() {
        this.#writing = this.#writing.then(() => this.#store((key) => this.#storage.remove(key)));
        return this.#writing;
    }

    async #store(work) {
        try {
            const key = await this.#key();
            if (key) await work(`tidings-inbox:${key}`);
        } catch {
            // A full or forbidden storage only costs the cache.
        }
    }
}

/** A storage that ends with the page. */
export function memoryStorage() {
    const texts = new Map();
    return {
        get: (key) => texts.get(key) ?? null,
        set: (key, text) => void texts.set(key, text),
        remove: (key) => void texts.delete(key),
    };
}

/** A storage that outlives the page. Call `forget` when the person signs out. */
export function browserStorage(storage = globalThis.localStorage) {
    return {
        get: (key) => storage.getItem(key),
        set: (key, text) => storage.setItem(key, text),
        remove: (key) => storage.removeItem(key),
    };
}

// MARK: Reports

/**
 * Reports that the server does not have yet, in the order of their next tries: receipts and events. They are in the storage too, and
 * outlive the page.
 *
 * Tabs of one person share the storage. Each tab adds and removes its own reports there, and sends at its start those that it finds. So two
 * tabs may send the same report, which the server counts once. If the reports of all tabs are more than the limit, the oldest ones of other
 * tabs leave the storage, and this tab tells of them: the page that had them may be closed.
 */
class ReportQueue {
    #options;
    #entries = [];
    /** Ids of entries that are done and may still be in the storage. */
    #done = new Set();
    #writing = Promise.resolve();
    #reading = null;
    #sending = null;
    /** The entries of the request on its way. The server may take them, so they are not given up meanwhile. */
    #batch = [];
    /** The pauses of all reports, and of the reports of a kind. A receipt has a pause of its own too. */
    #pauses;
    #eventLimit = limits.reportEvents;
    /** Whether the server refuses the person's token. */
    #isHeld = false;
    #hasEnded = false;
    #error = null;
    #isStored = true;

    constructor(options) {
        this.#options = options;
        this.#pauses = { all: new Pause(options), receipt: new Pause(options), event: new Pause(options) };
    }

    /** The number of reports that wait, the error of the last try, which the next success clears, and whether the last write succeeded. */
    get state() {
        return Object.freeze({ waiting: this.#entries.length, error: this.#error, isStored: this.#isStored });
    }

    /** Sends the reports of an earlier page. */
    open() {
        this.#read().then(() => this.#send());
    }

    /** Adds reports and tries to send them, unless there is a pause. Resolves to whether the server has them. */
    async add(reports) {
        if (this.#hasEnded) return false;
        const now = this.#options.clock.now();
        const newID = () => `${now.toString(36)}-${Math.random().toString(36).slice(2)}`;
        const [entries, refused] = [[], []];
        for (const report of reports) {
            const copy = writable(report, now);
            if (copy) entries.push(this.#entry({ id: newID(), addedAt: now, report: copy }));
            else refused.push(report);
        }
        this.#tell(refused, new TidingsError("invalid", { problem: { detail: "the report cannot be written as JSON" } }));
        this.#entries.push(...entries);
        this.#isHeld = false;
        this.#cut();
        this.#options.onChange();
        await this.#read();
        await Promise.all([this.#write(), this.#send()]);
        return refused.length === 0 && entries.every((entry) => entry.isAccepted);
    }

    #entry({ id, addedAt, report }) {
        return { id, addedAt, report, isAccepted: false, pause: new Pause(this.#options) };
    }

    /** Ends the pauses: the network is back. */
    resume() {
        this.#isHeld = false;
        this.#endPauses();
        this.open();
    }

    #endPauses() {
        for (const pause of Object.values(this.#pauses)) pause.end();
        for (const entry of this.#entries) entry.pause.end();
    }

    /** Ends the queue, and forgets the reports. */
    clear() {
        this.#hasEnded = true;
        this.#endPauses();
        [this.#entries, this.#error] = [[], null];
        this.#options.onChange();
        return this.#change(() => null);
    }

    // Sending

    /** Sends what is due. A call during a try joins it. */
    #send() {
        return (this.#sending ??= this.#sendAll());
    }

    async #sendAll() {
        await null; // the caller keeps the promise first
        try {
            for (;;) {
                this.#giveUpOld();
                const batch = this.#due();
                if (batch.length === 0) return;
                await this.#try(batch);
            }
        } finally {
            this.#sending = null;
        }
    }

    /** The next request: one receipt, or the first events. Empty if there are none, or if all of them wait for a pause. */
    #due() {
        if (this.#hasEnded || this.#isHeld) return [];
        const first = this.#entries.find((entry) => {
            return [this.#pauses.all, this.#pauses[kindOf(entry.report)], entry.pause].every((pause) => pause.isOver);
        });
        if (first === undefined) return [];
        if (first.report.receipt) return [first];
        const batch = [];
        let bytes = 0;
        for (const entry of this.#entries) {
            if (!entry.report.event) continue;
            bytes += new TextEncoder().encode(JSON.stringify(entry.report.event)).length;
            if (batch.length > 0 && (bytes > limits.reportBytes || batch.length >= this.#eventLimit)) break;
            batch.push(entry);
        }
        return batch;
    }

    async #try(batch) {
        this.#batch = batch;
        try {
            await this.#request(batch).finally(() => (this.#batch = []));
            for (const entry of batch) entry.isAccepted = true;
            this.#remove(batch);
            for (const name of ["all", kindOf(batch[0].report)]) this.#pauses[name].reset();
            [this.#eventLimit, this.#error] = [limits.reportEvents, null];
        } catch (error) {
            if (this.#hasEnded) return;
            this.#failed(batch, (this.#error = TidingsError.from(error)));
        }
        this.#options.onChange();
        await this.#write();
    }

    async #request(batch) {
        const { receipt } = batch[0].report;
        if (!receipt) return this.#options.api.json("POST", "/api/events", { events: batch.map((entry) => entry.report.event) });
        const { notificationId, deviceId } = receipt;
        return this.#options.api.send("POST", `/api/notifications/${encodeURIComponent(notificationId)}/receipt`, { deviceId });
    }

    #failed(batch, error) {
        const kind = kindOf(batch[0].report);
        const scope = pauseScope(error, kind);
        if (error.kind === "unauthorized") {
            this.#isHeld = true;
        } else if (scope !== null) {
            // Behind all others, so that a report on which the server always fails holds nothing up.
            const waiting = this.#entries.filter((entry) => batch.includes(entry));
            this.#entries = [...this.#entries.filter((entry) => !batch.includes(entry)), ...waiting];
            const pause = { all: this.#pauses.all, kind: this.#pauses[kind], receipt: batch[0].pause }[scope];
            pause.begin(error, () => this.#send());
        } else {
            const named = batch.filter((_, index) => refusedEvents(error).has(index));
            const refused = batch.length === 1 ? batch : named;
            if (refused.length === 0) this.#eventLimit = Math.max(1, Math.floor(batch.length / 2));
            this.#giveUp(refused, error);
        }
    }

    // Ends

    #remove(entries) {
        for (const { id, pause } of entries) {
            this.#done.add(id);
            pause.end();
        }
        this.#entries = this.#entries.filter((entry) => !this.#done.has(entry.id));
    }

    #giveUp(entries, error) {
        if (entries.length === 0) return;
        this.#remove(entries);
        this.#tell(entries.map((entry) => entry.report), error);
    }

    #tell(reports, error) {
        if (reports.length > 0) this.#options.onFailure({ reports, error });
    }

    #giveUpOld() {
        const earliest = this.#options.clock.now() - limits.reportAge;
        const old = this.#entries.filter((entry) => entry.addedAt < earliest);
        this.#giveUp(old, this.#error ?? new TidingsError("network"));
        if (old.length > 0) this.#write();
    }

    #cut() {
        const waiting = this.#entries.filter((entry) => !this.#batch.includes(entry));
        this.#giveUp(oldest(waiting, this.#entries.length - limits.reports), new TidingsError("tooManyReports"));
    }

    // Storage

    /** Reads the reports of earlier pages, until that has succeeded once. They come before those that were added since. */
    #read() {
        return (this.#reading ??= this.#stored().then((stored) => {
            if (stored === undefined) {
                this.#reading = null;
                return;
            }
            const known = new Set([...this.#done, ...this.#entries.map((entry) => entry.id)]);
            const missing = stored.filter((entry) => !known.has(entry.id)).map((entry) => this.#entry(entry));
            if (missing.length === 0 || this.#hasEnded) return;
            this.#entries = [...missing, ...this.#entries];
            this.#cut();
            this.#options.onChange();
        }));
    }

    /** The reports in the storage. Undefined if it cannot be read now, or if nothing tells yet whose reports they are. */
    async #stored() {
        try {
            const key = await this.#options.key();
            return key ? storedReports(await this.#options.storage.get(`tidings-reports:${key}`)) : undefined;
        } catch {
            return undefined;
        }
    }

    /** Adds this tab's reports to the storage, and removes those that are done. */
    async #write() {
        let surplus = [];
        const isStored = await this.#change((stored) => {
            // A report is done until a write has removed it. A write that fails leaves it in the storage.
            this.#done = new Set(stored.map((entry) => entry.id).filter((id) => this.#done.has(id)));
            const own = this.#entries.map(({ id, addedAt, report }) => ({ id, addedAt, report }));
            const ids = new Set([...this.#done, ...own.map((entry) => entry.id)]);
            const others = stored.filter((entry) => !ids.has(entry.id));
            surplus = oldest(others, others.length + own.length - limits.reports);
            return [...others.filter((entry) => !surplus.includes(entry)), ...own];
        });
        if (isStored) this.#tell(surplus.map((entry) => entry.report), new TidingsError("tooManyReports"));
    }

    /**
     * Changes the storage in the order of the calls, under a lock that all tabs share. Null removes everything. Resolves to whether the
     * storage has the change.
     */
    async #change(change) {
        const work = async () => {
            try {
                const key = await this.#options.key();
                if (!key) {
                    this.#done.clear();
                    return false;
                }
                const name = `tidings-reports:${key}`;
                const entries = change(storedReports(await this.#options.storage.get(name)));
                if (!entries?.length) await this.#options.storage.remove(name);
                else await this.#options.storage.set(name, JSON.stringify({ version: 1, reports: entries }));
                return true;
            } catch {
                // A full or forbidden storage only costs the reports that wait when the page ends.
                return false;
            }
        };
        const isStored = await (this.#writing = this.#writing.then(() => this.#locked(work)));
        if (isStored !== this.#isStored) {
            this.#isStored = isStored;
            this.#options.onChange();
        }
        return isStored;
    }

    async #locked(work) {
        const key = await this.#options.key().catch(() => null);
        if (!key || !this.#options.locks) return work();
        try {
            const { signal } = new AbortController();
            return await this.#options.locks.request(`tidings-reports:${key}`, { signal }, work);
        } catch {
            return work(); // the lock is refused, for example in a sandboxed frame
        }
    }
}

/** The wait after failed tries: of all reports, of the reports of a kind, or of one receipt. */
class Pause {
    #options;
    #timer = null;
    #failedTries = 0;

    constructor(options) {
        this.#options = options;
    }

    get isOver() {
        return this.#timer === null;
    }

    /** Begins the wait after a failed try. The chance keeps the pages of one outage from coming back at the same time. */
    begin({ retryAfterSeconds }, onEnd) {
        this.end();
        this.#failedTries += 1;
        const doubled = limits.shortestPause * 2 ** (Math.min(this.#failedTries, 20) - 1);
        const own = Math.min(doubled, limits.longestPause) * (1 + this.#options.random()) / 2;
        this.#timer = this.#options.clock.setTimeout(() => {
            this.#timer = null;
            onEnd();
        }, own + Math.min((retryAfterSeconds ?? 0) * 1000, limits.longestAsked));
    }

    /** Ends the wait. The next one is longer nevertheless. */
    end() {
        this.#options.clock.clearTimeout(this.#timer);
        this.#timer = null;
    }

    /** Ends the wait and the count of failed tries. */
    reset() {
        this.end();
        this.#failedTries = 0;
    }
}

/** Reads stored reports. Anything else than those is none. */
function storedReports(text) {
    const stored = parseJSON(text);
    if (stored?.version !== 1 || !Array.isArray(stored.reports)) return [];
    return stored.reports.filter((entry) =>
        typeof entry?.id === "string" && Number.isFinite(entry.addedAt) && (entry.report?.event ?? entry.report?.receipt));
}

/** So many of the oldest entries. None if the count is negative. */
function oldest(entries, count) {
    return [...entries].sort((a, b) => a.addedAt - b.addedAt).slice(0, Math.max(0, count));
}

/**
 * A copy of a report that a request and the storage can always hold. An event without a time gets the present one, so that the server knows
 * it again. Null if there is none: a report that throws at each try would hold up all others.
 */
function writable(report, now) {
    try {
        const copy = JSON.parse(JSON.stringify(report));
        if (copy.receipt) encodeURIComponent(copy.receipt.notificationId);
        else copy.event.at ??= new Date(now).toISOString();
        return copy;
    } catch {
        return null;
    }
}

/** Reports of a kind go to the same path of the server. */
function kindOf(report) {
    return report.receipt ? "receipt" : "event";
}

/**
 * The reports that wait for a pause after a request with reports of one kind: `all`, those of the `kind`, or the `receipt` alone. Null if
 * the error refuses the reports of the request, or the person's token.
 */
function pauseScope({ kind: error, status }, kind) {
    // The delivery may not have ended yet, which says nothing about other reports.
    if (kind === "receipt" && error === "unavailable") return "receipt";
    if (["network", "decoding", "unavailable", "server"].includes(error) || status === 408 || status === 425) return "all";
    // A receipt names its notification in the path.
    if (error === "unauthorized" || [400, 413, 422].includes(status) || kind === "receipt" && status === 404) return null;
    // A person may have had enough events for a day. Or the path or the token is wrong, or something before the server answers: then the
    // age of the reports ends the tries.
    return "kind";
}

/** The positions of the events that a refusal names, by pointers such as `/events/3/detail`. */
function refusedEvents({ problem }) {
    const errors = Array.isArray(problem?.errors) ? problem.errors : [];
    return new Set(errors.map((error) => /^\/events\/(\d+)(?:\/|$)/.exec(error?.pointer ?? "")?.[1]).filter(Boolean).map(Number));
}

// MARK: Pushes

/** Reads a push payload. Anything that the library does not know becomes `unknown` with a reason. */
export function parsePush(payload) {
    const unknown = (reason, type = null) => ({ kind: "unknown", reason, type });
    if (payload === null || payload === undefined) return unknown("missing");
    if (typeof payload !== "object" || Array.isArray(payload)) return unknown("malformed");
    if (Object.keys(payload).every((name) => name === "aps")) return unknown("missing");
    const { aps, type } = payload;
    if (typeof type !== "string" || type === "") return unknown("malformed");
    const known = { metadata: readMetadata, downloadReady: readDownload, localPlan: () => ({ kind: "localPlan" }) }[type];
    if (known) return known(payload) ?? unknown("malformed", type);
    if (aps?.alert) return readVisible(payload) ?? unknown("malformed", type);
    return unknown("unknownType", type);
}

function readMetadata({ file }) {
    const { fileId, key, title = null, publishDate = null, size = null, url = null } = file ?? {};
    const areTexts = [title, publishDate, url].every((value) => value === null || typeof value === "string");
    const isComplete = typeof fileId === "string" && fileId !== "" && typeof key === "string" && key !== "";
    const isDate = publishDate === null || /^\d{4}-\d{2}-\d{2}$/.test(publishDate);
    if (!isComplete || !areTexts || !isDate || (size !== null && !(Number.isInteger(size) && size >= 0))) return null;
    return { kind: "metadata", file: { fileId, key, title, publishDate, size, url } };
}

function readDownload({ fileId, url }) {
    if (typeof fileId !== "string" || fileId === "" || typeof url !== "string" || !/^https:\/\/[^/]/.test(url)) return null;
    return { kind: "downloadReady", fileId, url };
}

function readVisible({ aps, id, type, category, createdAt, data }) {
    if (typeof id !== "string" || id === "") return null;
    const alert = typeof aps.alert === "string" ? { body: aps.alert } : aps.alert;
    return {
        kind: "notification", id, type, title: alert.title ?? "", body: alert.body ?? "",
        badge: Number.isInteger(aps.badge) ? aps.badge : null,
        category: textOrNull(category), createdAt: textOrNull(createdAt), data: decodeData(data),
    };
}

// MARK: Local plans

/**
 * Compares the notifications that an app has planned with an answer of `GET /api/local-notifications`, for apps in a web view that show
 * local notifications. At most 64 stay planned, the soonest.
 * @param {import("./tidings-inbox.js").LocalPlan} plan
 * @param {import("./tidings-inbox.js").LocalPlanAnswer} answer
 * @param {number} now the device's time in milliseconds
 */
export function reconcileLocalPlan(plan, answer, now = Date.now()) {
    const pending = plan.planned.filter((entry) => entry.firesAt > now);
    if (!answer.reset && plan.version !== null && answer.version < plan.version) {
        return { version: plan.version, planned: pending, add: [], remove: [], acknowledge: null };
    }
    const removed = new Set(answer.removed);
    const kept = answer.reset ? [] : pending.filter((entry) => !removed.has(entry.request.identifier));
    const entries = new Map(kept.map((entry) => [entry.request.identifier, entry]));
    for (const request of answer.requests) entries.set(request.identifier, { request, firesAt: fireTime(request.trigger, now) });
    const planned = [...entries.values()].sort(bySoonest).slice(0, limits.localPlan);
    const identifiers = new Set(planned.map((entry) => entry.request.identifier));
    const fresh = new Set(answer.requests.map((request) => request.identifier));
    return {
        version: answer.version,
        planned,
        add: planned.map((entry) => entry.request).filter((request) => fresh.has(request.identifier)),
        remove: pending.map((entry) => entry.request.identifier).filter((identifier) => !identifiers.has(identifier)),
        acknowledge: answer.version,
    };
}

function bySoonest(a, b) {
    return a.firesAt - b.firesAt || (a.request.identifier < b.request.identifier ? -1 : 1);
}

/** Calendar triggers are in the device's own time zone. */
function fireTime(trigger, now) {
    if (trigger.type === "timeInterval") return now + trigger.seconds * 1000;
    const { year, month, day, hour, minute } = trigger.dateComponents;
    return new Date(year, month - 1, day, hour, minute).getTime();
}
