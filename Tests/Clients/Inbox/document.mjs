/**
 * A stand-in for a browser's document, with what the demo page uses. Focus follows the rules of HTML: an element that is hidden, disabled,
 * removed or moved loses it.
 */

const voidElements = new Set(["meta", "link", "input"]);

export class FakeElement extends EventTarget {
    attributes = new Map();
    childNodes = [];
    parent = null;
    isHovered = false;
    value = "";

    constructor(tag, owner) {
        super();
        this.tag = tag;
        this.owner = owner;
        this.dataset = new Proxy({}, {
            get: (_, name) => this.attributes.get(dataName(name)),
            set: (_, name, value) => Boolean(this.attributes.set(dataName(name), String(value))),
        });
    }

    // Attributes

    setAttribute(name, value) { this.attributes.set(name, String(value)); }
    getAttribute(name) { return this.attributes.get(name) ?? null; }
    get id() { return this.attributes.get("id") ?? ""; }
    set id(id) { this.setAttribute("id", id); }
    get hidden() { return this.attributes.has("hidden"); }
    set hidden(isHidden) { this.#toggle("hidden", isHidden); }
    get disabled() { return this.attributes.has("disabled"); }
    set disabled(isDisabled) { this.#toggle("disabled", isDisabled); }

    #toggle(name, isOn) {
        if (isOn) this.attributes.set(name, "");
        else this.attributes.delete(name);
    }

    // Tree

    get children() { return this.childNodes.filter((node) => node instanceof FakeElement); }
    get firstElementChild() { return this.children[0] ?? null; }
    get lastElementChild() { return this.children.at(-1) ?? null; }
    get nextElementSibling() { return this.#sibling(1); }
    get previousElementSibling() { return this.#sibling(-1); }
    get content() { return this; }
    get textContent() { return this.childNodes.map((node) => node.textContent ?? node).join(""); }
    set textContent(text) { this.replaceChildren(...(text === "" ? [] : [text])); }

    #sibling(step) {
        const siblings = this.parent?.children ?? [];
        return siblings[siblings.indexOf(this) + step] ?? null;
    }

    append(...nodes) { for (const node of nodes) this.#insert(node, this.childNodes.length); }
    insertBefore(node, before) { this.#insert(node, before ? this.childNodes.indexOf(before) : this.childNodes.length); }
    after(node) { this.parent.insertBefore(node, this.nextElementSibling); }

    #insert(node, index) {
        if (!(node instanceof FakeElement)) return void this.childNodes.splice(index, 0, String(node));
        const before = this.childNodes[index] ?? null;
        node.remove();
        this.childNodes.splice(before === null ? this.childNodes.length : this.childNodes.indexOf(before), 0, node);
        node.parent = this;
    }

    remove() {
        if (this.contains(this.owner.activeElement)) this.owner.activeElement = this.owner.body;
        if (this.parent) this.parent.childNodes = this.parent.childNodes.filter((node) => node !== this);
        this.parent = null;
    }

    replaceChildren(...nodes) {
        for (const child of this.children) child.remove();
        this.childNodes = [];
        this.append(...nodes);
    }

    cloneNode() {
        const copy = new FakeElement(this.tag, this.owner);
        copy.attributes = new Map(this.attributes);
        copy.append(...this.childNodes.map((node) => (node instanceof FakeElement ? node.cloneNode() : node)));
        return copy;
    }

    // Selectors: a tag, an id, a class, an attribute, :hover or :focus-within; a list of them, or one inside another.

    get ancestors() { return this.parent ? [this.parent, ...this.parent.ancestors] : []; }
    get descendants() { return this.children.flatMap((child) => [child, ...child.descendants]); }
    contains(other) { return other === this || Boolean(other?.ancestors?.includes(this)); }
    closest(selector) { return [this, ...this.ancestors].find((element) => element.matches(selector)) ?? null; }
    querySelectorAll(selector) { return this.descendants.filter((element) => element.matches(selector)); }
    querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }

    matches(selector) {
        return selector.split(",").some((one) => {
            const [last, outer] = one.trim().split(" ").reverse();
            return this.#is(last) && (outer === undefined || this.ancestors.some((element) => element.matches(outer)));
        });
    }

    #is(simple) {
        if (simple === ":hover") return this.isHovered;
        if (simple === ":focus-within") return this.contains(this.owner.activeElement);
        if (simple.startsWith("#")) return this.id === simple.slice(1);
        if (simple.startsWith(".")) return (this.attributes.get("class") ?? "").split(" ").includes(simple.slice(1));
        if (simple.startsWith("[")) return this.attributes.has(simple.slice(1, -1));
        return this.tag === simple;
    }

    // Focus

    get isShown() { return this.closest("[hidden]") === null && this.ancestors.at(-1) === this.owner.root; }
    get isTabStop() { return this.canHaveFocus && this.getAttribute("tabindex") !== "-1" && this.closest("template") === null; }
    get canHaveFocus() { return this.isShown && !this.disabled && (this.isControl || this.attributes.has("tabindex")); }
    get isControl() { return ["button", "input"].includes(this.tag); }
    focus() { if (this.canHaveFocus) this.owner.activeElement = this; }
    click() { if (!this.disabled) this.dispatchEvent(new Event("click")); }
}

/** `readAll` becomes `data-read-all`. */
function dataName(name) {
    return `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export class FakeDocument {
    title = "";
    hidden = false;

    /** Reads well-formed HTML, in which every element has its end. */
    constructor(html) {
        this.root = new FakeElement("document", this);
        let open = this.root;
        for (const [, comment, end, tag, attributes, text] of html.matchAll(/(<!.*?>)|<\/(\w+)>|<(\w+)([^>]*)>|([^<]+)/gs)) {
            if (comment) continue;
            if (end) open = open.parent;
            else if (text) open.append(text.trim() === "" ? "" : text);
            else {
                const made = new FakeElement(tag, this);
                for (const [, name, value] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) made.setAttribute(name, value ?? "");
                open.append(made);
                if (!voidElements.has(tag)) open = made;
            }
        }
        this.body = this.root.querySelector("body");
        this.activeElement = this.body;
    }

    getElementById(id) { return this.root.querySelector(`#${id}`); }
    querySelectorAll(selector) { return this.root.querySelectorAll(selector); }
    createElementNS(_, tag) { return new FakeElement(tag, this); }

    /** Browsers take the focus of an element that cannot have it any more when they draw the next time. */
    draw() {
        if (this.activeElement !== this.body && !this.activeElement.canHaveFocus) this.activeElement = this.body;
    }

    /** Moves the focus as the key Tab does. */
    tab() {
        const all = this.root.descendants;
        this.activeElement = all.slice(all.indexOf(this.activeElement) + 1).find((element) => element.isTabStop) ?? this.body;
    }
}
