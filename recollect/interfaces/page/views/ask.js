// A question, what it finds, and what a model would be told: side by side, with the reasons.
import { classes, html, useEffect, useRef, useState } from "../core/dom.js";
import { everywhere, useAnswer, useRested, useWords } from "../core/ask.js";
import { verb } from "../core/api.js";
import * as actions from "../core/actions.js";
import { endOf, number, percent } from "../core/format.js";
import { refine, to } from "../core/router.js";
import { isOwner, may } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Answer, Button, Check, Chip, Empty, Field, Head, Panel } from "../parts/controls.js";
import { Leanings, waysOf } from "../parts/leanings.js";
import { MomentSlider } from "../parts/moment_slider.js";
import { Facts, beginning, standing, textOf } from "../parts/record.js";
import { Waterfall } from "../parts/waterfall.js";

const BUDGETS = [200, 4000]; // tokens, from and to
const BUDGET = 1200;
const TOP_K = 12;
const CHOICES = ["as_of", "known_at", "user", "rerank", "phase", "w", "compare"]; // with one of them in the address the options are open

export function View({ query }) {
  const [typed, setTyped, words] = useWords(query.q, 300);
  const box = useRef(null);
  const budget = Number(query.budget) || BUDGET;
  const rested = useRested(budget, 150);
  useEffect(() => box.current?.focus(), []);
  const where = query.user ? { user_id: query.user } : everywhere();
  const times = { as_of: endOf(query.as_of), known_at: endOf(query.known_at) };
  const asked = { query: words, ...where, ...times };
  const key = useRested(JSON.stringify([asked, waysOf(query)]), 120);
  const found = useAnswer(async (signal) => (words ? search(asked, waysOf(query), signal) : null), [key]);
  const window_ = useAnswer(
    async (signal) => (words && !query.compare ? verb("context", { prompt: words, max_tokens: rested, ...where, ...times }, { signal }) : null),
    [JSON.stringify(asked), rested, Boolean(query.compare)],
  );
  return html`
    <${Head} title=${say("nav.ask")} lead=${say("ask.lead")} />
    <form class="ask-form" role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Field} id="question" label=${say("ask.question")} hidden>
        <input id="question" ref=${box} type="search" dir="auto" class="ask-box" placeholder=${say("ask.example")} value=${typed} onInput=${(event) => setTyped(event.target.value)} />
      <//>
      <${Options} query=${query} known=${found.data?.quality.weights ?? {}} />
    </form>
    ${words
      ? html`<div class="ask">
          <${Panel} id="found" title=${say(query.compare ? "ask.first" : "ask.found")} aside=${took(found)}>
            <${Answer} answer=${found}>${(told) => html`<${Found} told=${told} question=${words} inWindow=${window_.data} />`}<//>
          <//>
          ${query.compare
            ? html`<${Second} asked=${asked} query=${query} first=${found.data} />`
            : html`<${Panel} id="window" title=${say("ask.window")} aside=${window_.data && html`<span class="hint">${say("ask.tokens", { count: window_.data.tokens, limit: window_.data.limit })}</span>`}>
                <${Field} id="budget" label=${say("ask.budget", { count: budget })}>
                  <input id="budget" type="range" min=${BUDGETS[0]} max=${BUDGETS[1]} step="100" value=${budget} onInput=${(event) => refine({ budget: event.target.value })} />
                <//>
                <${Answer} answer=${window_}>${(told) => html`<${Window} told=${told} found=${found.data} />`}<//>
              <//>`}
        </div>`
      : html`<${Empty} icon="ask" title=${say("ask.empty")}><p>${say("ask.empty_text")}</p><//>`}`;
}

const search = (asked, ways, signal) => verb("search", { ...asked, ...ways, top_k: TOP_K, explain: true }, { signal });
const took = (answer) => answer.data && html`<span class="hint">${say("ask.took", { ms: number(answer.data.quality.latency_ms, 1), count: answer.data.quality.candidates })}</span>`;

/** The same question in another configuration; each hit says where the first one had it. */
function Second({ asked, query, first }) {
  const ways = waysOf(query, "b_");
  const key = useRested(JSON.stringify([asked, ways]), 120);
  const answer = useAnswer((signal) => search(asked, ways, signal), [key]);
  const places = new Map((first?.results ?? []).map((hit, index) => [hit.id, index + 1]));
  return html`<${Panel} id="second" title=${say("ask.second")} aside=${took(answer)}>
    <details class="ask-second" open><summary>${say("ask.second_how")}</summary><${Leanings} query=${query} side="b_" known=${answer.data?.quality.weights ?? {}} /></details>
    <${Answer} answer=${answer}>${(told) => html`<${Found} told=${told} question=${asked.query} inWindow=${null} places=${places} />`}<//>
  <//>`;
}

