// What sessions of agents cost and what memory spared them, a loss as well as a gain.
import { classes, html } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { number, percent, shortDay } from "../../core/format.js";
import { refine, to } from "../../core/router.js";
import { say } from "../../core/words.js";
import { Answer, Choice, Empty, Panel } from "../../parts/controls.js";
import { Signed } from "../../parts/signed.js";
import { plainly } from "../../parts/record.js";

const SESSIONS = 60;
const PERIODS = { week: 7, month: 30, quarter: 90, all: 0 };
const DAY_MS = 86_400_000;
const FIGURES = ["sessions", "steps", "edited", "discovery", "hinted", "reads", "rereads", "errors", "recurrences", "told", "asked", "tokens_looked", "tokens_injected", "tokens_saved", "tokens_net"];

export function Meters({ query }) {
  const period = Object.hasOwn(PERIODS, query.period ?? "") ? query.period : "all";
  const since = PERIODS[period] ? new Date(Date.now() - PERIODS[period] * DAY_MS).toISOString() : undefined;
  const meter = useAnswer((signal) => verb("sessions_meter", { limit: SESSIONS, since }, { signal }), [period], { live: true });
  const coverage = useAnswer((signal) => verb("sessions_coverage", {}, { signal }), [], { live: true });
  return html`
    <div class="bar page-bar"><${Choice} name="meter-period" label=${say("pages.period")} value=${period} options=${Object.keys(PERIODS).map((name) => [name, say(`meter.${name}`)])} onChange=${(name) => refine({ period: name })} /></div>
    <${Answer} answer=${meter} lines=${6}>${(told) => (told.total.sessions ? html`<${Told} told=${told} />` : html`<${Empty} icon="clock" title=${say("meter.none")}><p>${say("meter.none_text")}</p><p><code>recollect hooks install --client claude-code --write</code></p><//>`)}<//>
    ${coverage.data?.sessions > 0 && html`<${Covered} told=${coverage.data} />`}`;
}

function Told({ told }) {
  const { total } = told;
  const sessions = [...told.sessions].reverse();
  return html`
    <dl class="facts-row">
      <div><dt>${say("meter.tokens_net")}</dt><dd class=${classes(total.tokens_net < 0 && "is-loss")}>${signed(total.tokens_net)}</dd></div>
      <div><dt>${say("meter.tokens_saved")}</dt><dd>${signed(total.tokens_saved)}</dd></div>
      <div><dt>${say("meter.tokens_injected")}</dt><dd>${number(total.tokens_injected)}</dd></div>
      <div><dt>${say("meter.recurrences")}</dt><dd>${number(total.recurrences)}</dd></div>
    </dl>
    <p class="hint">${total.compared ? say("meter.compared", { count: total.compared }) : say("meter.no_baseline")}</p>
    ${total.compared > 0 && html`<${Panel} id="by-session" title=${say("meter.by_session")}>
      <${Signed} bars=${sessions.map((each) => ({ key: `${each.client} ${each.id} ${each.project}`, value: each.tokens_net ?? 0, label: `${shortDay(each.at)}, ${plainly(each.id)}` }))} caption=${say("meter.by_session")} unit=${say("meter.tokens_net")} /><//>`}
    <${Panel} id="compared" class="spaced" title=${say("meter.with_without")}><${Compared} told=${told} /><//>
    <${Panel} id="meter-sessions" class="spaced" title=${say("meter.sessions")}><div class="scroll-x" tabindex="0"><table class="table">
      <thead><tr><th scope="col">${say("meter.session")}</th>${["steps", "discovery", "rereads", "errors", "tokens_injected", "tokens_net"].map((name) => html`<th key=${name} scope="col" class="num">${say(`meter.${name}`)}</th>`)}</tr></thead>
      <tbody>${told.sessions.map((each) => html`<tr key=${`${each.client} ${each.id} ${each.project}`}><th scope="row" dir="auto">${plainly(each.id)} <span class="hint">${plainly(each.client)} · ${shortDay(each.at)}</span></th>
        ${["steps", "discovery", "rereads", "errors", "tokens_injected"].map((name) => html`<td key=${name} class="num">${number(each[name])}</td>`)}<td class="num">${signed(each.tokens_net)}</td></tr>`)}</tbody></table></div><//>`;
}

const signed = (value) => (value === null || value === undefined ? "–" : `${value > 0 ? "+" : ""}${number(value)}`);

/** Sessions that memory said nothing to beside those that it did, for each session. */
function Compared({ told }) {
  const each = (figures, name) => (name === "sessions" ? number(figures.sessions) : figures.sessions && figures[name] !== null ? number(figures[name] / figures.sessions, 1) : "–");
  return html`<div class="scroll-x" tabindex="0"><table class="table">
    <thead><tr><th scope="col">${say("meter.figure")}</th><th scope="col" class="num">${say("meter.quiet")}</th><th scope="col" class="num">${say("meter.with_memory")}</th><th scope="col" class="num">${say("meter.total")}</th></tr></thead>
    <tbody>${FIGURES.map((name) => html`<tr key=${name}><th scope="row">${say(`meter.${name}`)}</th><td class="num">${each(told.quiet, name)}</td><td class="num">${each(told.told, name)}</td><td class="num">${number(told.total[name])}</td></tr>`)}</tbody></table></div>`;
}

function Covered({ told }) {
  return html`<${Panel} id="coverage" class="spaced" title=${say("meter.coverage")}>
    <p class="hint">${say("meter.coverage_text", { events: told.events, sessions: told.sessions, errors: told.errors, cured: told.cured })}</p>
    <div class="scroll-x" tabindex="0"><table class="table">
      <thead><tr><th scope="col">${say("meter.folder")}</th>${["sessions", "files", "edited", "known", "records"].map((name) => html`<th key=${name} scope="col" class="num">${say(`meter.folder_${name}`)}</th>`)}</tr></thead>
      <tbody>${told.modules.map((each) => html`<tr key=${each.module}><th scope="row" dir="auto"><a href=${to("code", "impact", { of: each.module })}>${plainly(each.module)}</a></th>
        <td class="num">${number(each.sessions)}</td><td class="num">${number(each.files)}</td><td class="num">${number(each.edited)}</td><td class="num">${number(each.known)} <span class="hint">${percent(each.files ? each.known / each.files : 0)}</span></td><td class="num">${number(each.records)}</td></tr>`)}</tbody></table></div><//>`;
}
