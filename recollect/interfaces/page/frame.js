// Navigation, the state of the server, notes with undo, and the keys that work everywhere.
import { classes, html, useEffect, useState } from "./core/dom.js";
import { send } from "./core/api.js";
import * as actions from "./core/actions.js";
import { go, to, usePlace } from "./core/router.js";
import { dropToast, remembered, server, session, setTheme, theme, toast, toasts, useStore } from "./core/state.js";
import { LANGUAGES, language, say, speak } from "./core/words.js";
import { Button, Dialog } from "./parts/controls.js";
import { Icon } from "./parts/icons.js";
import { Palette } from "./parts/palette.js";
import { GROUPS, VIEWS, offered } from "./views/index.js";

const ON_PHONE = ["today", "ask", "memories", "graph"].filter((name) => VIEWS[name]);
const THEMES = { auto: "light", light: "dark", dark: "auto" };

export function Frame({ children }) {
  const [open, setOpen] = useState(null);
  useKeys(setOpen);
  const at = usePlace();
  useEffect(() => setOpen(null), [at]);
  return html`
    <a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      document.querySelector("main h1")?.focus();
    }}>${say("nav.skip")}</a>
    <div class="frame">
      <${Side} at=${at.view} openPalette=${() => setOpen("palette")} />
      <main id="main">
        <${Lost} />
        ${children}
      </main>
      <${Bottom} at=${at.view} onMore=${() => setOpen("more")} />
    </div>
    <${Toasts} />
    ${open === "palette" && html`<${Palette} onClose=${() => setOpen(null)} />`}
    ${open === "keys" && html`<${Keys} onClose=${() => setOpen(null)} />`}
    ${open === "more" && html`<${Dialog} title=${say("nav.all")} onClose=${() => setOpen(null)}><${Links} at=${at.view} /><${Footer} /><//>`}`;
}

function Links({ at }) {
  return html`${GROUPS.map((group) => {
    const names = offered(group);
    return names.length
      ? html`<p class="nav-group-name" aria-hidden="true">${say(`nav.group_${group}`)}</p><ul key=${group} class="nav-group" aria-label=${say(`nav.group_${group}`)}>
          ${names.map((name) => html`<li key=${name}><a href=${to(name)} class=${classes("nav-link", at === name && "is-on")} aria-current=${at === name ? "page" : undefined}>
            <${Icon} name=${VIEWS[name].icon} /><span>${say(`nav.${name}`)}</span></a></li>`)}
        </ul>`
      : null;
  })}`;
}

function Side({ at, openPalette }) {
  return html`<nav class="side" aria-label=${say("nav.main")}>
    <a class="brand" href=${to("today")}><span class="brand-mark" aria-hidden="true" /><span>Recollect</span></a>
    <button type="button" class="find" onClick=${openPalette}><${Icon} name="ask" /><span>${say("nav.find")}</span><kbd>${META}K</kbd></button>
    <div class="side-links"><${Links} at=${at} /></div>
    <${Footer} />
  </nav>`;
}

const META = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl ";

function Footer() {
  const who = useStore(session);
  const shade = useStore(theme);
  const now = useStore(language);
  const live = useStore(server);
  const codes = Object.keys(LANGUAGES);
  const next = codes[(codes.indexOf(now) + 1) % codes.length];
  const signOut = async () => {
    await send("DELETE", "/v1/session");
    location.reload();
  };
  return html`<footer class="side-foot">
    <p class="who"><i class=${classes("live", live === "gone" && "is-gone")} aria-hidden="true" />
      <span>${live === "gone" ? say("server.gone_short") : who.name || say("who.owner")}</span></p>
    <div class="side-tools">
      <${Button} small quiet icon=${shade === "dark" ? "dark" : shade === "light" ? "light" : "auto"} label=${say(`theme.${shade}`)} onClick=${() => setTheme(THEMES[shade])} />
      <button type="button" class="button is-small is-quiet" lang=${next} title=${LANGUAGES[next]} aria-label=${LANGUAGES[next]} onClick=${() => speak(next, { keep: true })}><span>${next.toUpperCase()}</span></button>
      ${who.by_token && html`<${Button} small quiet icon="out" label=${say("action.sign_out")} onClick=${signOut} />`}
    </div>
  </footer>`;
}

function Bottom({ at, onMore }) {
  return html`<nav class="bottom" aria-label=${say("nav.phone")}>
    ${ON_PHONE.map((name) => html`<a key=${name} href=${to(name)} class=${classes("bottom-link", at === name && "is-on")} aria-current=${at === name ? "page" : undefined}>
      <${Icon} name=${VIEWS[name].icon} /><span>${say(`nav.${name}`)}</span></a>`)}
    <button type="button" class="bottom-link" onClick=${onMore}><${Icon} name="more" /><span>${say("nav.more")}</span></button>
  </nav>`;
}

/** Said while the server does not answer; it goes by itself. */
function Lost() {
  const state = useStore(server);
  return html`<div role="status" class="lost-slot">${state === "gone" && html`<p class="lost"><${Icon} name="refresh" />${say("server.gone")}</p>`}</div>`;
}

/** An operation is undone; what is no operation, such as a setting, brings its own way back. */
const takeBack = (undo) => (typeof undo === "function" ? undo() : actions.undo(undo)).catch((error) => typeof undo === "function" && toast(error.message, { tone: "bad" }));

function Toasts() {
  const shown = useStore(toasts);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${shown.map(({ id, text, undo, tone }) => html`<div key=${id} class=${`toast is-${tone}`}>
      <p>${text}</p>
      ${undo && html`<${Button} small icon="undo" onClick=${() => (dropToast(id), takeBack(undo))}>${say("action.undo")}<//>`}
      <${Button} small quiet icon="close" label=${say("action.close")} onClick=${() => dropToast(id)} />
    </div>`)}
  </div>`;
}

const EVERYWHERE = [["?", "keys.help"], ["/", "keys.ask"], ["Ctrl K", "keys.find"], ["g …", "keys.go"], ["j k ↑ ↓", "keys.move"], ["Enter", "keys.open"], ["c", "action.confirm"], ["e", "action.correct"], ["t", "action.edit"], ["f", "action.flag"], ["d", "action.forget"], ["Esc", "action.close"]];

function Keys({ onClose }) {
  return html`<${Dialog} title=${say("keys.title")} onClose=${onClose}>
    <dl class="keys">${EVERYWHERE.map(([key, told]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${say(told)}</dd></div>`)}
      ${offered().map((name) => html`<div key=${name}><dt><kbd>g ${VIEWS[name].key}</kbd></dt><dd>${say(`nav.${name}`)}</dd></div>`)}</dl>
  <//>`;
}

/** `/` asks, `?` helps, Ctrl K finds, `g` and a letter goes to a view. */
function useKeys(setOpen) {
  useEffect(() => {
    let going = false;
    const pressed = (event) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen((was) => (was === "palette" ? null : "palette"));
        return;
      }
      const typing = event.target.closest?.("input, textarea, select, dialog, [contenteditable]");
      if (typing || event.ctrlKey || event.metaKey || event.altKey || remembered("keys", true) === false) return;
      const view = going && offered().find((name) => VIEWS[name].key === event.key);
      going = event.key === "g" && !going;
      if (view) go(view);
      else if (event.key === "?") setOpen("keys");
      else if (event.key === "/") go("ask");
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  }, []);
}
