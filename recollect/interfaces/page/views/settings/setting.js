// One setting: what it does, what it may be, where its value comes from; and changing it.
import { html, useState } from "../../core/dom.js";
import { send } from "../../core/api.js";
import { number } from "../../core/format.js";
import { toast } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Button, Chip, Field, Problem, Select } from "../../parts/controls.js";

const DIGITS = 6;

export function Setting({ row, mayChange, onChanged }) {
  const [open, setOpen] = useState(false);
  const own = row.origin !== "default";
  return html`<article class="setting" aria-label=${row.key}>
    <header class="setting-head">
      <code class="setting-key">${row.key}</code>
      ${own && html`<${Chip} tone=${row.origin.startsWith("file") ? "good" : "warn"} title=${row.origin}>${origin(row.origin)}<//>`}
      ${!row.live && html`<${Chip}>${say("settings.at_start")}<//>`}
      ${row.waits && html`<${Chip} tone="warn">${say("settings.then", { value: shown(row.at_next_start, row) })}<//>`}
    </header>
    <p class="setting-doc" lang="en">${row.doc}</p>
    ${row.type === "table"
      ? html`<${Table} row=${row} mayChange=${mayChange} onChanged=${onChanged} />`
      : html`<div class="setting-line">
          <span class="setting-value" dir="auto">${shown(row.value, row)}</span>
          <span class="hint">${[range(row), own && say("settings.default", { value: shown(row.default, row) })].filter(Boolean).join(" · ")}</span>
          ${mayChange && !open && html`<${Button} small icon="edit" aria-label=${say("settings.change_of", { key: row.key })} onClick=${() => setOpen(true)}>${say("settings.change")}<//>`}
        </div>
        ${open && html`<${Changing} row=${row} path=${row.key} value=${row.value} onClose=${() => setOpen(false)} onChanged=${onChanged} />`}`}
  </article>`;
}

/** A table is changed one row at a time, as the file has it. */
function Table({ row, mayChange, onChanged }) {
  const [open, setOpen] = useState(null);
  const names = Object.keys(row.value);
  if (!names.length) return html`<p class="hint">${say("settings.empty_table")}</p>`;
  return html`<details class="setting-table"><summary>${say("settings.rows", { count: names.length })}</summary><dl class="pairs">${names.map(
    (name) => html`<dt key=${name}><code>${name}</code></dt><dd>${open === name
      ? html`<${Changing} row=${row} path=${`${row.key}.${name}`} value=${row.value[name]} standard=${row.default?.[name]} onClose=${() => setOpen(null)} onChanged=${onChanged} />`
      : html`<span class="setting-value">${shown(row.value[name], row)}</span>
          ${mayChange && html` <${Button} small quiet icon="edit" label=${say("settings.change_of", { key: name })} onClick=${() => setOpen(name)} />`}`}</dd>`,
  )}</dl></details>`;
}

function Changing({ row, path, value, standard, onClose, onChanged }) {
  const [written, setWritten] = useState(row.secret ? "" : String(value ?? ""));
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const run = async (change) => {
    setBusy(true);
    try {
      onChanged(await change(row, path));
      onClose();
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  const keep = (event) => {
    event.preventDefault();
    run((was, at) => put(was, at, written, value, onChanged));
  };
  return html`<form class="setting-form" onSubmit=${keep} novalidate onKeyDown=${(event) => event.key === "Escape" && onClose()}>
    <${Control} row=${row} path=${path} value=${written} onInput=${setWritten} />
    <div class="setting-tools">
      <${Button} small type="submit" tone="main" disabled=${busy || (written === String(value ?? "") && !row.secret)}>${say("action.save")}<//>
      ${(row.waits || row.origin.startsWith("file") || standard !== undefined) && html`<${Button} small disabled=${busy} onClick=${() => run((was, at) => reset(was, at, value, onChanged))}>${say("settings.reset")}<//>`}
      <${Button} small quiet onClick=${onClose}>${say("action.cancel")}<//>
    </div>
    <${Problem} error=${error} />
  </form>`;
}

function Control({ row, path, value, onInput }) {
  const id = `setting-${path}`;
  const label = say("settings.value_of", { key: path });
  const options = row.choices.length ? row.choices : row.type === "bool" ? ["true", "false"] : null;
  if (options) return html`<${Select} id=${id} label=${label} hidden value=${value} onChange=${onInput} options=${options.map((each) => [each, row.type === "bool" ? shown(each === "true", row) : each])} />`;
  const figure = row.type === "int" || row.type === "float" || row.type === "table";
  return html`<${Field} id=${id} label=${label} hidden>
    <input id=${id} type=${row.secret ? "password" : figure ? "number" : "text"} step="any" autocomplete="off" value=${value}
      ref=${(box) => box && !box.dataset.met && ((box.dataset.met = "1"), box.focus())} onInput=${(event) => onInput(event.target.value)} /><//>`;
}

const address = (path) => `/v1/settings/${encodeURIComponent(path)}`;

/** Write it, say when it acts, and offer to have the one before back. */
async function put(row, path, written, before, onChanged) {
  const done = await send("PATCH", address(path), { value: row.type === "bool" ? written === "true" : written });
  told(done, row.secret ? null : async () => onChanged(await (row.origin.startsWith("file") ? send("PATCH", address(path), { value: before }) : send("DELETE", address(path)))));
  return done;
}

async function reset(row, path, before, onChanged) {
  const done = await send("DELETE", address(path));
  told(done, row.secret ? null : async () => onChanged(await send("PATCH", address(path), { value: before })));
  return done;
}

function told(done, back) {
  toast(say(`settings.acts_${done.acts}`, { key: done.key, origin: word("origin", done.origin) }), { undo: back, tone: done.acts === "overruled" ? "plain" : "good" });
}

/** `environment RECOLLECT_X` in a word; the whole of it is in the title. */
const origin = (told) => word("origin", told.split(/[\s:]/)[0]);

function shown(value, row) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (typeof value === "number") return `${number(value, DIGITS)}${row.unit ? ` ${row.unit}` : ""}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const range = (row) => (row.type === "bool" || row.range === "text" ? "" : row.choices.length ? row.choices.join(", ") : row.range);
