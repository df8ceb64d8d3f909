// Views within a view, each with an address of its own.
import { classes, html } from "../core/dom.js";
import { to } from "../core/router.js";
import { say } from "../core/words.js";

/** @param {{view: string, names: string[], at: string, query?: object}} given The words are `{view}.{name}`; `query` stays on the way. */
export const Tabs = ({ view, names, at, query = {} }) => html`<nav class="tabs" aria-label=${say(`nav.${view}`)}>
  ${names.map((name) => html`<a key=${name} href=${to(view, name, query)} class=${classes("tab", name === at && "is-on")} aria-current=${name === at ? "page" : undefined}>${say(`${view}.${name}`)}</a>`)}
</nav>`;

/** Which of these names an address means; the first one where it names none. */
export const tabOf = (names, parts) => (names.includes(parts[0]) ? parts[0] : names[0]);
