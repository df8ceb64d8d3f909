// The areas of what is known: how much there is of each, how sure and how fresh it is; and whether a question has an answer.
import { html, useState } from "../../core/dom.js";
import { everywhere, useAnswer, useRested } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { act } from "../../core/actions.js";
import { ago, day, number, percent } from "../../core/format.js";
import { refine, to } from "../../core/router.js";
import { may } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Empty, Field, Meter, Panel } from "../../parts/controls.js";
import { beginning, plainly, whose } from "../../parts/record.js";
import { Tiles } from "../../parts/tiles.js";

const TILES_MAX = 60;
const PAGE = 24;
const WEAK = 0.4; // below so much an area is called little known

export function Map({ query }) {
  const answer = useAnswer((signal) => verb("knowledge", everywhere(), { signal }), [], { live: true });
  return html`
    <${Asking} query=${query} />
    <${Answer} answer=${answer} lines=${8}>${(told) => (told.domains.length ? html`<${Areas} told=${told} />` : html`<${None} unmapped=${told.unmapped} />`)}<//>`;
}

/** No map yet: what makes one. */
function None({ unmapped }) {
  const [busy, setBusy] = useState(false);
  const draw = async () => {
    setBusy(true);
    await act("maintain", {}, "done.maintained").catch(() => undefined);
    setBusy(false);
  };
  return html`<${Empty} icon="knowledge" title=${say("knowledge.none")}>
    <p>${say(unmapped ? "knowledge.none_text" : "knowledge.nothing_text", { count: unmapped })}</p>
    ${may("write") && unmapped > 0 && html`<p><${Button} tone="main" disabled=${busy} onClick=${draw}>${say(busy ? "knowledge.drawing" : "knowledge.draw")}<//></p>`}
  <//>`;
}

function Areas({ told }) {
  const [most, setMost] = useState(PAGE);
  const largest = [...told.domains].sort((a, b) => b.records - a.records).slice(0, TILES_MAX);
  const tiles = largest.map((each) => ({
    key: each.number,
    weight: each.records,
    share: each.confidence,
    title: plainly(each.label) || say("knowledge.unnamed"),
    note: say("knowledge.tile", { count: each.records, share: percent(each.confidence) }),
    told: `${plainly(each.label)}: ${say("knowledge.tile", { count: each.records, share: percent(each.confidence) })}`,
    href: to("knowledge", "tree", each.number),
  }));
  const unsure = told.domains.filter((each) => each.confidence < WEAK).length;
  return html`
    <dl class="facts-row">
      <div><dt>${say("knowledge.areas")}</dt><dd>${number(told.domains.length)}</dd></div>
      <div><dt>${say("knowledge.coverage")}</dt><dd>${percent(told.coverage)}</dd></div>
      <div><dt>${say("knowledge.little")}</dt><dd>${number(unsure)}</dd></div>
      <div><dt>${say("knowledge.unmapped")}</dt><dd>${number(told.unmapped)}</dd></div>
    </dl>
    <${Panel} id="areas-map" title=${say("knowledge.map_title")} aside=${html`<${Shades} />`}><${Tiles} tiles=${tiles} label=${say("knowledge.map_title")} /><//>
    <ul class="areas" aria-label=${say("knowledge.areas")}>${told.domains.slice(0, most).map((each) => html`<${Area} key=${each.number} area=${each} />`)}</ul>
    ${most < told.domains.length && html`<p class="more"><${Button} onClick=${() => setMost(most + PAGE)}>${say("knowledge.more", { count: told.domains.length - most })}<//></p>`}`;
}

const Shades = () => html`<span class="shades hint"><span>${say("knowledge.unsure")}</span>${[0, 1, 2, 3, 4].map((step) => html`<i key=${step} class=${`shade is-${step}`} />`)}<span>${say("knowledge.sure")}</span></span>`;

function Area({ area }) {
  return html`<li class="panel area">
    <header class="panel-head"><h2 dir="auto"><a href=${to("knowledge", "tree", area.number)}>${plainly(area.label) || say("knowledge.unnamed")}</a></h2>
      ${area.confidence < WEAK && html`<${Chip} tone="warn">${say("knowledge.little_known")}<//>`}</header>
    <p class="area-text" dir="auto">${beginning(area.summary, 260)}</p>
    <p class="facts">${whose(area).map((name) => html`<span key=${name} dir="auto">${name}</span>`)}
      <span>${say("knowledge.records", { count: area.records })}</span><time datetime=${area.newest} title=${day(area.newest)}>${ago(area.newest)}</time></p>
    <div class="meters">
      <${Meter} label=${say("knowledge.confidence")} value=${area.confidence} tone="strong" />
      <${Meter} label=${say("knowledge.freshness")} value=${area.freshness} />
      <${Meter} label=${say("knowledge.uncertainty")} value=${area.uncertainty} />
    </div>
  </li>`;
}

/** Whether something can be answered from what is stored, before anybody asks it. */
function Asking({ query }) {
  const [typed, setTyped] = useState(query.q ?? "");
  const words = useRested(typed.trim(), 350);
  const answer = useAnswer(async (signal) => {
    if ((query.q ?? "") !== words) refine({ q: words });
    return words ? verb("assess", { query: words, ...everywhere() }, { signal }) : null;
  }, [words]);
  const tone = { confident: "good", uncertain: "warn", unknown: "bad" };
  return html`<${Panel} id="can-it" title=${say("knowledge.ask")}>
    <${Field} id="assess" label=${say("ask.question")} hidden>
      <input id="assess" type="search" dir="auto" placeholder=${say("ask.example")} value=${typed} onInput=${(event) => setTyped(event.target.value)} />
    <//>
    <div role="status">${words && answer.data
      ? html`<p class="verdict"><${Chip} tone=${tone[answer.data.level]}>${word("sureness", answer.data.level)}<//> <b>${percent(answer.data.confidence)}</b> <a href=${to("ask", { q: words })}>${say("nav.ask")}</a></p>
          <ul class="reasons">${answer.data.reasons.map((reason) => html`<li key=${reason} dir="auto">${reason}</li>`)}</ul>`
      : null}</div>
    ${answer.error && html`<p class="hint">${answer.error.message}</p>`}
  <//>`;
}
