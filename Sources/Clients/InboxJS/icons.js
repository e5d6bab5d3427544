/** Drawings for the SF symbol names that the server's items have. Browsers do not have these symbols. */

const circle = "M12 1a11 11 0 1 0 0 22a11 11 0 0 0 0-22z";

/** A shape in the item's colour, and strokes or areas in the colour of the card. */
const drawings = {
    "checkmark.circle.fill": { shape: circle, glyph: "M7 12.5l3.5 3.5L17 8.5" },
    "xmark.circle.fill": { shape: circle, glyph: "M8 8l8 8M16 8l-8 8" },
    "arrow.down.circle.fill": { shape: circle, glyph: "M12 6.5v11M7.5 13l4.5 4.5l4.5-4.5" },
    "exclamationmark.circle.fill": { shape: circle, glyph: "M12 6.5v7M12 17.3v.1" },
    "info.circle.fill": { shape: circle, glyph: "M12 11v6.5M12 7v.1" },
    "person.circle.fill": { shape: circle, solid: "M12 5.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7zM5.8 18.2a6.6 6.6 0 0 1 12.4 0a9 9 0 0 1-12.4 0z" },
    "heart.fill": { shape: "M12 21.5C5 16 2 12.5 2 8.5A5.3 5.3 0 0 1 12 6a5.3 5.3 0 0 1 10 2.5c0 4-3 7.5-10 13z" },
    "bell.fill": { shape: "M12 2a6.5 6.5 0 0 0-6.5 6.5c0 5-2 7-2.5 8.5h18c-.5-1.5-2.5-3.5-2.5-8.5A6.5 6.5 0 0 0 12 2zM9.5 19a2.6 2.6 0 0 0 5 0z" },
};

/** Returns an `svg` element. An unknown name gets the bell. */
export function iconElement(name) {
    const { shape, glyph, solid } = drawings[name] ?? drawings["bell.fill"];
    const icon = make("svg", { viewBox: "0 0 24 24", focusable: "false" });
    icon.append(make("path", { d: shape, fill: "currentColor" }));
    if (glyph) icon.append(make("path", { d: glyph, class: "glyph" }));
    if (solid) icon.append(make("path", { d: solid, class: "solid" }));
    return icon;
}

function make(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    return made;
}
