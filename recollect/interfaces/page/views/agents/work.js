// Every agent with what it remembers and did lately, and the turns that are under way.
import { html } from "../../core/dom.js";
import { everywhere, useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { act } from "../../core/actions.js";
import { ago, moment, number } from "../../core/format.js";
import { refine, to } from "../../core/router.js";
import { may } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Choice, Empty, Panel } from "../../parts/controls.js";
import { Days } from "../../parts/chart.js";
import { plainly, whose } from "../../parts/record.js";

const PERIODS = [7, 14, 30, 90];
const USUAL = 14;
const AGENTS_MAX = 200;
const TURNS = 20;
const MINDS = 200;
const SORTS = ["learned", "changed", "forgotten", "asked"];
const OWNER = "owner"; // as `activity` calls whoever came without a token

export function Work({ query }) {
  const days = PERIODS.includes(Number(query.days)) ? Number(query.days) : USUAL;
  const offset = -new Date().getTimezoneOffset();
  const activity = useAnswer((signal) => verb("activity", { days, offset_minutes: offset }, { signal }), [days], { live: true });
  const counts = useAnswer((signal) => verb("counts", { limit: AGENTS_MAX, ...everywhere() }, { signal }), [], { live: true });
  const minds = useAnswer((signal) => verb("working_minds", { limit: MINDS }, { signal }), [], { live: true });
  const turns = useAnswer((signal) => verb("turns_status", { limit: TURNS }, { signal }), [], { live: true });
  return html`<div class="stacked">
    <${Panel} id="use" title=${say("agents.use")} aside=${html`<${Choice} name="use-days" label=${say("pages.period")} value=${String(days)} options=${PERIODS.map((each) => [String(each), say("pages.days", { count: each })])} onChange=${(each) => refine({ days: each })} />`}>
      <${Answer} answer=${activity}>${(told) => html`<${Days} days=${told.days} />`}<//>
    <//>
    <${Panel} id="who" title=${say("agents.who")}>
      <${Answer} answer=${activity}>${(told) => html`<${Who} rows=${rowsOf(told, counts.data, minds.data)} />`}<//>
    <//>
    <${Panel} id="turns" title=${say("agents.turns")}><${Answer} answer=${turns} lines=${3}>${(told) => html`<${Turns} turns=${told.results} />`}<//><//>
  </div>`;
}

/** Whoever did something, is named in a memory, or has a mind. */
function rowsOf(activity, counts, minds) {
  const found = new Map();
  const row = (name) => {
    if (!found.has(name)) found.set(name, { name, records: 0, minds: 0, did: null });
    return found.get(name);
  };
  for (const each of activity.agents) row(each.agent).did = each;
  for (const [name, records] of Object.entries(counts?.agent_id ?? {})) row(name).records = records;
  for (const each of minds?.results ?? []) if (each.agent_id) row(each.agent_id).minds += 1;
  return [...found.values()];
}

function Who({ rows }) {
  if (!rows.length) return html`<${Empty} icon="agents" title=${say("agents.none")}><p>${say("agents.none_text")}</p><pre class="example" tabindex="0"><code>mem.add("The build needs Java 21", agent_id="rex", project="atlas")</code></pre><//>`;
  return html`<div class="scroll-x" tabindex="0"><table class="table">
    <thead><tr><th scope="col">${say("today.who")}</th>${SORTS.map((sort) => html`<th key=${sort} scope="col" class="num">${say(`today.${sort}`)}</th>`)}
      <th scope="col" class="num">${say("agents.records")}</th><th scope="col" class="num">${say("agents.minds")}</th></tr></thead>
    <tbody>${rows.map((each) => html`<tr key=${each.name}><th scope="row" dir="auto">${each.name === OWNER ? say("who.owner") : !each.records ? plainly(each.name) : html`<a href=${to("memories", { agent_id: each.name })}>${plainly(each.name)}</a>`}</th>
      ${SORTS.map((sort) => html`<td key=${sort} class="num">${number(each.did?.[sort] ?? 0)}</td>`)}
      <td class="num">${number(each.records)}</td><td class="num">${each.minds ? html`<a href=${to("agents", "minds", { agent: each.name })}>${number(each.minds)}</a>` : "0"}</td></tr>`)}</tbody>
  </table></div>`;
}

const TONE = { open: "good", aborted: "warn", orphaned: "warn" };

function Turns({ turns }) {
  if (!turns.length) return html`<p class="hint">${say("agents.no_turns")}</p>`;
  return html`<ul class="plain gaps">${turns.map((turn) => html`<li key=${turn.id} class="gap">
    <p><${Chip} tone=${TONE[turn.state]}>${word("turn", turn.state)}<//> ${[...whose(turn), turn.caller, turn.name, turn.session_id].filter(Boolean).map((name, index) => html` <span key=${index} class="hint" dir="auto">${plainly(name)}</span>`)}
      <time class="hint" datetime=${turn.begun_at} title=${moment(turn.begun_at)}> ${ago(turn.begun_at)}</time></p>
    <p class="hint">${say("agents.said", { count: turn.said })}${turn.reason ? html` · <span dir="auto">${plainly(turn.reason)}</span>` : null}</p>
    ${turn.state === "open" && may("write") && html`<div class="wait-offers"><${Button} small icon="close" onClick=${() => act("turns_abort", { id: turn.id, reason: "stopped on the page" }, "done.stopped").catch(() => undefined)}>${say("agents.stop")}<//></div>`}
  </li>`)}</ul>`;
}
