// The things one presses, types into and reads a state from: one look and one behaviour on every view.
import { classes, html, useEffect, useRef } from "../core/dom.js";
import { say } from "../core/words.js";
import { Icon } from "./icons.js";

/** @param {{icon?: string, tone?: string, small?: boolean, quiet?: boolean, label?: string}} given */
export function Button({ icon, tone, small, quiet, label, children, type = "button", ...rest }) {
  const names = classes("button", tone && `is-${tone}`, small && "is-small", quiet && "is-quiet", !children && "is-icon");
  return html`<button type=${type} class=${names} aria-label=${label} title=${label} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}
  </button>`;
}

/** A labelled field; the label is always there, and may be for screen readers only. */
export function Field({ label, hint, hidden, children, id }) {
  return html`<div class="field">
    <label for=${id} class=${hidden ? "unseen" : "field-label"}>${label}</label>
    ${children}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

export function Select({ id, label, value, options, onChange, hidden }) {
  return html`<${Field} id=${id} label=${label} hidden=${hidden}>
    <select id=${id} value=${value ?? ""} onChange=${(event) => onChange(event.target.value)}>
      ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === (value ?? "")}>${text}</option>`)}
    </select>
  <//>`;
}

/** A few choices of which one holds; arrow keys move as in any radio group. */
export function Choice({ name, label, value, options, onChange, hidden = true }) {
  return html`<fieldset class="choice">
    <legend class=${hidden ? "unseen" : "field-label"}>${label}</legend>
    <div class="choice-row">
      ${options.map(
        ([key, text]) => html`<label key=${key} class=${classes("choice-item", key === value && "is-on")}>
          <input type="radio" name=${name} value=${key} checked=${key === value} onChange=${() => onChange(key)} />
          <span>${text}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}

export function Check({ id, label, checked, onChange }) {
  return html`<label class="check" for=${id}>
    <input id=${id} type="checkbox" checked=${checked} onChange=${(event) => onChange(event.target.checked)} />
    <span>${label}</span>
  </label>`;
}

export const Chip = ({ tone, children, title }) =>
  html`<span class=${classes("chip", tone && `is-${tone}`)} title=${title}>${children}</span>`;

/** A share from 0 to 1 as a bar, with its figure beside it. */
export function Meter({ label, value, tone }) {
  const share = Math.max(0, Math.min(1, value || 0));
  return html`<div class="meter">
    <span class="meter-label">${label}</span>
    <span class=${classes("meter-track", tone && `is-${tone}`)} aria-hidden="true">
      <span class="meter-fill" style=${{ width: `${share * 100}%` }} />
    </span>
    <span class="meter-figure">${share.toFixed(2)}</span>
  </div>`;
}

/** What is shown while nothing is: a word, and what to do. */
export function Empty({ icon = "memories", title, children }) {
  return html`<div class="empty">
    <span class="empty-icon"><${Icon} name=${icon} /></span>
    <p class="empty-title">${title}</p>
    ${children && html`<div class="empty-text">${children}</div>`}
  </div>`;
}

export const Busy = ({ lines = 4 }) =>
  html`<div class="busy" role="status"><span class="unseen">${say("state.loading")}</span>
    ${Array.from({ length: lines }, (_, index) => html`<span key=${index} class="busy-line" />`)}
  </div>`;

/** What was refused or went wrong, in the server's own words, and a way to try again. */
export function Problem({ error, again }) {
  if (!error) return null;
  const gone = error.constructor.name === "Unreachable";
  return html`<div class="problem" role="alert">
    <p>${gone ? say("server.gone") : error.message}${error.code ? html` <code>${error.code}</code>` : null}</p>
    ${again && html`<${Button} small icon="refresh" onClick=${again}>${say("action.again")}<//>`}
  </div>`;
}

/** Loading, refused or there: the three states of everything that is asked for. */
export function Answer({ answer, lines, children }) {
  if (answer.data === null || answer.data === undefined) {
    return answer.error ? html`<${Problem} error=${answer.error} again=${answer.again} />` : html`<${Busy} lines=${lines} />`;
  }
  return html`${answer.error && html`<${Problem} error=${answer.error} again=${answer.again} />`}${children(answer.data)}`;
}

/** A window of its own; Escape and a click outside close it, the browser keeps the focus inside. */
export function Dialog({ title, onClose, children, wide }) {
  const box = useRef(null);
  useEffect(() => {
    const dialog = box.current;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const outside = (event) => event.target === box.current && onClose();
  return html`<dialog ref=${box} class=${classes("dialog", wide && "is-wide")} aria-labelledby="dialog-title" onClick=${outside}
    onCancel=${(event) => {
      event.preventDefault();
      onClose();
    }}>
    <div class="dialog-body">
      <header class="dialog-head">
        <h2 id="dialog-title">${title}</h2>
        <${Button} icon="close" quiet label=${say("action.close")} onClick=${onClose} />
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** A part of a view with its heading. */
export function Panel({ title, aside, children, class: name, id }) {
  return html`<section class=${classes("panel", name)} aria-labelledby=${id}>
    ${title && html`<header class="panel-head"><h2 id=${id}>${title}</h2>${aside}</header>`}
    ${children}
  </section>`;
}

export const Head = ({ title, lead, children }) =>
  html`<header class="view-head">
    <div><h1 tabindex="-1">${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>
    ${children && html`<div class="view-tools">${children}</div>`}
  </header>`;
