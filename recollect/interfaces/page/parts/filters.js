// What a list of memories can be narrowed by, with how many there are of each: the page's form of the engine's filters.
import { html } from "../core/dom.js";
import { number } from "../core/format.js";
import { refine } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Field } from "./controls.js";

const SCOPES = ["user_id", "agent_id", "project", "squad", "channel"];
const VALUES = ["kind", "category", "tier", ...SCOPES];
const STATES = { flagged: { flagged: { eq: true } }, needs_review: { needs_review: { eq: true } }, confirmed: { user_verified: { eq: true } }, used: { access_count: { gt: 0 } }, unused: { access_count: { eq: 0 } }, important: { importance: { gte: 0.8 } }, unsure: { confidence: { lt: 0.5 } } };
const KNOWN = ["q", ...VALUES, "tags", "session", "state", "entity", "metadata", "after", "before", "as_of", "known_at"];

/** Of the address those parts that are conditions and say something. */
export const conditionsOf = (query) => Object.fromEntries(KNOWN.filter((name) => query[name]).map((name) => [name, query[name]]));

/** The conditions as arguments of `get_all` and `counts`. */
export function argumentsOf(conditions) {
  const leaves = [];
  if (conditions.q) leaves.push({ content: { icontains: conditions.q } });
  for (const name of SCOPES) if (conditions[name]) leaves.push({ [name]: { eq: conditions[name] } });
  if (STATES[conditions.state]) leaves.push(STATES[conditions.state]);
  if (conditions.entity) leaves.push({ OR: ["content", "subject", "object"].map((field) => ({ [field]: { icontains: conditions.entity } })) });
  if (conditions.metadata?.includes("=")) {
    const [key, value] = conditions.metadata.split(/=(.*)/s);
    leaves.push({ [`metadata.${key.trim()}`]: { eq: parsed(value.trim()) } });
  }
  return {
    kinds: listed(conditions.kind),
    categories: listed(conditions.category),
    tiers: listed(conditions.tier),
    tags: conditions.tags ? conditions.tags.split(",").map((tag) => tag.trim()) : [],
    session_id: conditions.session,
    after: conditions.after,
    before: conditions.before,
    as_of: conditions.as_of,
    known_at: conditions.known_at,
    filters: leaves.length > 1 ? { AND: leaves } : (leaves[0] ?? null),
  };
}

const listed = (value) => (value ? value.split(",") : []);

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
  const typed = (name, type = "text", hint = null) => html`<${Field} id=${`filter-${name}`} label=${word("field", name)} hint=${hint}>
    <input id=${`filter-${name}`} type=${type} dir=${type === "text" ? "auto" : undefined} value=${query[name] ?? ""} aria-describedby=${hint ? `filter-${name}-hint` : undefined}
      onChange=${(event) => refine({ [name]: event.target.value })} /><//>`;
  return html`<form id="filters" class="filters" aria-label=${say("memories.filter")} onSubmit=${(event) => event.preventDefault()}>
    ${VALUES.map(pick)}
    <${Field} id="filter-state" label=${word("field", "state")}>
      <select id="filter-state" onChange=${(event) => refine({ state: event.target.value })}>
        <option value="" selected=${!query.state}>${say("filter.any")}</option>
        ${Object.keys(STATES).map((state) => html`<option key=${state} value=${state} selected=${state === query.state}>${word("state", state)}</option>`)}
      </select><//>
    <${Field} id="filter-session" label=${word("field", "session")}>
      <select id="filter-session" onChange=${(event) => refine({ session: event.target.value })}>
        <option value="" selected=${!query.session}>${say("filter.any")}</option>
        ${sessionsOf(counts, query.session).map(([id, count]) => html`<option key=${id} value=${id} selected=${id === query.session}>${id} (${number(count)})</option>`)}
      </select><//>
    <${Field} id="filter-tags" label=${word("field", "tags")}>
      <input id="filter-tags" type="text" list="known-tags" value=${query.tags ?? ""} onChange=${(event) => refine({ tags: event.target.value })} />
      <datalist id="known-tags">${Object.keys(counts?.tags ?? {}).map((tag) => html`<option key=${tag} value=${tag} />`)}</datalist><//>
    ${typed("entity")}${typed("metadata", "text", say("filter.metadata_hint"))}
    ${typed("after", "date")}${typed("before", "date")}
    ${typed("as_of", "date", say("filter.as_of_hint"))}${typed("known_at", "date", say("filter.known_at_hint"))}
  </form>`;
}

function sessionsOf(counts, chosen) {
  const found = (counts?.sessions ?? []).map((each) => [each.session_id, each.records]);
  return chosen && !found.some(([id]) => id === chosen) ? [[chosen, 0], ...found] : found;
}
