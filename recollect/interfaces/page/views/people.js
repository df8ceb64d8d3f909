// Who and what records name: everybody with how often, and one of them whole, with other names, company and past.
import { classes, html, useMemo, useState } from "../core/dom.js";
import { everywhere, useAnswer } from "../core/ask.js";
import { verb } from "../core/api.js";
import { ago, day, moment, number } from "../core/format.js";
import { go, refine, to } from "../core/router.js";
import { may } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Answer, Button, Chip, Empty, Field, Head, Problem, Select } from "../parts/controls.js";
import { Merging, Splitting } from "../parts/entity_dialogs.js";
import { List } from "../parts/list.js";
import { RecordRow, beginning, plainly, whose } from "../parts/record.js";

const ROW = 66;
const LISTED = 1000; // the most that are listed; the verb looks at so many that were seen last
const TYPES = ["person", "organization", "project", "place", "tool", "technology", "service", "file", "concept"];

export function View({ parts, query }) {
  const open = parts[0] ?? null;
  const type = TYPES.includes(query.type) ? query.type : "";
  const answer = useAnswer((signal) => verb("entities", { type, limit: LISTED, ...everywhere() }, { signal }), [type], { live: true });
  const words = (query.q ?? "").trim().toLowerCase();
  const all = answer.data?.results;
  const shown = useMemo(() => (all ?? []).filter((each) => !words || [each.name, ...each.aliases].some((name) => name.toLowerCase().includes(words))), [all, words]);
  return html`<div class=${classes("memories people", open && "has-card")}>
    <div class="memories-list">
      <${Head} title=${say("nav.people")} lead=${all ? say("people.count", { count: shown.length }) : ""} />
      <div class="bar">
        <${Field} id="people-words" label=${say("people.words")} hidden>
          <input id="people-words" type="search" dir="auto" placeholder=${say("people.words")} value=${query.q ?? ""} onInput=${(event) => refine({ q: event.target.value })} />
        <//>
        <${Select} id="people-type" label=${say("people.type")} hidden value=${type} onChange=${(chosen) => refine({ type: chosen })}
          options=${[["", say("people.all_types")], ...TYPES.map((each) => [each, word("type", each)])]} />
      </div>
      ${answer.error && html`<${Problem} error=${answer.error} again=${answer.again} />`}
      ${all && !shown.length
        ? html`<${Nobody} narrowed=${Boolean(words || type)} />`
        : html`<${List} items=${shown} height=${ROW} label=${say("nav.people")} selected=${open ?? undefined} total=${shown.length}
            onOpen=${(each) => go("people", each.id, query)}
            row=${(each, state) => html`<${EntityRow} entity=${each} query=${query} ...${state} />`} />`}
    </div>
    ${open && html`<aside class="memories-card" aria-label=${say("people.one")}><${Profile} key=${open} id=${open} known=${all ?? []} onClose=${() => go("people", query)} /></aside>`}
  </div>`;
}

function Nobody({ narrowed }) {
  return html`<${Empty} icon="people" title=${say(narrowed ? "people.none_fit" : "people.none")}>
    ${narrowed ? html`<a class="button" href=${to("people")}>${say("memories.clear")}</a>` : html`<p>${say("people.none_text")}</p><p><code>recollect demo --ui</code></p>`}
  <//>`;
}

function EntityRow({ entity, query, selected, tabindex, index, open }) {
  return html`<a class=${classes("record", selected && "is-on")} href=${to("people", entity.id, query)} tabindex=${tabindex} data-index=${index}
    aria-current=${selected ? "true" : undefined} onClick=${(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open();
    }}>
    <span class="entity-line"><b class="entity-name" dir="auto">${plainly(entity.name)}</b><span class="entity-count">${number(entity.mention_count)}</span></span>
    <span class="record-line"><span class="facts"><span class=${`kind type-${entity.type}`}>${word("type", entity.type)}</span>
      ${entity.aliases.length > 0 && html`<span dir="auto">${plainly(entity.aliases.join(", "))}</span>`}
      ${whose(entity).map((name) => html`<span key=${name} dir="auto">${plainly(name)}</span>`)}</span></span>
  </a>`;
}

/** One of them, whole. */
function Profile({ id, known, onClose }) {
  const answer = useAnswer((signal) => verb("entity", { name: id, ...everywhere() }, { signal }), [id], { live: true });
  const missing = answer.error?.status === 404 || (!answer.loading && !answer.error && !answer.data);
  if (missing) {
    return html`<article class="card"><${Bar} onClose=${onClose} /><${Empty} icon="people" title=${say("people.gone")}><p>${say("people.gone_text")}</p><//></article>`;
  }
  return html`<article class="card" aria-label=${say("people.one")}>
    <${Answer} answer=${answer}>${(told) => html`<${Whole} key=${told.id} told=${told} known=${known} onClose=${onClose} />`}<//>
  </article>`;
}

const Bar = ({ onClose, children }) => html`<header class="card-bar">
  <${Button} icon="back" quiet label=${say("action.close")} onClick=${onClose} />
  <div class="card-bar-tools">${children}</div>
</header>`;

