// The start: what happened, what waits for a word, how the memory is doing.
import { classes, html, useEffect, useState } from "../core/dom.js";
import { everywhere, useAnswer } from "../core/ask.js";
import { verb } from "../core/api.js";
import * as actions from "../core/actions.js";
import { ago, compact, number, weekday } from "../core/format.js";
import { to } from "../core/router.js";
import { may } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Answer, Button, Chip, Empty, Head, Panel } from "../parts/controls.js";
import { Days, Spark } from "../parts/chart.js";
import { Correction } from "../parts/card_dialogs.js";
import { Icon } from "../parts/icons.js";
import { Progress } from "../parts/progress.js";
import { Facts, RecordRow, beginning } from "../parts/record.js";
import { Welcome } from "../parts/welcome.js";

const DAYS = 14;
const WAITING_SHOWN = 6;
const SORTS = ["learned", "changed", "forgotten", "asked"];

export function View() {
  const offset = -new Date().getTimezoneOffset();
  const activity = useAnswer((signal) => verb("activity", { days: DAYS, offset_minutes: offset }, { signal }), [], { live: true });
  const newest = useAnswer((signal) => verb("get_all", { limit: 6, ...everywhere() }, { signal }), [], { live: true });
  const empty = newest.data?.results.length === 0 && activity.data && SORTS.every((sort) => !activity.data.total[sort]);
  return html`
    <${Head} title=${say("nav.today")} lead=${weekday(new Date())} />
    ${empty
      ? html`<${Welcome} />`
      : html`<div class="today">
          <${Figures} answer=${activity} />
          <div class="today-main">
            <${Waiting} />
            <${Panel} id="days" title=${say("today.days")}><${Answer} answer=${activity}>${(told) => html`<${Days} days=${told.days} />`}<//><//>
          </div>
          <div class="today-side">
            <${Health} />
            <${Panel} id="newest" title=${say("today.newest")} aside=${html`<a href=${to("memories")}>${say("today.all")}</a>`}>
              <${Answer} answer=${newest}>${(told) => html`<ul class="plain rows">${told.results.map((record) => html`<li key=${record.id}><${RecordRow} record=${record} /></li>`)}</ul>`}<//>
            <//>
            <${Agents} answer=${activity} />
          </div>
        </div>`}`;
}

function Figures({ answer }) {
  return html`<div class="figures">
    ${SORTS.map((sort) => {
      const days = answer.data?.days ?? [];
      return html`<div key=${sort} class="figure">
        <p class="figure-name">${say(`today.${sort}`)}</p>
        <p class="figure-value">${answer.data ? compact(days.at(-1)[sort]) : "–"}<span class="figure-unit">${say("time.today")}</span></p>
        ${answer.data && html`<${Spark} name=${sort} values=${days.map((day) => day[sort])} />`}
        <p class="hint">${answer.data ? say("today.in_days", { count: answer.data.total[sort], days: DAYS }) : ""}</p>
      </div>`;
    })}
  </div>`;
}

/** What waits for a person, one after the other, with a key for each answer. */
function Waiting() {
  const answer = useAnswer((signal) => verb("review", { limit: 50, ...everywhere() }, { signal }), [], { live: true });
  const [at, setAt] = useState(0);
  return html`<${Panel} id="waiting" class="waiting" title=${say("today.waiting")}
    aside=${answer.data?.results.length ? html`<${Chip} tone="warn">${number(answer.data.results.length)}<//>` : null}>
    <${Answer} answer=${answer}>${(told) =>
      told.results.length
        ? html`<ul class="plain waits">${told.results.slice(0, WAITING_SHOWN).map((each, index) => html`<${Wait} key=${`${each.why}${each.id}${each.question?.id ?? ""}`}
            wait=${each} on=${index === Math.min(at, WAITING_SHOWN - 1, told.results.length - 1)} choose=${() => setAt(index)} />`)}</ul>`
        : html`<${Empty} icon="check" title=${say("today.nothing_waits")}><p>${say("today.nothing_waits_text")}</p><//>`}<//>
  <//>`;
}

