// One memory, whole: what it says, how it is known, what happened to it, what is near it, and what can be done.
import { html, useEffect, useState } from "../core/dom.js";
import { useAnswer, everywhere } from "../core/ask.js";
import { verb } from "../core/api.js";
import * as actions from "../core/actions.js";
import { day, moment, number } from "../core/format.js";
import { to } from "../core/router.js";
import { may } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Answer, Button, Chip, Empty, Meter } from "./controls.js";
import { Correction, Editing, Erasing, Flagging, Linking, Moving } from "./card_dialogs.js";
import { Icon } from "./icons.js";
import { Diff } from "./diff.js";
import { Facts, RecordRow, beginning, plainly, standing, textOf, whose } from "./record.js";

const CHARS_SHOWN = 20_000; // of a long text before one asks for more
const CHARS_MORE = 200_000;
const MISSING = 404;

export function Card({ id, onClose, onOpen }) {
  const found = useAnswer((signal) => verb("get", { id }, { signal }), [id], { live: true });
  if (found.error?.status === MISSING) return html`<${Gone} id=${id} onClose=${onClose} />`;
  return html`<article class="card" aria-label=${say("card.title")}>
    <${Answer} answer=${found}>${(record) => html`<${Whole} key=${record.id} record=${record} onClose=${onClose} onOpen=${onOpen} />`}<//>
  </article>`;
}

/** Deleted here or elsewhere: its history is still told, and the deletion can be taken back. */
function Gone({ id, onClose }) {
  return html`<article class="card" aria-label=${say("card.title")}>
    <${CardBar} onClose=${onClose} />
    <h2 class="unseen">${say("card.title")}</h2>
    <${Empty} icon="forget" title=${say("card.gone")}><p>${say("card.gone_text")}</p><//>
    <${Past} id=${id} />
  </article>`;
}

function CardBar({ onClose, children }) {
  return html`<header class="card-bar">
    ${onClose && html`<${Button} icon="back" quiet label=${say("action.close")} onClick=${onClose} />`}
    <div class="card-bar-tools">${children}</div>
  </header>`;
}

