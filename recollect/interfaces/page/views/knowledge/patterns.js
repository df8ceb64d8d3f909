// What happens again and again: rhythms of the week, patterns with their instances over time, ways to do something.
import { html, useState } from "../../core/dom.js";
import { everywhere, useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { number, percent, shortDay } from "../../core/format.js";
import { to } from "../../core/router.js";
import { say } from "../../core/words.js";
import { Answer, Chip, Empty, Panel } from "../../parts/controls.js";
import { Moments, Week } from "../../parts/week.js";
import { Facts, RecordRow, beginning, plainly, textOf } from "../../parts/record.js";

const MOST = 100;

export function Patterns() {
  const schemas = useAnswer((signal) => verb("get_all", { kinds: ["schema"], limit: MOST, ...everywhere() }, { signal }), [], { live: true });
  const ways = useAnswer((signal) => verb("get_all", { kinds: ["procedural"], limit: MOST, ...everywhere() }, { signal }), [], { live: true });
  const of = (told, rhythm) => told.results.filter((record) => (record.category === "rhythm") === rhythm);
  return html`<div class="stacked">
    <${Panel} id="rhythms" title=${say("patterns.rhythms")}>
      <${Answer} answer=${schemas}>${(told) => html`<${Rhythms} records=${of(told, true)} />`}<//>
    <//>
    <div class="halves">
      <${Panel} id="patterns" title=${say("patterns.patterns")}>
        <${Answer} answer=${schemas}>${(told) => listOr(of(told, false), Pattern, "patterns.none", "patterns.none_text")}<//>
      <//>
      <${Panel} id="procedures" title=${say("patterns.procedures")}>
        <${Answer} answer=${ways}>${(told) => listOr(told.results, Procedure, "patterns.no_ways", "patterns.no_ways_text")}<//>
      <//>
    </div>
  </div>`;
}

const listOr = (records, Row, none, text) =>
  records.length
    ? html`<ul class="plain gaps">${records.map((record) => html`<${Row} key=${record.id} record=${record} />`)}</ul>`
    : html`<${Empty} icon="knowledge" title=${say(none)}><p>${say(text)}</p><//>`;

function Rhythms({ records }) {
  if (!records.length) return html`<${Empty} icon="clock" title=${say("patterns.no_rhythms")}><p>${say("patterns.no_rhythms_text")}</p><//>`;
  const dots = records
    .filter((record) => Number.isFinite(record.attributes?.minute))
    .map((record) => ({ id: record.id, on: record.attributes.on, minute: record.attributes.minute, text: plainly(textOf(record)) }));
  return html`<${Week} dots=${dots} />
    <ul class="plain gaps">${records.map((record) => html`<li key=${record.id} class="gap"><a href=${to("memories", record.id)} dir="auto">${beginning(textOf(record), 160)}</a>
      <p class="hint">${say("patterns.kept", { count: record.attributes?.occurrences ?? 0, when: record.attributes?.last ? shortDay(record.attributes.last) : "–" })}</p></li>`)}</ul>`;
}

function Pattern({ record }) {
  const [open, setOpen] = useState(false);
  return html`<li class="gap">
    <p dir="auto"><a href=${to("memories", record.id)}>${beginning(textOf(record), 220)}</a></p>
    <p><${Facts} record=${record} /></p>
    <details onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${say("patterns.instances", { count: record.attributes?.instances ?? 0 })}</summary>
      ${open && html`<${Instances} id=${record.id} />`}</details>
  </li>`;
}

/** What a pattern was seen in, on a line of time. */
function Instances({ id }) {
  const answer = useAnswer((signal) => verb("related", { id, labels: ["instance_of"], ...everywhere() }, { signal }), [id]);
  return html`<${Answer} answer=${answer} lines=${2}>${(told) => html`
    <${Moments} moments=${told.results.map((record) => record.event_time || record.created_at)} label=${say("patterns.over_time")} />
    <ul class="plain">${told.results.map((record) => html`<li key=${record.id}><${RecordRow} record=${record} /></li>`)}</ul>`}<//>`;
}

/** A record of a way to do something as steps, with how often it led there. */
function wayOf(record) {
  const told = record.attributes?.skill ?? record.attributes ?? {};
  const counted = record.attributes?.skill ? {} : (record.attributes ?? {});
  return {
    name: told.name,
    task: told.task,
    steps: Array.isArray(told.steps) ? told.steps : [],
    worked: record.success_count + (Number(counted.successes) || 0),
    failed: record.failure_count + (Number(counted.failures) || 0),
    last: record.attributes?.last,
  };
}

function Procedure({ record }) {
  const way = wayOf(record);
  const uses = way.worked + way.failed;
  return html`<li class="gap">
    <p><a href=${to("memories", record.id)} dir="auto">${plainly(way.name) || beginning(textOf(record), 200)}</a>
      ${uses > 0 && html` <${Chip} tone=${way.worked * 2 >= uses ? "good" : "warn"}>${say("patterns.worked", { share: percent(way.worked / uses), count: uses })}<//>`}</p>
    ${way.task && html`<p class="hint" dir="auto">${plainly(way.task)}</p>`}
    ${way.steps.length > 0 && html`<ol class="steps">${way.steps.map((step, index) => html`<li key=${index} dir="auto">${plainly(step)}</li>`)}</ol>`}
    ${way.last && html`<p class="hint" dir="auto">${say("patterns.last", { how: plainly(way.last) })}</p>`}
    <p><${Facts} record=${record} />${way.failed > 0 && html`<span class="hint"> ${say("patterns.failed", { count: number(way.failed) })}</span>`}</p>
  </li>`;
}
