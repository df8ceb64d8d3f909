// Conversations and sessions of coding agents: what was said, what is remembered of it, how a session came out.
import { classes, html, useMemo } from "../core/dom.js";
import { everywhere, useAnswer } from "../core/ask.js";
import { verb } from "../core/api.js";
import { ago, moment } from "../core/format.js";
import { go, refine, to } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Button, Chip, Empty, Field, Head, Problem } from "../parts/controls.js";
import { List } from "../parts/list.js";
import { plainly, whose } from "../parts/record.js";
import { AgentWork, AgentTurns } from "../parts/session_work.js";
import { Remembered, Said } from "../parts/session_talk.js";

const ROW = 66;
const LISTED = 500; // the newest of each sort

export function View({ parts, query }) {
  const open = parts[0] ?? null;
  const talks = useAnswer((signal) => verb("counts", { limit: LISTED, ...everywhere() }, { signal }), [], { live: true });
  const worked = useAnswer((signal) => verb("observed", { limit: LISTED }, { signal }), [], { live: true });
  const all = useMemo(() => (talks.data && (worked.data || worked.error) ? joined(talks.data.sessions, worked.data?.results ?? []) : null), [talks.data, worked.data, worked.error]);
  const words = (query.q ?? "").trim().toLowerCase();
  const shown = useMemo(() => (all ?? []).filter((each) => !words || [each.id, each.client, ...whose(each)].some((text) => text?.toLowerCase().includes(words))), [all, words]);
  return html`<div class=${classes("memories sessions", open && "has-card")}>
    <div class="memories-list">
      <${Head} title=${say("nav.sessions")} lead=${all ? say("sessions.count", { count: shown.length }) : ""} />
      <div class="bar"><${Field} id="sessions-words" label=${say("sessions.words")} hidden>
        <input id="sessions-words" type="search" dir="auto" placeholder=${say("sessions.words")} value=${query.q ?? ""} onInput=${(event) => refine({ q: event.target.value })} />
      <//></div>
      ${talks.error && html`<${Problem} error=${talks.error} again=${talks.again} />`}
      ${all && !shown.length
        ? html`<${Nothing} narrowed=${Boolean(words)} />`
        : html`<${List} items=${shown} height=${ROW} label=${say("nav.sessions")} selected=${open ?? undefined} total=${shown.length}
            onOpen=${(each) => go("sessions", each.id, query)}
            row=${(each, state) => html`<${SessionRow} session=${each} query=${query} ...${state} />`} />`}
    </div>
    ${open && html`<aside class="memories-card" aria-label=${say("sessions.one")}><${SessionCard} key=${open} id=${open} known=${all?.find((each) => each.id === open)} onClose=${() => go("sessions", query)} /></aside>`}
  </div>`;
}

/** Talks and work under one name are one session; the newest first. */
function joined(talks, worked) {
  const found = new Map();
  for (const talk of talks) {
    const was = found.get(talk.session_id);
    found.set(talk.session_id, {
      ...talk,
      id: talk.session_id,
      records: talk.records + (was?.records ?? 0),
      began: was && was.began < talk.began ? was.began : talk.began,
      last: was && was.last > talk.last ? was.last : talk.last,
    });
  }
  for (const work of worked) {
    const was = found.get(work.id);
    found.set(work.id, {
      records: 0,
      project: work.project,
      ...was,
      id: work.id,
      client: work.client,
      steps: work.steps,
      errors: work.errors,
      began: was && was.began < work.started_at ? was.began : work.started_at,
      last: was && was.last > work.last_at ? was.last : work.last_at,
    });
  }
  return [...found.values()].sort((one, other) => Date.parse(other.last) - Date.parse(one.last));
}

function Nothing({ narrowed }) {
  return html`<${Empty} icon="sessions" title=${say(narrowed ? "sessions.none_fit" : "sessions.none")}>
    ${narrowed
      ? html`<a class="button" href=${to("sessions")}>${say("memories.clear")}</a>`
      : html`<p>${say("sessions.none_text")}</p><p><code>recollect hooks install</code> · <code>recollect demo --ui</code></p>`}
  <//>`;
}

function SessionRow({ session, query, selected, tabindex, index, open }) {
  return html`<a class=${classes("record", selected && "is-on")} href=${to("sessions", session.id, query)} tabindex=${tabindex} data-index=${index}
    aria-current=${selected ? "true" : undefined} onClick=${(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open();
    }}>
    <span class="entity-line"><b class="entity-name" dir="auto">${plainly(session.id)}</b><time class="hint" datetime=${session.last} title=${moment(session.last)}>${ago(session.last)}</time></span>
    <span class="record-line"><${SessionFacts} session=${session} />${session.errors > 0 && html`<${Chip} tone="warn">${say("sessions.errors", { count: session.errors })}<//>`}</span>
  </a>`;
}

const SessionFacts = ({ session }) => html`<span class="facts">
  <span>${say("people.in_records", { count: session.records ?? 0 })}</span>
  ${session.client && html`<span dir="auto">${plainly(session.client)}</span><span>${say("sessions.steps", { count: session.steps })}</span>`}
  ${whose(session).map((name) => html`<span key=${name} dir="auto">${plainly(name)}</span>`)}
</span>`;

/** One session, whole. */
function SessionCard({ id, known, onClose }) {
  return html`<article class="card" aria-label=${say("sessions.one")}>
    <header class="card-bar"><${Button} icon="back" quiet label=${say("action.close")} onClick=${onClose} />
      <div class="card-bar-tools"><a class="button is-small" href=${to("memories", { session: id })}>${say("people.all_memories")}</a></div></header>
    <h2 class="entity-title" dir="auto">${plainly(id)}</h2>
    ${known && html`<p class="card-facts"><${SessionFacts} session=${known} /><span class="hint">${say("sessions.when", { began: moment(known.began), last: ago(known.last) })}</span></p>`}
    <${AgentWork} id=${id} />
    <${Remembered} id=${id} />
    <${AgentTurns} id=${id} />
    <${Said} id=${id} />
  </article>`;
}
