/** Types of `tidings-inbox.js`. */

/** Limits. Times are in milliseconds. */
export declare const limits: Readonly<{
    pageSize: number;
    largestPage: number;
    requestTimeout: number;
    silence: number;
    shortestDelay: number;
    longestDelay: number;
    streamLine: number;
    echo: number;
    settled: number;
    cachedItems: number;
    localPlan: number;
    reports: number;
    reportEvents: number;
    reportBytes: number;
    reportAge: number;
    shortestPause: number;
    longestPause: number;
    longestAsked: number;
    leaderBeat: number;
    leaderSilence: number;
    leaderAnswer: number;
}>;

export interface TidingsInboxOptions {
    /** Address of the API, such as `https://api.example`. Empty: the page's own origin. */
    baseURL: string;
    /**
     * Returns the person's token. The library keeps a token in memory until the server refuses it, and then asks once more. Throw an error
     * if nobody is signed in. White space around the token does not count.
     */
    token: () => Promise<string>;
    /** Default: the browser's `fetch`. */
    fetch?: typeof fetch;
    /** Place of the offline cache, and of the reports that wait. Default: memory. */
    storage?: InboxStorage;
    /**
     * Stable name of the person. Default: `tenant` and `sub` of the token, if it is a JWT. Only a hash of it leaves the library. If nothing
     * tells whose inbox it is, there is no cache, and each tab has its own connection. The same holds without HTTPS, where browsers have
     * neither hashes nor locks.
     */
    person?: string;
    /** Items of a page, 1 to 100. Default: 20. */
    pageSize?: number;
    clock?: InboxClock;
    /** Returns a random number from 0 to 1. */
    random?: () => number;
    /** Web Locks, for one connection per browser. `null`: each tab has its own connection. */
    locks?: Pick<LockManager, "request"> | null;
    /** Opens the channel between tabs. `null`: tabs do not tell each other about changes. */
    channel?: ((name: string) => Pick<BroadcastChannel, "postMessage" | "close" | "onmessage">) | null;
    /** The page, which is told before the browser freezes it. `null`: nothing tells. */
    page?: (EventTarget & { visibilityState?: string }) | null;
}

/** The key has only a hash of the person. The text has the person's items or reports. */
export interface InboxStorage {
    get(key: string): string | null | Promise<string | null>;
    set(key: string, text: string): void | Promise<void>;
    remove(key: string): void | Promise<void>;
}

export interface InboxClock {
    /** Time in milliseconds since 1970. */
    now(): number;
    setTimeout(work: () => void, milliseconds: number): unknown;
    clearTimeout(timer: unknown): void;
}

/** A storage that ends with the page. */
export declare function memoryStorage(): InboxStorage;

/** A storage that outlives the page. Call `forget` when the person signs out. Default: `localStorage`. */
export declare function browserStorage(storage?: Storage): InboxStorage;

export interface InboxItem {
    readonly id: string;
    readonly type: string;
    readonly title: string;
    readonly body: string;
    /** Values that were not text are their JSON. */
    readonly data: Readonly<Record<string, string>>;
    readonly category: string;
    readonly channel: string;
    /** RFC 3339, UTC. */
    readonly createdAt: string;
    readonly scheduledFor: string | null;
    readonly isRead: boolean;
    /** Name of an SF symbol; `bell.fill` if the server names none. */
    readonly icon: string;
    /** Name of a colour in lower case; `gray` if the server names none. */
    readonly color: string;
    readonly deepLink: string | null;
    readonly imageURL: string | null;
    readonly groupKey: string | null;
    readonly state: "delivered" | "read" | "dismissed" | (string & {});
    /** The place in the list: the item with the higher position stands above. 0 if it is not known. */
    readonly position: number;
    /** The end of the snooze, RFC 3339. Null for an item that is not snoozed. */
    readonly snoozedUntil: string | null;
}

/** `refused`: the server does not accept the token. Call `start` again after a sign-in. */
export type Connection = "stopped" | "connecting" | "open" | "waiting" | "refused";

export type LoadStatus = "idle" | "loading" | "loaded" | "failed";

/** An immutable snapshot. */
export interface InboxState {
    /** Of the first page. `failed` keeps the items. */
    readonly status: LoadStatus;
    /** The last arrival first. */
    readonly items: readonly InboxItem[];
    readonly total: number;
    readonly unreadCount: number;
    /** Empty for 0, `99+` above 99. */
    readonly badge: string;
    readonly canLoadMore: boolean;
    readonly isLoadingMore: boolean;
    /** Items that arrived and are not shown yet. `showNew` shows them. */
    readonly newItems: number;
    readonly permissionHint: "openSettings" | (string & {}) | null;
    /** Of the last load or change. The next success clears it. An open stream clears `network` and `unavailable`. */
    readonly error: TidingsError | null;
    readonly connection: Connection;
    /** Delay that was drawn when the connection became `waiting`. Null while it waits for the network. */
    readonly reconnectInSeconds: number | null;
    readonly reports: ReportQueueState;
    readonly isOnline: boolean;
    /** Whether this tab has the connection. */
    readonly isLeader: boolean;
}