function Whole({ record, onClose, onOpen }) {
  const state = standing(record);
  return html`
    <${CardBar} onClose=${onClose}><${Actions} record=${record} onClose=${onClose} /><//>
    <h2 class="unseen">${say("card.title")}</h2>
    <${LongText} text=${textOf(record)} />
    <p class="card-facts"><${Facts} record=${record} />${state && html`<${Chip} tone=${state.tone}>${state.text}<//>`}</p>
    ${record.place?.file && html`<p class="card-place"><${Icon} name="code" /><a href=${to("memories", { file: record.place.file })} dir="ltr">${linesOf(record.place)}</a></p>`}
    ${record.tags?.length ? html`<p class="tags">${record.tags.map((tag) => html`<a key=${tag} class="tag" href=${to("memories", { tags: tag })}>${tag}</a>`)}</p>` : null}
    <${Why} id=${record.id} onOpen=${onOpen} version=${record.version} />
    <${Past} id=${record.id} version=${record.version} />
    <${Near} id=${record.id} onOpen=${onOpen} />
    <${Forms} record=${record} />
    <${Details} record=${record} />`;
}

/** Where it stands: the file and its lines. */
const linesOf = (place) => `${place.file}${place.line ? `:${place.line}` : ""}${place.end_line && place.end_line !== place.line ? `-${place.end_line}` : ""}`;

function LongText({ text }) {
  const [most, setMost] = useState(CHARS_SHOWN);
  return html`<div class="card-text" dir="auto">${plainly(text.slice(0, most))}${text.length > most && "…"}</div>
    ${text.length > most &&
    html`<p class="more"><${Button} small onClick=${() => setMost(most + CHARS_MORE)}>${say("card.more_text", { count: text.length - most })}<//></p>`}`;
}

const KEYS = { c: "confirm", e: "correct", t: "edit", f: "flag", d: "forget" };

function Actions({ record, onClose }) {
  const [open, setOpen] = useState(null);
  const close = () => setOpen(null);
  const forget = () => actions.forget(record.id).then(onClose, () => undefined);
  const run = (name) => {
    if (name === "confirm") actions.confirm(record.id).catch(() => undefined);
    else if (name === "forget") forget();
    else setOpen(name);
  };
  useEffect(() => {
    const pressed = (event) => {
      const typing = event.target.closest?.("input, textarea, select, dialog");
      if (typing || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
      event.preventDefault();
      run(KEYS[event.key]);
    };
    if (may("write")) addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [record.id, record.version]);
  if (!may("write")) return html`<${Chip}>${say("card.read_only")}<//>`;
  const tool = (name, icon, extra = {}) =>
    html`<${Button} small icon=${icon} aria-keyshortcuts=${Object.keys(KEYS).find((key) => KEYS[key] === name)} onClick=${() => run(name)} ...${extra}>${say(`action.${name}`)}<//>`;
  return html`
    ${tool("confirm", "check", { disabled: record.user_verified && !record.flagged && !record.needs_review })}
    ${tool("correct", "correct")}${tool("edit", "edit")}${tool("flag", "flag")}${tool("link", "link")}${tool("move", "next")}${tool("forget", "forget")}
    ${may("admin") && html`<${Button} small icon="forget" tone="bad" onClick=${() => setOpen("erase")}>${say("action.erase")}<//>`}
    ${open === "correct" && html`<${Correction} record=${record} onClose=${close} />`}
    ${open === "edit" && html`<${Editing} record=${record} onClose=${close} />`}
    ${open === "flag" && html`<${Flagging} record=${record} onClose=${close} />`}
    ${open === "link" && html`<${Linking} record=${record} onClose=${close} />`}
    ${open === "move" && html`<${Moving} records=${[record]} onClose=${close} onDone=${onClose} />`}
    ${open === "erase" && html`<${Erasing} record=${record} onClose=${close} onDone=${onClose} />`}`;
}

/** Why it is believed: the sentences of `explain`, its trust in parts, what it rests on, what contradicts it. */
function Why({ id, version, onOpen }) {
  const answer = useAnswer((signal) => verb("explain", { id }, { signal }), [id, version]);
  return html`<section class="card-part">
    <h3>${say("card.why")}</h3>
    <${Answer} answer=${answer} lines=${2}>${(told) => html`
      <ul class="reasons">${told.because.map((reason) => html`<li key=${reason}>${reason}</li>`)}</ul>
      <div class="meters">${["accuracy", "freshness", "utility", "composite"].map(
        (part) => html`<${Meter} key=${part} label=${say(`trust.${part}`)} value=${told.trust[part]} tone=${part === "composite" ? "strong" : ""} />`,
      )}</div>
      ${told.fades_at && html`<p class="hint">${say("card.fades", { when: day(told.fades_at) })}</p>`}
      ${["derived_from", "contradicted_by", "supersedes", "superseded_by"].map((name) =>
        told[name]?.length ? html`<${Others} key=${name} title=${say(`card.${name}`)} records=${told[name]} onOpen=${onOpen} />` : null,
      )}`}<//>
  </section>`;
}

const Others = ({ title, records, onOpen }) => html`<h4>${title}</h4>
  <ul class="plain">${records.map((record) => html`<li key=${record.id}><${RecordRow} record=${record} open=${onOpen && (() => onOpen(record))} /></li>`)}</ul>`;

/** Its history, the newest first: each version against the one before. */
function Past({ id, version }) {
  const answer = useAnswer((signal) => verb("history", { id }, { signal }), [id, version], { live: true });
  return html`<section class="card-part">
    <h3>${say("card.history")}</h3>
    <${Answer} answer=${answer} lines=${2}>${(told) => html`<ol class="past">
      ${told.results.map((entry, index) => html`<${PastEntry} key=${entry.operation.id} entry=${entry} before=${told.results[index - 1]} />`).reverse()}
    </ol>`}<//>
  </section>`;
}

function PastEntry({ entry, before }) {
  const { operation, record } = entry;
  const was = before?.record ? textOf(before.record) : null;
  const is = record ? textOf(record) : null;
  return html`<li class=${operation.undone ? "is-undone" : ""}>
    <div class="past-line">
      <b>${word("verb", operation.verb)}</b>
      <time datetime=${operation.at}>${moment(operation.at)}</time>
      ${operation.actor && html`<span dir="auto">${operation.actor}</span>`}
      ${operation.undone && html`<${Chip}>${say("history.undone")}<//>`}
      ${!operation.undone && may("write") && html`<${Button} small quiet icon="undo" onClick=${() => actions.undo(operation.id).catch(() => undefined)}>${say("action.undo")}<//>`}
    </div>
    ${operation.reason && html`<p class="hint" dir="auto">${operation.reason}</p>`}
    ${was !== null && is !== null && was !== is && html`<${Diff} before=${beginning(was, 4000)} after=${beginning(is, 4000)} />`}
    ${record && before?.record && html`<${Fields} was=${before.record} is=${record} />`}
  </li>`;
}

const COMPARED = ["category", "kind", "tier", "importance", "confidence", "valid_until", "flagged", "needs_review", "user_verified"];

function Fields({ was, is }) {
  const changed = COMPARED.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  const tags = JSON.stringify(was.tags) !== JSON.stringify(is.tags) ? [["tags", was.tags.join(", "), is.tags.join(", ")]] : [];
  const rows = [...changed.map((name) => [name, was[name], is[name]]), ...tags];
  return rows.length
    ? html`<ul class="changed">${rows.map(([name, a, b]) => html`<li key=${name}>${word("field", name)}: <del>${plain(a)}</del> → <ins>${plain(b)}</ins></li>`)}</ul>`
    : null;
}

const plain = (value) => (typeof value === "boolean" ? say(value ? "yes" : "no") : value === null || value === "" ? "–" : String(value));

/** Records near this one, with how they are related. */
function Near({ id, onOpen }) {
  const answer = useAnswer((signal) => verb("related", { id, ...everywhere() }, { signal }), [id]);
  return html`<section class="card-part">
    <h3>${say("card.near")}</h3>
    <${Answer} answer=${answer} lines=${2}>${(told) =>
      told.results.length
        ? html`<ul class="plain">${told.results.map((record) => html`<li key=${record.id}>
            <${RecordRow} record=${record} open=${onOpen && (() => onOpen(record))} aside=${html`<${Chip}>${labelsOf(told.edges, id, record.id)}<//>`} /></li>`)}</ul>
            <p><a href=${to("graph", { at: id })}>${say("card.in_graph")}</a></p>`
        : html`<p class="hint">${say("card.near_none")}</p>`}<//>
  </section>`;
}

function labelsOf(edges, one, other) {
  const joining = edges.filter((edge) => edge.members?.some((each) => each.id === one) && edge.members.some((each) => each.id === other));
  const labels = (joining.length ? joining : edges.filter((edge) => edge.source === other || edge.target === other)).map((edge) => edge.label);
  return [...new Set(labels)].map((label) => word("label", label)).join(", ") || "…";
}

/** The same in fewer words, as a context uses it when room is short. */
function Forms({ record }) {
  const told = record.perceived || {};
  const names = ["summary", "key_fact", "tag"];
  if (!names.some((name) => told[name])) return null;
  return html`<details class="card-part"><summary>${say("card.forms")}</summary>
    <dl class="pairs">${names.map((name, index) => told[name] && html`<dt key=${name}>${say(`form.${name}`)}</dt>
      <dd dir="auto">${beginning(told[name])} ${told.tokens?.[index + 1] ? html`<span class="hint">${say("card.tokens", { count: told.tokens[index + 1] })}</span>` : null}</dd>`)}</dl>
  </details>`;
}

function Details({ record }) {
  const rows = [
    ["id", html`<code>${record.id}</code>`],
    ["scope", whose(record).join(" · ") || say("card.everyone")],
    ["session_id", record.session_id && html`<a href=${to("sessions", record.session_id)}>${record.session_id}</a>`],
    ["event_time", record.event_time && moment(record.event_time)],
    ["valid_from", record.valid_from && moment(record.valid_from)],
    ["valid_until", record.valid_until && moment(record.valid_until)],
    ["created_at", moment(record.created_at)],
    ["updated_at", moment(record.updated_at)],
    ["version", number(record.version)],
    ["tier", word("tier", record.tier)],
    ["importance", number(record.importance, 2)],
    ["confidence", number(record.confidence, 2)],
    ["strength", number(record.strength, 2)],
    ["access_count", say("card.used", { count: record.access_count })],
    ["source", record.source],
    ["place", record.place && [record.place.file, record.place.line].filter(Boolean).join(":")],
    ["security", record.security !== "cleartext" && record.security],
    ["statement", record.subject && [record.subject, record.predicate, record.object].filter(Boolean).join(" · ")],
    ["metadata", Object.keys(record.metadata || {}).length > 0 && html`<code>${JSON.stringify(record.metadata)}</code>`],
  ];
  return html`<details class="card-part"><summary>${say("card.details")}</summary>
    <dl class="pairs">${rows.filter(([, value]) => value).map(([name, value]) => html`<dt key=${name}>${word("field", name)}</dt><dd dir="auto">${value}</dd>`)}</dl>
  </details>`;
}