function Whole({ told, known, onClose }) {
  const [open, setOpen] = useState(null);
  return html`
    <${Bar} onClose=${onClose}>
      ${may("write") && html`<${Button} small icon="merge" onClick=${() => setOpen("merge")}>${say("people.merge")}<//>
        <${Button} small icon="people" disabled=${!told.aliases.length} title=${told.aliases.length ? undefined : say("people.split_none")} onClick=${() => setOpen("split")}>${say("people.split")}<//>`}
      <a class="button is-small" href=${to("memories", { entity: told.name })}>${say("people.all_memories")}</a>
    <//>
    <h2 class="entity-title" dir="auto">${plainly(told.name)}</h2>
    <p class="card-facts"><span class=${`kind type-${told.type}`}>${word("type", told.type)}</span>
      <span class="hint">${say("people.mentioned", { count: told.mention_count })}</span>
      <span class="hint" title=${`${moment(told.first_seen)} – ${moment(told.last_seen)}`}>${say("people.seen", { first: day(told.first_seen), last: ago(told.last_seen) })}</span></p>
    ${told.aliases.length > 0 && html`<ul class="tags" aria-label=${say("people.aliases")}>${told.aliases.map((alias) => html`<li key=${alias} class="tag" dir="auto">${plainly(alias)}</li>`)}</ul>`}
    ${told.summary && html`<p class="entity-summary" dir="auto">${beginning(told.summary, 1200)}</p>`}
    <${Statements} records=${[...told.telling, ...told.newest]} />
    <${Records} title=${say("people.telling")} records=${told.telling} />
    <${Records} title=${say("people.newest")} records=${told.newest.filter((each) => !told.telling.some((other) => other.id === each.id))} />
    <${Company} title=${say("people.together")} others=${told.together} known=${known} figure=${(each) => say("people.in_records", { count: each.count })} />
    <${Company} title=${say("people.similar")} others=${told.similar} known=${known} figure=${(each) => number(each.similarity, 2)} />
    <${Past} name=${told.name} id=${told.id} />
    ${open === "merge" && html`<${Merging} entity=${told} onClose=${() => setOpen(null)} />`}
    ${open === "split" && html`<${Splitting} entity=${told} onClose=${() => setOpen(null)} />`}`;
}

const Records = ({ title, records }) =>
  records.length > 0 &&
  html`<section class="card-part"><h3>${title}</h3>
    <ul class="plain">${records.map((record) => html`<li key=${record.id}><${RecordRow} record=${record} /></li>`)}</ul>
  </section>`;

/** What is stated of it and of others, as subject, predicate and object. */
function Statements({ records }) {
  const seen = new Map(records.filter((each) => each.subject && each.predicate && each.object).map((each) => [each.id, each]));
  if (!seen.size) return null;
  return html`<section class="card-part"><h3>${say("people.relations")}</h3>
    <div class="scroll-x" tabindex="0"><table class="table">
      <tbody>${[...seen.values()].map((each) => html`<tr key=${each.id}><th scope="row" dir="auto">${beginning(each.subject, 80)}</th><td dir="auto">${beginning(each.predicate, 60).replaceAll("_", " ")}</td>
        <td dir="auto"><a href=${to("memories", each.id)}>${beginning(each.object, 120)}</a></td></tr>`)}</tbody></table></div>
  </section>`;
}

function Company({ title, others, known, figure }) {
  if (!others.length) return null;
  const idOf = (each) => known.find((other) => other.name === each.name && other.type === each.type)?.id ?? each.name;
  return html`<section class="card-part"><h3>${title}</h3>
    <ul class="company">${others.map((each) => html`<li key=${`${each.type} ${each.name}`}><a class="chip is-choice" href=${to("people", idOf(each))}>
      <span class=${`kind type-${each.type}`} dir="auto">${plainly(each.name)}</span><span class="hint">${figure(each)}</span></a></li>`)}</ul>
  </section>`;
}

/** How what is known about it came about. */
function Past({ name, id }) {
  const answer = useAnswer((signal) => verb("timeline", { topic: name, limit: 40, ...everywhere() }, { signal }), [name, id], { live: true });
  return html`<section class="card-part"><h3>${say("people.timeline")}</h3>
    <${Answer} answer=${answer} lines=${3}>${(told) =>
      told.results.length
        ? html`<ol class="past">${told.results.map((step, index) => html`<li key=${`${step.id} ${index}`}>
            <p class="past-line"><${Chip} tone=${step.transition === "correction" ? "warn" : step.transition === "reinforcement" ? "good" : undefined}>${word("transition", step.transition)}<//>
              <time datetime=${step.at} title=${moment(step.at)}>${day(step.at)}</time>
              ${step.ended_at && html`<${Chip}>${say("standing.ended", { when: ago(step.ended_at) })}<//>`}</p>
            <p><a class="plain-link" dir="auto" href=${to("memories", step.id)}>${beginning(step.memory, 300)}</a></p>
            ${step.replaced && html`<p class="hint" dir="auto"><del>${beginning(step.replaced, 200)}</del></p>`}
          </li>`).reverse()}</ol>`
        : html`<p class="hint">${say("people.no_timeline")}</p>`}<//>
  </section>`;
}
