// A session of a coding agent: what it did in figures, what it met, and what is remembered and was learned of it.
import { html, useState } from "../core/dom.js";
import { useAnswer } from "../core/ask.js";
import { verb } from "../core/api.js";
import * as actions from "../core/actions.js";
import { ago, moment, number } from "../core/format.js";
import { to } from "../core/router.js";
import { may } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Button, Chip, Problem } from "./controls.js";
import { beginning, plainly } from "./record.js";

/** Ids of records that a session moved, by what became of them, in the order they are shown. */
const MOVED = ["learned", "again", "stored", "used", "in_vain", "cited", "shown", "found", "unknown"];
const SIGNALS_SHOWN = 12;
const IDS_SHOWN = 24;

/** Nothing for a conversation that no coding agent was at work in. */
export function AgentWork({ id }) {
  const answer = useAnswer((signal) => verb("observed", { session_id: id, limit: 3 }, { signal }), [id], { live: true });
  const [end, setEnd] = useState(null);
  const [error, setError] = useState(null);
  const conclude = () => {
    setError(null);
    actions.conclude(id).then(setEnd, setError);
  };
  return html`${(answer.data?.results ?? []).map((told) => html`<section key=${told.client} class="card-part work">
    <h3>${say("sessions.work")} <span class="hint" dir="auto">${plainly(told.client)}${told.phase ? ` · ${word("phase", told.phase)}` : ""}</span></h3>
    <dl class="work-figures">${["steps", "files", "errors", "outside"].map((name) => html`<div key=${name}><dt>${say(`sessions.fig_${name}`)}</dt><dd>${number(told[name])}</dd></div>`)}</dl>
    <p class="hint">${told.ended_at ? say("sessions.ended", { when: ago(told.ended_at) }) : say("sessions.goes_on", { when: ago(told.last_at) })}</p>
    <${Met} errors=${told.errors_met} />
    <${Moved} told=${told} />
    <${Signals} signals=${told.signals} />
    <${Problem} error=${error} />
    ${end ? html`<${Review} end=${end} />` : may("write") && html`<p class="more"><${Button} small icon="check" onClick=${conclude}>${say("sessions.review")}<//></p>`}
  </section>`)}`;
}

/** Errors, with what cured them. */
function Met({ errors }) {
  if (!errors.length) return null;
  return html`<h4>${say("sessions.met")}</h4><ul class="reasons is-warn">${errors.map((each) => html`<li key=${`${each.tool}${each.error}`}>
    <code dir="auto">${beginning(each.error, 200)}</code> <span class="hint">${plainly(each.tool)}${each.count > 1 ? ` ×${each.count}` : ""}</span>
    ${each.cured_by === null
      ? html` <${Chip} tone="warn">${say("sessions.not_cured")}<//>`
      : html` <${Chip} tone="good">${say("sessions.cured")}<//> <span class="hint" dir="auto">${plainly(each.cured_by.join(", "))}</span>`}</li>`)}</ul>`;
}

/** Which memories it was told, used, or left. */
function Moved({ told }) {
  const rows = MOVED.filter((name) => told[name].length);
  if (!rows.length) return null;
  return html`<h4>${say("sessions.moved")}</h4><dl class="pairs">${rows.map((name) => html`<dt key=${name}>${say(`sessions.is_${name}`)}</dt>
    <dd>${told[name].slice(0, IDS_SHOWN).map((id) => (name === "unknown" ? html`<code key=${id}>#${id} </code>` : html`<a key=${id} class="id-link" href=${to("memories", id)}>#${id.slice(0, 8)}</a>`))}
      ${told[name].length > IDS_SHOWN && html`<span class="hint">+${number(told[name].length - IDS_SHOWN)}</span>`}</dd>`)}</dl>`;
}

function Signals({ signals }) {
  if (!signals.length) return null;
  return html`<details class="signals"><summary>${say("sessions.signals", { count: signals.length })}</summary>
    <ul class="reasons">${signals.slice(0, SIGNALS_SHOWN).map((each, index) => html`<li key=${index}>${word("signal", each.kind)}: <code dir="auto">${beginning(each.subject, 120)}</code>${each.other ? html` + <code dir="auto">${beginning(each.other, 120)}</code>` : null}
      ${each.count > 1 && html`<span class="hint"> ×${each.count}</span>`}</li>`)}</ul></details>`;
}

/** How a session came out: what is remembered and was learned of it, what it cost, and a way to take it back. */
function Review({ end }) {
  const figures = end.figures;
  const cost = ["discovery", "hinted", "rereads", "recurrences", "told", "asked", "tokens_injected", "tokens_net"].filter((name) => figures[name] !== null);
  return html`<div class="review" role="status"><h4>${say("sessions.outcome")}</h4>
    ${end.records.length
      ? html`<ul class="plain">${end.records.map((each) => html`<li key=${each.id} class="review-row"><${Chip} tone=${each.how === "learned" ? "good" : undefined}>${say(`sessions.how_${each.how}`)}<//>
          <a class="plain-link" dir="auto" href=${to("memories", each.id)}>${beginning(each.content, 300)}</a></li>`)}</ul>`
      : html`<p class="hint">${say("sessions.nothing_learned")}</p>`}
    <dl class="pairs is-tight">${cost.map((name) => html`<dt key=${name}>${say(`sessions.cost_${name}`)}</dt><dd>${number(figures[name])}</dd>`)}</dl>
    ${may("write") && end.operations.map((operation) => html`<p key=${operation}><${Button} small icon="undo" onClick=${() => actions.undo(operation).catch(() => undefined)}>${say("sessions.take_back")}<//></p>`)}
  </div>`;
}

/** The register of turns that programs ran in it. */
export function AgentTurns({ id }) {
  const answer = useAnswer((signal) => verb("turns_status", { session_id: id, limit: 50 }, { signal }), [id], { live: true });
  const turns = answer.data?.results ?? [];
  if (!turns.length) return null;
  return html`<section class="card-part"><h3>${say("sessions.turns")}</h3>
    <ul class="turn-rows">${turns.map((turn) => html`<li key=${turn.id}><${Chip} tone=${turn.state === "open" ? "good" : turn.state === "ended" ? undefined : "warn"}>${word("turn_state", turn.state)}<//>
      <span dir="auto">${plainly(turn.name || turn.caller)}</span><span class="hint">${say("sessions.messages", { count: turn.said })}</span>
      <time class="hint" datetime=${turn.begun_at}>${moment(turn.begun_at)}</time>${turn.reason && html`<span class="hint" dir="auto">${beginning(turn.reason, 200)}</span>`}</li>`)}</ul>
  </section>`;
}
