// Pages about a time: what a morning or a session begins with, and what a period held.
import { html } from "../../core/dom.js";
import { everywhere, useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { day } from "../../core/format.js";
import { go, refine, to } from "../../core/router.js";
import { say, word } from "../../core/words.js";
import { Answer, Choice, Empty, Select } from "../../parts/controls.js";
import { plainly } from "../../parts/record.js";

const KINDS = ["morning", "session", "reflect"];
const PERIODS = [1, 7, 30, 90, 365];
const WEEK = 7;

export function Pages({ parts, query }) {
  const kind = KINDS.includes(parts[0]) ? parts[0] : KINDS[0];
  const days = Number(query.days) || WEEK;
  const answer = useAnswer(
    (signal) => (kind === "reflect" ? verb("reflect", { days, ...everywhere() }, { signal }) : verb("brief", { kind, ...everywhere() }, { signal })),
    [kind, days],
    { live: true },
  );
  return html`
    <div class="bar page-bar">
      <${Choice} name="page-kind" label=${say("pages.which")} value=${kind} options=${KINDS.map((each) => [each, say(`pages.${each}`)])} onChange=${(each) => go("knowledge", "pages", each)} />
      ${kind === "reflect" && html`<${Select} id="page-days" hidden label=${say("pages.period")} value=${String(days)} options=${PERIODS.map((each) => [String(each), say("pages.days", { count: each })])}
        onChange=${(each) => refine({ days: each })} />`}
    </div>
    <${Answer} answer=${answer} lines=${8}>${(told) => html`<article class="panel time-page" aria-labelledby="page-title">
      <h2 id="page-title">${say(`pages.${kind}_title`)}</h2><p class="hint">${day(told.since)} – ${day(told.until)}</p>
      ${told.sections.length ? told.sections.map((section) => html`<${Section} key=${section.heading} section=${section} />`) : html`<${Empty} icon="knowledge" title=${say("pages.none")}><p>${say("pages.none_text")}</p><//>`}
    </article>`}<//>`;
}

const Section = ({ section }) => html`<section><h3>${word("section", section.heading)}</h3>
  <ul class="reasons">${section.lines.map((line, index) => html`<li key=${line.id ?? index} dir="auto">${line.id ? html`<a href=${to("memories", line.id)}>${plainly(line.text)}</a>` : plainly(line.text)}</li>`)}</ul></section>`;