export interface ReportQueueState {
    /** Reports that the server does not have yet. */
    readonly waiting: number;
    /** The error of the last try. The next success clears it. */
    readonly error: TidingsError | null;
    /** False if `storage` does not have the last change: then the reports that wait are lost when the page ends. */
    readonly isStored: boolean;
}

export interface InboxEventMap {
    change: CustomEvent<InboxState>;
    /** The number of new items that are not shown yet. */
    newitems: CustomEvent<number>;
    /** The number of new likes that are not in the list yet. */
    newlikes: CustomEvent<number>;
    /** Reports that are given up, and why. They are not sent again. */
    reportfailed: CustomEvent<ReportFailure>;
}

/** Snoozed items, the soonest end first. `total` is the number of all. */
export interface SnoozedPage {
    readonly items: readonly InboxItem[];
    readonly total: number;
    /** For the next page. Null on the last one. */
    readonly nextCursor: string | null;
}

/** The inbox of one person. No method rejects: each resolves to whether it succeeded, and `state.error` has the error. */
export declare class TidingsInbox extends EventTarget {
    constructor(options: TidingsInboxOptions);

    readonly state: InboxState;
    readonly likes: TidingsLikes;

    /** Calls the listener at once and after each change. Returns the function that ends this. */
    subscribe(listener: (state: InboxState) => void): () => void;

    /** Loads the first page. Before the first answer, the list shows the cache. */
    load(): Promise<boolean>;
    /** Puts the first page in the list's place. Joins a load that is on its way. */
    refresh(): Promise<boolean>;
    /** Shows the new items: puts the first page in the list's place. */
    showNew(): Promise<boolean>;
    /** Appends the next page. */
    loadMore(): Promise<boolean>;

    markRead(id: string): Promise<boolean>;
    markUnread(id: string): Promise<boolean>;
    markSeen(id: string): Promise<boolean>;
    /** Marks the uppermost shown item and all below it as read. */
    markAllRead(): Promise<boolean>;
    /** Deletes. `undo` brings the item back for 10 minutes. */
    remove(id: string): Promise<boolean>;
    /** Deletes the uppermost shown item and all below it. */
    removeAll(): Promise<boolean>;
    /** Takes back a delete or a dismissal. */
    undo(id: string): Promise<boolean>;
    /** The item stays listed and no longer counts as unread. */
    dismiss(id: string): Promise<boolean>;
    /** Hides the item until a time, at most a year ahead. Then it arrives anew, on top and unread. */
    snooze(id: string, until: Date | string): Promise<boolean>;
    /** Ends a snooze. The item is then on top of the list. */
    wake(id: string): Promise<boolean>;
    /** Resolves to a page of the snoozed items, or to null after a failure. The list stays as it is. */
    snoozed(cursor?: string): Promise<SnoozedPage | null>;

    /** Opens the event stream, once for all tabs of the browser, and keeps it open until `stop`. */
    start(): void;
    /** Closes the event stream. Another tab takes it over. */
    stop(): void;
    /** Ends this inbox, and removes the person's items and reports from memory and storage. Call it when the person signs out. */
    forget(): Promise<void>;
    /** Tells whether the device has a network. Browsers' `online` and `offline` events call it. */
    setOnline(isOnline: boolean): void;

    /** Reads a push payload. An unknown one is reported to the server. */
    handlePush(payload: unknown): Promise<Push>;
    /**
     * Reports engagement events. Resolves to whether the server has them after the first try. Events that the server cannot take yet wait
     * and are sent again. `reportfailed` tells of refused ones, and of anything that cannot be written as JSON.
     */
    report(events: EngagementEvent[]): Promise<boolean>;
    /** Confirms that a push reached this device. Resolves, waits and fails as `report` does. */
    confirmReceipt(notificationId: string, deviceId: string): Promise<boolean>;

    addEventListener<Name extends keyof InboxEventMap>(
        type: Name, listener: (event: InboxEventMap[Name]) => void, options?: boolean | AddEventListenerOptions,
    ): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
}

/** The server stores the same event once, however often it comes. */
export interface EngagementEvent {
    type: "received" | "displayed" | "opened" | "dismissed" | "action" | "unknownPayload" | (string & {});
    notificationId?: string;
    /** As the registration of the device answered. */
    deviceId?: string;
    /** RFC 3339. Default: now. */
    at?: string | null;
    /** Short facts without personal data: at most 20, of at most 256 characters, and 2 KiB as JSON. */
    detail?: Record<string, string>;
}