function Wait({ wait, on, choose }) {
  const [correcting, setCorrecting] = useState(false);
  const change = wait.question?.kind === "change";
  const offers = !may("write")
    ? []
    : change
      ? [["y", "check", "answer.yes", () => actions.answer(wait.question.id, true)], ["n", "close", "answer.no", () => actions.answer(wait.question.id, false)]]
      : wait.why === "approval"
        ? [["c", "check", "action.approve", () => actions.approve(wait.id)], ["d", "forget", "action.refuse", () => actions.refuse(wait.id)]]
      : wait.question
        ? [["x", "close", "answer.dismiss", () => actions.dismiss(wait.question.id)]]
        : [
            ["c", "check", wait.why === "quarantined" ? "action.release" : "action.confirm", () => actions.confirm(wait.id)],
            ["e", "correct", "action.correct", async () => setCorrecting(true)],
            ["d", "forget", "action.forget", () => actions.forget(wait.id)],
          ];
  useEffect(() => {
    const pressed = (event) => {
      if (!on || event.target.closest?.("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
      const offer = offers.find(([key]) => key === event.key);
      if (!offer) return;
      event.preventDefault();
      offer[3]().catch(() => undefined);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
  const record = wait.record;
  return html`<li class=${classes("wait", on && "is-on")} onFocusIn=${choose} onMouseEnter=${choose}>
    <p class="wait-why"><${Chip} tone=${wait.why === "approval" || wait.why === "quarantined" || wait.why === "flagged" ? "bad" : "warn"}>${word("why", wait.why)}<//>
      <span class="hint">${wait.question ? wait.question.text : wait.reason}</span></p>
    ${wait.memory && html`<p class="wait-text" dir="auto">${record ? html`<a href=${to("memories", record.id)}>${beginning(wait.memory)}</a>` : beginning(wait.memory)}</p>`}
    ${record && html`<p><${Facts} record=${record} /></p>`}
    <div class="wait-offers">${offers.map(([key, icon, told, run]) => html`<${Button} key=${key} small icon=${icon} aria-keyshortcuts=${key} onClick=${() => run().catch(() => undefined)}>
      ${say(told)} ${on && html`<kbd aria-hidden="true">${key}</kbd>`}<//>`)}</div>
    ${correcting && record && html`<${Correction} record=${record} onClose=${() => setCorrecting(false)} />`}
  </li>`;
}

function Health() {
  const answer = useAnswer((signal) => verb("health", {}, { signal }), [], { live: true });
  const meter = useAnswer((signal) => verb("sessions_meter", { limit: 1 }, { signal }), []);
  useEffect(() => {
    const again = setInterval(answer.again, 15_000);
    return () => clearInterval(again);
  }, []);
  return html`<${Panel} id="health" title=${say("today.health")} aside=${answer.data && html`<${Chip} tone=${answer.data.status === "ok" ? "good" : "warn"}>${word("status", answer.data.status)}<//>`}>
    <${Answer} answer=${answer}>${(told) => html`
      ${told.score !== undefined && html`<p class="figure-value">${number(told.score, 2)}</p>`}
      ${told.warnings.length
        ? html`<ul class="reasons is-warn">${told.warnings.map((warning) => html`<li key=${warning}>${warning}</li>`)}</ul>`
        : html`<p class="all-well"><${Icon} name="check" />${say("health.well")}</p>`}
      ${!told.indexes_warm && html`<${Progress} label=${say("health.warming")} share=${told.index_warm_percent / 100} />`}
      ${waitingJobs(told).length > 0 && html`<${Progress} label=${say("health.jobs")} share=${jobsDone(told)} told=${waitingJobs(told).map(([state, count]) => `${number(count)} ${word("job", state)}`).join(", ")} />`}
      <dl class="pairs is-tight">${healthRows(told, meter.data?.total).map(([name, value]) => html`<dt key=${name}>${say(`health.${name}`)}</dt><dd>${value}</dd>`)}</dl>`}<//>
  <//>`;
}

const waitingJobs = (told) => Object.entries(told.jobs || {}).filter(([state]) => state !== "done" && state !== "failed");

/** Of the jobs that are known of, the share that is done. */
function jobsDone(told) {
  const waiting = waitingJobs(told).reduce((sum, [, count]) => sum + count, 0);
  const done = told.jobs.done ?? 0;
  return done / Math.max(1, done + waiting);
}

function healthRows(told, meter) {
  const some = (value, shown) => (value === null || value === undefined ? "–" : shown);
  return [
    ["search", some(told.search_ms_avg, `${number(told.search_ms_avg, 1)} ms`)],
    ["slowest", some(told.search_ms_p99, `${number(told.search_ms_p99, 1)} ms`)],
    ["indexes", told.indexes_warm ? say("health.warm") : `${told.index_warm_percent} %`],
    ["level", word("level", told.level)],
    ["vectors_waiting", some(told.pending_embeddings, number(told.pending_embeddings ?? 0))],
    ["failed", number(told.jobs?.failed ?? 0)],
    ["ram", told.rss_mb ? `${number(told.rss_mb)} MB` : "–"],
    ["model", told.model ? `${told.model} (${told.model_state})` : say("health.no_model")],
    ["encrypted", say(told.encrypted ? "yes" : "no")],
    ["backup", told.backup_age_hours === null || told.backup_age_hours === undefined ? say("health.never") : ago(new Date(Date.now() - told.backup_age_hours * 3_600_000))],
    ["consolidated", told.last_consolidation ? ago(told.last_consolidation) : say("health.never")],
    ...(meter?.sessions ? [["injected", number(meter.tokens_injected)], ["saved", some(meter.tokens_saved, number(meter.tokens_saved))]] : []),
  ];
}

function Agents({ answer }) {
  const agents = answer.data?.agents ?? [];
  if (!agents.length) return null;
  return html`<${Panel} id="agents" title=${say("today.agents", { days: DAYS })}>
    <div class="scroll-x" tabindex="0"><table class="table">
      <thead><tr><th scope="col">${say("today.who")}</th>${SORTS.map((sort) => html`<th key=${sort} scope="col" class="num">${say(`today.${sort}`)}</th>`)}</tr></thead>
      <tbody>${agents.slice(0, 8).map((each) => html`<tr key=${each.agent}><th scope="row" dir="auto">${each.agent === "owner" ? say("who.owner") : each.agent}</th>
        ${SORTS.map((sort) => html`<td key=${sort} class="num">${number(each[sort])}</td>`)}</tr>`)}</tbody>
    </table></div>
  <//>`;
}
