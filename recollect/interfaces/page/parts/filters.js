// What a list of memories can be narrowed by, with how many there are of each: the page's form of the engine's filters.
import { html, useState } from "../core/dom.js";
import { endOf, number } from "../core/format.js";
import { refine } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Field } from "./controls.js";

const SCOPES = ["user_id", "agent_id", "project", "squad", "channel"];
const VALUES = ["kind", "category", "tier", ...SCOPES];
const STATES = { flagged: { flagged: { eq: true } }, needs_review: { needs_review: { eq: true } }, confirmed: { user_verified: { eq: true } }, used: { access_count: { gt: 0 } }, unused: { access_count: { eq: 0 } }, important: { importance: { gte: 0.8 } }, unsure: { confidence: { lt: 0.5 } } };
const SECURITY = ["cleartext", "sensitive", "confidential"];
const KINDS_OF_TIME = ["after", "before", "as_of", "known_at"];

/** What is typed, and the leaf of the engine's filter that it stands for. @type {Record<string, (value: string) => object>} */
const LEAVES = {
  q: (value) => ({ content: { icontains: value } }),
  ...Object.fromEntries(SCOPES.map((name) => [name, (value) => ({ [name]: { eq: value } })])),
  state: (value) => STATES[value],
  entity: (value) => ({ OR: ["content", "subject", "object"].map((field) => ({ [field]: { icontains: value } })) }),
  file: (value) => ({ "place.file": { icontains: value } }),
  speaker: (value) => ({ speaker: { icontains: value } }),
  source: (value) => ({ source: { icontains: value } }),
  actor: (value) => ({ actor: { icontains: value } }),
  security: (value) => ({ security: { eq: value } }),
  confidence: (value) => ({ confidence: { gte: Number(value) } }),
  importance: (value) => ({ importance: { gte: Number(value) } }),
  strength: (value) => ({ strength: { lte: Number(value) } }),
  metadata: keyed,
  filter: parsed,
};
const TYPED = ["speaker", "source", "actor", "file"];
const FIGURES = { confidence: "filter.at_least", importance: "filter.at_least", strength: "filter.at_most" };
const KNOWN = [...new Set([...Object.keys(LEAVES), ...VALUES, "tags", "session", "run", ...KINDS_OF_TIME])];

/** Of the address those parts that are conditions and say something. */
export const conditionsOf = (query) => Object.fromEntries(KNOWN.filter((name) => query[name]).map((name) => [name, query[name]]));

/** The conditions as arguments of `get_all` and `counts`. */
export function argumentsOf(conditions) {
  const leaves = Object.entries(LEAVES).map(([name, leaf]) => conditions[name] && leaf(conditions[name])).filter(Boolean);
  return {
    kinds: listed(conditions.kind),
    categories: listed(conditions.category),
    tiers: listed(conditions.tier),
    tags: conditions.tags ? conditions.tags.split(",").map((tag) => tag.trim()) : [],
    session_id: conditions.session,
    run_id: conditions.run,
    after: conditions.after,
    before: conditions.before,
    as_of: endOf(conditions.as_of),
    known_at: endOf(conditions.known_at),
    filters: leaves.length > 1 ? { AND: leaves } : (leaves[0] ?? null),
  };
}

const listed = (value) => (value ? value.split(",") : []);