export type Report = { event: EngagementEvent } | { receipt: { notificationId: string; deviceId: string } };

export interface ReportFailure {
    reports: Report[];
    /** The refusal of the server, `tooManyReports` if queue or storage was full, or the last error of reports that became too old. */
    error: TidingsError;
}

export type ErrorKind =
    "unauthorized" | "forbidden" | "notFound" | "rateLimited" | "unavailable" | "invalid" | "server" | "network" | "decoding"
    | "tooManyReports";

/** A failed request. `message` is for people. */
export declare class TidingsError extends Error {
    readonly kind: ErrorKind;
    readonly status: number | null;
    readonly retryAfterSeconds: number | null;
    /** The problem document of the server (RFC 9457), or null. */
    readonly problem: Problem | null;
}

export interface Problem {
    type?: string;
    title?: string;
    status?: number;
    detail?: string;
    instance?: string;
    errors?: { pointer: string; detail: string; code: string }[];
    /** The share that is used up, of an answer 429. */
    share?: { of: string; unit: string; used: number; limit: number; perSecond?: number };
}

export interface Like {
    /** User id of the person who likes. */
    readonly id: string;
    readonly name: string | null;
    readonly photoURL: string | null;
    /** 0 incoming, 1 mutual, 2 passed. */
    readonly status: 0 | 1 | 2;
    readonly createdAt: string;
    readonly serverIsBlurred: boolean;
}

export interface LikesState {
    readonly status: LoadStatus;
    /** Newest first, of every status. */
    readonly likes: readonly Like[];
    readonly canLoadMore: boolean;
    readonly error: TidingsError | null;
    /** Likes that the stream told of and that are not in the list yet. */
    readonly newLikes: number;
    readonly features: { readonly isBlurEnabled: boolean; readonly refreshIntervalSeconds: number } | null;
    readonly unblur: { readonly isActive: boolean; readonly remainingSeconds: number };
    /** Whether likes are shown without blur. */
    readonly isVisible: boolean;
}

/** The likes of a person. `inbox.likes` has it. It dispatches `change` with the state. No method rejects. */
export declare class TidingsLikes extends EventTarget {
    private constructor();
    readonly state: LikesState;
    readonly isVisible: boolean;
    load(): Promise<boolean>;
    loadMore(): Promise<boolean>;
    /** Gets newer likes only. If too many are missing, the list is replaced. */
    sync(): Promise<boolean>;
    act(id: string, action: "like" | "pass"): Promise<boolean>;
    loadFeatures(): Promise<boolean>;
    startUnblur(): Promise<boolean>;
    loadUnblur(): Promise<boolean>;
    /** Forgets the person's likes. */
    clear(): void;
}

export type Push =
    | { kind: "notification"; id: string; type: string; title: string; body: string; badge: number | null;
        category: string | null; createdAt: string | null; data: Readonly<Record<string, string>>; }
    | { kind: "metadata"; file: { fileId: string; key: string; title: string | null; publishDate: string | null; size: number | null;
        url: string | null; }; }
    | { kind: "downloadReady"; fileId: string; url: string }
    | { kind: "localPlan" }
    | { kind: "unknown"; reason: "missing" | "malformed" | "unknownType"; type: string | null };

/** Reads a push payload. Anything that the library does not know is `unknown`. */
export declare function parsePush(payload: unknown): Push;

export type LocalTrigger =
    | { type: "calendar"; dateComponents: { year: number; month: number; day: number; hour: number; minute: number }; repeats: boolean }
    | { type: "timeInterval"; seconds: number; repeats: boolean };

export interface LocalRequest {
    identifier: string;
    title: string;
    body: string;
    sound: string;
    userInfo: Record<string, string>;
    threadIdentifier: string;
    trigger: LocalTrigger;
}

/** The answer of `GET /api/local-notifications`. */
export interface LocalPlanAnswer {
    version: number;
    reset: boolean;
    requests: LocalRequest[];
    removed: string[];
}

/** The notifications that an app has planned, the soonest first. `firesAt` is in milliseconds since 1970. */
export interface LocalPlan {
    version: number | null;
    planned: { request: LocalRequest; firesAt: number }[];
}

export interface LocalPlanChange extends LocalPlan {
    /** Plan these, in place of a planned one with the same identifier. */
    add: LocalRequest[];
    /** Take these back. */
    remove: string[];
    /** Confirm this version with `POST /api/local-notifications/ack`. Null: confirm nothing. */
    acknowledge: number | null;
}

/** Compares the notifications that an app has planned with an answer of the server. At most 64 stay planned, the soonest. */
export declare function reconcileLocalPlan(plan: LocalPlan, answer: LocalPlanAnswer, now?: number): LocalPlanChange;
