// Every setting: found by a word, or section by section.
import { html, useEffect, useState } from "../../core/dom.js";
import { useAnswer, useWords } from "../../core/ask.js";
import { get } from "../../core/api.js";
import { refine, to } from "../../core/router.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Empty, Field, Problem, Select } from "../../parts/controls.js";
import { Setting } from "./setting.js";

const SHOWN = 40; // rows before one asks for more
const STATES = { changed: (row) => row.origin !== "default" || row.waits, waits: (row) => row.waits, start: (row) => !row.live };

export function Values({ query }) {
  const answer = useAnswer((signal) => get("/v1/settings", { signal }), []);
  const [newer, setNewer] = useState({}); // rows that were changed here, without asking for all of them again
  return html`<${Answer} answer=${answer} lines=${8}>${(told) => html`<${All} query=${query} told=${told}
    rows=${told.settings.map((row) => newer[row.key] ?? row)} onChanged=${(row) => setNewer((was) => ({ ...was, [row.key]: { ...row } }))} />`}<//>`;
}

function All({ query, told, rows, onChanged }) {
  const [typed, setTyped, words] = useWords(query.q);
  const [most, setMost] = useState(SHOWN);
  useEffect(() => setMost(SHOWN), [words, query.section, query.state]);
  const narrowed = words || query.section || query.state;
  const found = rows.filter((row) => fits(row, words, query));
  const sections = [{ name: "general", doc: say("settings.general") }, ...told.sections].filter(({ name }) => rows.some((row) => sectionOf(row) === name));
  return html`
    <${Told} told=${told} waiting=${rows.filter(STATES.waits).length} />
    <form class="bar setting-bar" role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Field} id="setting-words" label=${say("settings.find")} hidden><input id="setting-words" type="search" placeholder=${say("settings.find")} value=${typed} onInput=${(event) => setTyped(event.target.value)} /><//>
      <${Select} id="setting-section" label=${say("settings.section")} hidden value=${query.section} onChange=${(section) => refine({ section })}
        options=${[["", say("settings.every_section")], ...sections.map(({ name }) => [name, name])]} />
      <${Select} id="setting-state" label=${say("field.state")} hidden value=${query.state} onChange=${(state) => refine({ state })}
        options=${["", ...Object.keys(STATES)].map((state) => [state, say(`settings.state_${state || "any"}`)])} />
    </form>
    ${narrowed
      ? html`<p class="hint" role="status">${say("settings.found", { count: found.length })}</p>
          ${found.length
            ? html`<ul class="plain settings-list">${found.slice(0, most).map((row) => html`<li key=${row.key}><${Setting} row=${row} mayChange=${told.may_change} onChanged=${onChanged} /></li>`)}</ul>`
            : html`<${Empty} icon="settings" title=${say("settings.none")}><a class="button" href=${to("settings", "values")}>${say("settings.all")}</a><//>`}
          ${found.length > most && html`<p class="more"><${Button} onClick=${() => setMost(most + SHOWN)}>${say("settings.more", { count: found.length - most })}<//></p>`}`
      : html`<ul class="plain sections">${sections.map((section) => html`<${Section} key=${section.name} section=${section} rows=${rows.filter((row) => sectionOf(row) === section.name)} />`)}</ul>`}`;
}

function Section({ section, rows }) {
  const changed = rows.filter(STATES.changed).length;
  return html`<li><a class="section" href=${to("settings", "values", { section: section.name })}>
    <b>${section.name}</b><span class="hint" lang=${section.name === "general" ? undefined : "en"}>${section.doc}</span>
    <span class="hint">${say("settings.count", { count: rows.length })}${changed ? ` · ${say("settings.changed", { count: changed })}` : ""}</span>
  </a></li>`;
}

/** Where changes go, what is wrong with that file, and what waits for a new start. */
function Told({ told, waiting }) {
  const warnings = [told.problem, ...told.warnings].filter(Boolean);
  return html`
    <${Problem} error=${warnings.length ? new Error(warnings.join("; ")) : null} />
    <p class="hint">${say(told.may_change ? "settings.file" : "settings.file_only")} <code>${told.path}</code>${!told.may_change && html` <code>recollect config set</code>`}
      ${waiting > 0 && html` · <a href=${to("settings", "values", { state: "waits" })}>${say("settings.waiting", { count: waiting })}</a>`}</p>`;
}

const sectionOf = (row) => row.section || "general";

function fits(row, words, { section, state }) {
  if (section && sectionOf(row) !== section) return false;
  if (Object.hasOwn(STATES, state ?? "") && !STATES[state](row)) return false;
  const text = `${row.key} ${row.doc} ${word("origin", row.origin)}`.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((each) => text.includes(each));
}
