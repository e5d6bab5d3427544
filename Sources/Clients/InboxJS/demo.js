/** A page that shows a person's inbox live. It shows how an app uses `tidings-inbox.js`, and is served by `tidings dev` only. */

import { TidingsInbox } from "/inbox/v1/tidings-inbox.js";
import { iconElement } from "/demo/icons.js";

const element = (id) => document.getElementById(id);

/** The inbox of the signed-in person. Null while nobody is signed in. */
let inbox = null;

/** The offer to undo a deletion. It stands behind the entry that has the focus, so that the next Tab reaches it. */
const toast = element("toast");
/** The last deletion, as `{id, text}`: an undo by the keyboard outlives the toast. Null if there is none. */
let deletion = null;

// MARK: Sign-in

/** Takes a token from the address, such as `/demo#token=eyJ…`, and removes it from there and from the history. */
function takeTokenFromAddress() {
    const fragment = location.hash.slice(1);
    if (fragment === "") return null;
    history.replaceState(null, "", location.pathname + location.search);
    return new URLSearchParams(fragment).get("token") ?? fragment;
}

function signIn(token) {
    leave();
    inbox = new TidingsInbox({ baseURL: "", token: async () => token });
    inbox.addEventListener("newitems", announceNew);
    inbox.subscribe(render);
    inbox.load();
    inbox.start();
}

/** Removes everything of the person from the page and from the library. */
function leave() {
    const left = inbox;
    inbox = null;
    left?.forget();
    deletion = null;
    closeToast();
    element("list").replaceChildren();
}

/** Leaves the inbox and asks for a token. */
function signOut(refusal = "") {
    leave();
    showSignIn(refusal);
}

/** Shows the form, and nothing of an inbox. A refusal stands beside the field that has to change. */
function showSignIn(refusal) {
    for (const id of ["actions", "inbox", "show-new", "hint", "badge", "error"]) element(id).hidden = true;
    element("error").textContent = "";
    element("sign-in").hidden = false;
    element("token-error").textContent = refusal;
    element("token-error").hidden = refusal === "";
    element("token").setAttribute("aria-invalid", String(refusal !== ""));
    element("connection").textContent = refusal === "" ? "Not connected" : "The token was refused";
    element("connection").dataset.connection = refusal === "" ? "stopped" : "refused";
    document.title = "Inbox · Tidings";
    element("token").focus();
}

/** Returns the reason why the server does not accept the token, in its own words if it has any. Null if it accepts the token. */
function refusalIn({ connection, error }) {
    if (connection !== "refused" && error?.kind !== "unauthorized") return null;
    return error?.problem?.detail ?? error?.message ?? "The server does not accept this token.";
}

// MARK: Rendering

/** Draws a state. The page keeps nothing that the state has. */
function render(state) {
    if (inbox === null) return;
    const refusal = refusalIn(state);
    if (refusal !== null) return signOut(refusal);
    element("sign-in").hidden = true;
    element("actions").hidden = false;
    element("inbox").hidden = false;
    renderCounts(state);
    renderList(state.items);
    element("connection").textContent = connectionText(state);
    element("connection").dataset.connection = state.connection;
    element("error").hidden = state.error === null;
    // A live region speaks again if the same text is set again.
    if (element("error").textContent !== (state.error?.message ?? "")) element("error").textContent = state.error?.message ?? "";
    element("hint").hidden = state.permissionHint !== "openSettings";
    element("empty").hidden = state.status !== "loaded" || state.items.length > 0;
    element("loading").hidden = state.status !== "loading" && !state.isLoadingMore;
    element("load-more").hidden = !state.canLoadMore;
    element("read-all").disabled = state.unreadCount === 0;
    keepFocus();
}

/** Passes the focus of a control on that was just disabled or hidden: the keyboard would begin at the top of the page again. */
function keepFocus() {
    const { activeElement } = document;
    if (activeElement === element("read-all") && activeElement.disabled) element("refresh").focus();
    if (activeElement === element("load-more") && activeElement.hidden) focusEntry(element("list").lastElementChild);
}

function renderCounts({ badge, unreadCount, newItems, items, status }) {
    element("badge").hidden = badge === "";
    element("badge").textContent = badge;
    element("badge").setAttribute("aria-label", `${unreadCount} unread`);
    document.title = badge === "" ? "Inbox · Tidings" : `(${badge}) Inbox · Tidings`;
    element("show-new").hidden = newItems === 0;
    element("show-new").textContent = `${newItems} new`;
    // The list never moves under a reader. An empty list and a hidden page have none.
    if (newItems > 0 && status === "loaded" && (items.length === 0 || document.hidden)) queueMicrotask(() => inbox?.showNew());
}

function connectionText({ connection, reconnectInSeconds, isOnline, isLeader }) {
    if (!isOnline) return "Offline";
    switch (connection) {
    case "open": return isLeader ? "Live" : "Live through another tab";
    case "connecting": return "Connecting…";
    case "waiting": return reconnectInSeconds === null ? "Waiting for the network" : `Connecting again in ${Math.ceil(reconnectInSeconds)} s`;
    default: return "Not connected";
    }
}

/** Updates, moves, adds and removes entries by id, so that the focus stays where it is. */
function renderList(items) {
    const list = element("list");
    const known = new Map([...list.children].map((entry) => [entry.dataset.id, entry]));
    const ids = new Set(items.map((item) => item.id));
    for (const [id, entry] of known) if (!ids.has(id)) removeEntry(entry);
    items.forEach((item, index) => {
        const entry = known.get(item.id) ?? makeEntry(item.id);
        renderEntry(entry, item);
        if (list.children[index] !== entry) list.insertBefore(entry, list.children[index] ?? null);
    });
}

