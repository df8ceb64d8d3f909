// What a change of a file or symbol reaches, what it rests on, and what goes with it.
import { html, useEffect, useState } from "../../core/dom.js";
import { useAnswer, useRested } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { number, percent, shortDay } from "../../core/format.js";
import { refine, to } from "../../core/router.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Choice, Empty, Field, Meter, Panel } from "../../parts/controls.js";
import { plainly } from "../../parts/record.js";

const FOUND = 12;
const PAGE = 40;
const WAYS = { reaches: "code_impact", rests: "code_dependencies" };
const SURE = { exact: "good", said: "good", inferred: "", ambiguous: "warn", unresolved: "warn" };

const nameOf = (item) => (item.symbol ? `${item.path}::${item.symbol}` : item.path);

export function Impact({ project, query }) {
  const { root } = project;
  const [typed, setTyped] = useState(query.of ?? "");
  const words = useRested(typed.trim(), 250);
  useEffect(() => setTyped(query.of ?? ""), [query.of]);
  const looking = words && words !== query.of;
  const found = useAnswer(async (signal) => (looking ? verb("code_find", { name: words, root, limit: FOUND }, { signal }) : null), [looking && words, root]);
  return html`
    <form role="search" class="ask-form" onSubmit=${(event) => (event.preventDefault(), typed.trim() && refine({ of: typed.trim() }))}>
      <${Field} id="code-of" label=${say("code.of")}>
        <input id="code-of" type="search" dir="auto" spellcheck="false" autocomplete="off" placeholder=${say("code.of_example")} value=${typed} onInput=${(event) => setTyped(event.target.value)} /><//>
    </form>
    ${looking && html`<${Panel} id="code-found" title=${say("code.found")}><${Answer} answer=${found} lines=${3}>${(told) => html`<${Found} told=${told} />`}<//><//>`}
    ${query.of && !looking ? html`<${Reached} key=${query.of} of=${query.of} way=${query.way} root=${root} />` : !looking && html`<${Empty} icon="code" title=${say("code.ask")}><p>${say("code.ask_text")}</p><//>`}`;
}

function Found({ told }) {
  if (!told.items.length) return html`<p class="hint">${say("code.found_none")}</p>`;
  return html`<ul class="plain places">${told.items.map((item) => html`<li key=${nameOf(item)}>
    <a dir="auto" href=${to("code", "impact", { of: nameOf(item) })} onClick=${(event) => (event.preventDefault(), refine({ of: nameOf(item) }))}>${plainly(item.symbol || item.path)}</a>
    <span class="hint" dir="auto">${plainly(item.path)}:${item.line}</span><${Chip}>${word("node", item.kind)}<//></li>`)}</ul>`;
}

function Reached({ of, way, root }) {
  const at = Object.hasOwn(WAYS, way ?? "") ? way : "reaches";
  const [start, setStart] = useState(0);
  const answer = useAnswer((signal) => verb(WAYS[at], { path_or_symbol: of, root, limit: PAGE, start: start || undefined }, { signal }), [at, of, root, start]);
  const file = of.split("::")[0];
  return html`
    <div class="bar"><${Choice} name="code-way" label=${say("code.way")} value=${at} options=${Object.keys(WAYS).map((each) => [each, say(`code.way_${each}`)])} onChange=${(each) => (setStart(0), refine({ way: each }))} /></div>
    <div class="reached">
      <${Panel} id="reached" title=${of}><${Answer} answer=${answer} lines=${6}>${(told) => html`<${Items} told=${told} />
        ${(start > 0 || told.next != null) && html`<p class="more">${start > 0 && html`<${Button} icon="back" onClick=${() => setStart(0)}>${say("code.first")}<//>`}
          ${told.next != null && html`<${Button} onClick=${() => setStart(told.next)}>${say("code.next")}<//>`}</p>`}`}<//><//>
      <div class="stacked">
        <${Panel} id="known-about" title=${say("code.known")}>${answer.data && html`<${Known} records=${answer.data.records} way=${at} />`}<//>
        <${Pairs} file=${file} root=${root} />
      </div>
    </div>`;
}

function Items({ told }) {
  return html`<p class="hint">${told.summary}</p>
    ${told.stale.length > 0 && html`<p class="doubt"><${Chip} tone="warn">${say("code.stale", { count: told.stale.length })}<//></p>`}
    ${told.notes.map((note) => html`<p key=${note} class="hint" dir="auto">${plainly(note)}</p>`)}
    <ol class="reach">${told.items.map((item) => html`<li key=${nameOf(item)} class="reach-item">
      <a dir="auto" href=${to("code", "impact", { of: nameOf(item) })} onClick=${(event) => (event.preventDefault(), refine({ of: nameOf(item) }))}>${plainly(nameOf(item))}</a>
      <span class="reach-bar" aria-hidden="true"><i style=${{ width: `${Math.min(1, item.score) * 100}%` }} /></span>
      <span class="hint">${say("code.steps", { count: item.depth ?? 1 })}${item.at ? html` · ${say("code.line", { line: item.at })}` : null}</span>
      <span>${item.resolved !== "exact" && html`<${Chip} tone=${SURE[item.resolved]}>${word("resolved", item.resolved)}<//>`}
        ${told.tests.includes(item.path) && html`<${Chip} tone="good">${say("code.test")}<//>`}</span></li>`)}</ol>
    ${told.modules.length > 0 && html`<p class="hint">${say("code.elsewhere")} ${told.modules.map((each) => `${plainly(each.path)} (${number(each.files || each.symbols)})`).join(", ")}</p>`}`;
}

/** Warnings, invariants and decisions about what is reached. */
function Known({ records, way }) {
  if (!records.length) return html`<p class="hint">${say(way === "reaches" ? "code.known_none" : "code.known_reaches")}</p>`;
  return html`<ul class="plain gaps">${records.map((each) => html`<li key=${each.id} class="gap"><p><${Chip} tone="warn">${word("category", each.kind)}<//></p>
    <p dir="auto"><a href=${to("memories", each.id)}>${plainly(each.text)}</a></p></li>`)}</ul>`;
}

/** Files that change or are read together with one. */
function Pairs({ file, root }) {
  const answer = useAnswer((signal) => verb("code_paired", { path: file, root }, { signal }), [file, root]);
  return html`<${Panel} id="pairs" title=${say("code.pairs")}><${Answer} answer=${answer} lines=${3}>${(told) => html`
    ${told.files.length
      ? html`<ul class="plain pairs-list">${told.files.map((each) => html`<li key=${each.path}>
          <a dir="auto" href=${to("code", "impact", { of: each.path })} onClick=${(event) => (event.preventDefault(), refine({ of: each.path }))}>${plainly(each.path)}</a>
          <${Meter} label=${say("code.together", { count: each.together })} value=${each.weight} />
          <p class="hint">${[each.sessions ? say("code.in_sessions", { count: each.sessions }) : "", each.follows === true ? say("code.after") : each.follows === false ? say("code.before") : "", say("code.last", { when: shortDay(each.last_at) })].filter(Boolean).join(" · ")}</p></li>`)}</ul>`
      : html`<p class="hint">${say("code.pairs_none")}</p>`}
    ${told.missing.map((each) => html`<p key=${each} class="hint">${plainly(each)}</p>`)}
    ${told.files.length > 0 && html`<p class="hint">${say("code.weight", { share: percent(told.files[0].weight) })}</p>`}`}<//><//>`;
}