/** `name=value`, the value as JSON where it is any. */
function keyed(text) {
  if (!text.includes("=")) return null;
  const [key, value] = text.split(/=(.*)/s);
  return { [`metadata.${key.trim()}`]: { eq: parsed(value.trim()) } };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function Filters({ query, counts }) {
  const pick = (name) => {
    const found = Object.entries(counts?.[name] ?? {});
    if (query[name] && !found.some(([value]) => value === query[name])) found.push([query[name], 0]);
    if (!found.length) return null;
    return html`<${Field} key=${name} id=${`filter-${name}`} label=${word("field", name)}>
      <select id=${`filter-${name}`} onChange=${(event) => refine({ [name]: event.target.value })}>
        <option value="" selected=${!query[name]}>${say("filter.any")}</option>
        ${found.map(([value, count]) => html`<option key=${value} value=${value} selected=${value === query[name]}>${word(name, value)} (${number(count)})</option>`)}
      </select><//>`;
  };
  return html`<form id="filters" class="filters" aria-label=${say("memories.filter")} onSubmit=${(event) => event.preventDefault()}>
    ${VALUES.map(pick)}
    <${Chosen} name="state" query=${query} values=${Object.keys(STATES)} />
    <${Field} id="filter-session" label=${word("field", "session")}>
      <select id="filter-session" onChange=${(event) => refine({ session: event.target.value })}>
        <option value="" selected=${!query.session}>${say("filter.any")}</option>
        ${sessionsOf(counts, query.session).map(([id, count]) => html`<option key=${id} value=${id} selected=${id === query.session}>${id} (${number(count)})</option>`)}
      </select><//>
    <${Field} id="filter-tags" label=${word("field", "tags")}>
      <input id="filter-tags" type="text" list="known-tags" value=${query.tags ?? ""} onChange=${(event) => refine({ tags: event.target.value })} />
      <datalist id="known-tags">${Object.keys(counts?.tags ?? {}).map((tag) => html`<option key=${tag} value=${tag} />`)}</datalist><//>
    <${Typed} name="entity" query=${query} /><${Typed} name="metadata" query=${query} hint=${say("filter.metadata_hint")} />
    <${Typed} name="after" type="date" query=${query} /><${Typed} name="before" type="date" query=${query} />
    <${Typed} name="as_of" type="date" query=${query} hint=${say("filter.as_of_hint")} /><${Typed} name="known_at" type="date" query=${query} hint=${say("filter.known_at_hint")} />
    <${More} query=${query} />
  </form>`;
}

/** What is rarely asked for, down to a filter in the engine's own words. */
function More({ query }) {
  const [open] = useState([...TYPED, ...Object.keys(FIGURES), "security", "run", "filter"].some((name) => query[name]));
  return html`<details class="filters-more" open=${open}>
  <summary>${say("filter.more")}</summary>
  <div class="filters-inner">
    ${TYPED.map((name) => html`<${Typed} key=${name} name=${name} query=${query} />`)}
    <${Chosen} name="security" query=${query} values=${SECURITY} />
    ${Object.entries(FIGURES).map(([name, hint]) => html`<${Typed} key=${name} name=${name} type="number" query=${query} hint=${say(hint)} />`)}
    <${Typed} name="run" query=${query} /><${Typed} name="filter" query=${query} hint=${say("filter.json_hint")} />
  </div>
</details>`;
}

const Typed = ({ name, query, type = "text", hint }) => html`<${Field} id=${`filter-${name}`} label=${word("field", name)} hint=${hint}>
  <input id=${`filter-${name}`} type=${type} min=${type === "number" ? 0 : undefined} max=${type === "number" ? 1 : undefined} step=${type === "number" ? "any" : undefined} dir=${type === "text" ? "auto" : undefined}
    value=${query[name] ?? ""} aria-describedby=${hint ? `filter-${name}-hint` : undefined} onChange=${(event) => refine({ [name]: event.target.value })} /><//>`;

const Chosen = ({ name, query, values }) => html`<${Field} id=${`filter-${name}`} label=${word("field", name)}>
  <select id=${`filter-${name}`} onChange=${(event) => refine({ [name]: event.target.value })}>
    <option value="" selected=${!query[name]}>${say("filter.any")}</option>
    ${values.map((value) => html`<option key=${value} value=${value} selected=${value === query[name]}>${word(name, value)}</option>`)}
  </select><//>`;

function sessionsOf(counts, chosen) {
  const found = (counts?.sessions ?? []).map((each) => [each.session_id, each.records]);
  return chosen && !found.some(([id]) => id === chosen) ? [[chosen, 0], ...found] : found;
}