function Options({ query, known }) {
  const stats = useAnswer((signal) => verb("stats", {}, { signal }), []);
  const [open] = useState(CHOICES.some((name) => query[name])); // at first; then it is the reader's to open and close
  return html`<details class="ask-options" open=${open}>
    <summary>${say("ask.options")}</summary>
    <div class="ask-choices">
      <div class="filters">
        ${isOwner() && html`<${Field} id="ask-user" label=${word("field", "user_id")} hint=${say("ask.user_hint")}><input id="ask-user" type="text" dir="auto" aria-describedby="ask-user-hint" value=${query.user ?? ""} onChange=${(event) => refine({ user: event.target.value })} /><//>`}
        <${MomentSlider} name="as_of" query=${query} oldest=${stats.data?.oldest} hint=${say("filter.as_of_hint")} />
        <${MomentSlider} name="known_at" query=${query} oldest=${stats.data?.oldest} hint=${say("filter.known_at_hint")} />
        <${Check} id="ask-compare" label=${say("ask.compare")} checked=${Boolean(query.compare)} onChange=${(on) => refine({ compare: on ? 1 : "", ...(on ? {} : { b_w: "", b_rerank: "", b_phase: "" }) })} />
      </div>
      <${Leanings} query=${query} known=${known} />
    </div>
  </details>`;
}

function Found({ told, question, inWindow, places }) {
  const used = new Set((inWindow?.parts ?? []).flatMap((part) => part.items.map((item) => item.id)));
  return html`
    ${(told.abstained || told.reason || told.missing.length > 0) && html`<p class="doubt"><${Chip} tone="warn">${say(told.abstained ? "ask.abstained" : "ask.note")}<//> ${[told.reason, ...told.missing].filter(Boolean).join("; ")}</p>`}
    <p class="hint">${say("ask.answerable", { share: percent(told.quality.answerable) })}</p>
    <ol class="hits">${told.results.map((hit, index) => html`<${Hit} key=${hit.id} hit=${hit} place=${index + 1} trace=${told.trace} question=${question} used=${inWindow ? used.has(hit.id) : null} was=${places && (places.get(hit.id) ?? 0)} />`)}</ol>
    ${!told.results.length && html`<${Empty} icon="ask" title=${say("ask.nothing")} />`}`;
}

function Hit({ hit, place, trace, question, used, was }) {
  const [open, setOpen] = useState(false);
  const state = standing(hit);
  return html`<li class=${classes("hit", used === false && "is-out")}>
    <div class="hit-head">
      <span class="hit-place" aria-hidden="true">${place}</span>
      <a class="hit-text" dir="auto" href=${to("memories", hit.id)}>${beginning(textOf(hit))}</a>
      <span class="hit-score" title=${say("ask.score")}>${hit.score.toFixed(2)}</span>
    </div>
    <p class="hit-line"><${Facts} record=${hit} />${state && html`<${Chip} tone=${state.tone}>${state.text}<//>`}
      ${used === false && html`<${Chip}>${say("ask.left_out")}<//>`}
      ${was !== undefined && was !== place && html`<${Chip} tone=${was && was < place ? "warn" : "good"}>${was ? say("ask.was", { place: was }) : say("ask.new")}<//>`}
      <${Button} small quiet aria-expanded=${open ? "true" : "false"} onClick=${() => setOpen(!open)}>${say("ask.why")}<//>
      ${may("write") && html`<${Button} small quiet onClick=${() => actions.correct(hit.id, "not_for_this", { query: question }).catch(() => undefined)}>${say("ask.not_helpful")}<//>`}</p>
    ${open && html`<${Waterfall} hit=${hit} trace=${trace} />`}
  </li>`;
}

function Window({ told, found }) {
  const inside = new Set(told.parts.flatMap((part) => part.items.map((item) => item.id)));
  const out = (found?.results ?? []).filter((hit) => !inside.has(hit.id));
  return html`
    <div class="parts" role="img" aria-label=${say("ask.parts")}>${told.parts.map((part) => html`<span key=${part.name} class="part" style=${{ flexGrow: Math.max(1, part.tokens) }} title=${`${word("part", part.name)}: ${part.tokens}`}>${word("part", part.name)} ${number(part.tokens)}</span>`)}
      <span class="part is-free" style=${{ flexGrow: Math.max(1, told.limit - told.tokens) }}>${number(Math.max(0, told.limit - told.tokens))}</span></div>
    <pre class="window" dir="auto" tabindex="0">${told.text}</pre>
    ${out.length > 0 && html`<details><summary>${say("ask.out", { count: out.length })}</summary>
      <ul class="plain">${out.map((hit) => html`<li key=${hit.id} class="out"><a dir="auto" href=${to("memories", hit.id)}>${beginning(textOf(hit), 120)}</a> <span class="hint">${reasonOut(hit)}</span></li>`)}</ul></details>`}`;
}

/** Why a hit is not in the window, as far as the two answers tell. */
function reasonOut(hit) {
  if (!hit.current) return say("ask.out_ended");
  if (hit.score < 0.3) return say("ask.out_weak");
  return say("ask.out_room");
}