/** Removes an entry. Its neighbour takes the toast and the focus, which would be lost. */
function removeEntry(entry) {
    const neighbour = entry.nextElementSibling ?? entry.previousElementSibling;
    if (entry.contains(toast)) placeToast(neighbour);
    if (entry.contains(document.activeElement)) focusEntry(neighbour);
    entry.remove();
}

/** Gives the focus to an entry, or to the heading if there is none. */
function focusEntry(entry) {
    (entry?.querySelector(".delete") ?? element("heading")).focus();
}

function makeEntry(id) {
    const entry = element("item").content.firstElementChild.cloneNode(true);
    entry.dataset.id = id;
    entry.querySelector(".title").id = `title-${id}`;
    entry.querySelector(".read").addEventListener("click", () => toggleRead(id));
    entry.querySelector(".delete").addEventListener("click", () => remove(entry));
    for (const button of entry.querySelectorAll("button")) button.setAttribute("aria-describedby", `title-${id}`);
    return entry;
}

function renderEntry(entry, item) {
    if (entry.item === item) return;
    entry.item = item;
    entry.dataset.unread = String(!item.isRead && item.state !== "dismissed");
    entry.querySelector(".icon").dataset.color = item.color;
    entry.querySelector(".icon").replaceChildren(iconElement(item.icon));
    entry.querySelector(".title").textContent = item.title || item.type;
    entry.querySelector(".body").textContent = item.body;
    entry.querySelector(".read").textContent = item.isRead ? "Mark as unread" : "Mark as read";
    const time = entry.querySelector("time");
    time.dateTime = item.createdAt;
    time.title = new Date(item.createdAt).toLocaleString();
    time.textContent = relativeTime(item.createdAt);
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

function relativeTime(text) {
    const seconds = (Date.parse(text) - Date.now()) / 1000;
    if (Number.isNaN(seconds)) return "";
    const units = [["day", 86_400], ["hour", 3_600], ["minute", 60]];
    const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
    return unit === "second" ? "now" : relative.format(Math.trunc(seconds / size), unit);
}

function renderTimes() {
    for (const time of document.querySelectorAll("#list time")) time.textContent = relativeTime(time.dateTime);
}

// MARK: Actions

function toggleRead(id) {
    const item = inbox.state.items.find((item) => item.id === id);
    if (item?.isRead) inbox.markUnread(id);
    else inbox.markRead(id);
}

async function remove(entry) {
    const { id, title, type } = entry.item;
    deletion = { id, text: `Deleted: ${title || type}` };
    showToast(entry);
    // The entry leaves the list at once, and passes the toast and the focus on.
    const isDone = await inbox.remove(id);
    if (isDone || deletion?.id !== id) return;
    deletion = null;
    closeToast();
}

/** Takes the last deletion back. The entry is in the list before the answer, and gets the focus. */
async function undo() {
    const undone = deletion;
    if (undone === null) return;
    deletion = null;
    const sent = inbox.undo(undone.id);
    const entry = [...element("list").children].find((entry) => entry.dataset.id === undone.id);
    if (entry) focusEntry(entry);
    closeToast();
    if (await sent) return announce("The notification is back.");
    // Without an answer the entry is gone again. The person may try again.
    if (inbox === null || deletion !== null || inbox.state.error?.kind === "notFound") return;
    deletion = undone;
    showToast(document.activeElement.closest(".item"));
}

const toastSeconds = 20;
let toastTimer = null;

/** Shows the last deletion behind an entry, or behind the heading. */
function showToast(entry) {
    element("toast-text").textContent = deletion.text;
    toast.hidden = false;
    placeToast(entry);
    announce(`${deletion.text}. Undo is the next control, or press Control Z.`);
    keepToast();
}

/** Moves the toast behind the controls of an entry, or behind the heading. An element that moves loses the focus. */
function placeToast(entry) {
    const focused = toast.contains(document.activeElement) ? document.activeElement : null;
    if (entry) entry.append(toast);
    else element("heading").after(toast);
    focused?.focus();
}

/** Starts the toast's time again. A toast that has the focus or the pointer stays. */
function keepToast() {
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => {
        if (toast.matches(":hover, :focus-within")) keepToast();
        else closeToast();
    }, toastSeconds * 1000);
}

function closeToast() {
    clearTimeout(toastTimer);
    if (toast.contains(document.activeElement)) focusEntry(toast.closest(".item"));
    toast.hidden = true;
    placeToast(null);
}

/** Undoes by Control Z or Command Z, except in a field for text, which has an undo of its own. */
function undoByKey(event) {
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key?.toLowerCase() === "z";
    if (!isUndo || deletion === null || event.target.closest?.("input")) return;
    event.preventDefault();
    undo();
}

async function showNew() {
    await inbox.showNew();
    scrollTo({ top: 0 });
    element("heading").focus({ preventScroll: true });
}

function announceNew({ detail }) {
    announce(detail === 1 ? "1 new notification" : `${detail} new notifications`);
}

function announce(text) {
    element("announcement").textContent = text;
}

// MARK: Start

element("refresh").addEventListener("click", () => inbox.refresh());
element("read-all").addEventListener("click", () => inbox.markAllRead());
element("sign-out").addEventListener("click", () => signOut());
element("load-more").addEventListener("click", () => inbox.loadMore());
element("show-new").addEventListener("click", showNew);
element("undo").addEventListener("click", undo);
addEventListener("keydown", undoByKey);
element("close-toast").addEventListener("click", closeToast);
element("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    signIn(element("token").value.trim());
    element("token").value = "";
    element("heading").focus();
});
addEventListener("hashchange", () => {
    const token = takeTokenFromAddress();
    if (token) signIn(token);
});
setInterval(renderTimes, 60_000);

const token = takeTokenFromAddress();
if (token) signIn(token);
else showSignIn("");
