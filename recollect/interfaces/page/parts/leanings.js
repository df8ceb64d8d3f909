// How a search is made, for one question alone: what each part of the score counts, in which order, in which phase.
import { html } from "../core/dom.js";
import { number } from "../core/format.js";
import { refine } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Button, Field, Select } from "./controls.js";

const MOST = 3; // of what is set
const STEP = 0.25;
const FIRST = ["text", "vector", "static", "time", "graph", "entity", "phrase", "speaker", "later"];
const STRATEGIES = ["", "none", "mmr", "rrf", "rrf_then_mmr", "cross_encoder"];
const PHASES = ["", "planning", "coding", "qa_review", "debugging", "insights", "spec"];

/** `text:0.5,time:2` of the address as factors, those that make sense. */
export function weightsOf(written = "") {
  const pairs = written.split(",").map((each) => each.split(":"));
  return Object.fromEntries(pairs.map(([part, factor]) => [part, Number(factor)]).filter(([part, factor]) => part && factor >= 0 && factor <= MOST && factor !== 1));
}

/** What `search` takes of one configuration; `side` is "" or "b_", as the address has it. */
export function waysOf(query, side = "") {
  const weights = weightsOf(query[`${side}w`]);
  return { rerank: query[`${side}rerank`], phase: query[`${side}phase`], weights: Object.keys(weights).length ? weights : undefined };
}

/** @param {{query: object, side?: string, known: Record<string, number>}} given `known` are the weights of the last answer. */
export function Leanings({ query, side = "", known }) {
  const factors = weightsOf(query[`${side}w`]);
  const parts = [...FIRST.filter((part) => part in known), ...Object.keys(known).filter((part) => !FIRST.includes(part))];
  const put = (part, factor) => {
    const next = Object.entries({ ...factors, [part]: factor }).filter(([, value]) => value !== 1);
    refine({ [`${side}w`]: next.map(([name, value]) => `${name}:${value}`).join(",") });
  };
  const id = (name) => `${side || "a_"}${name}`;
  const slider = (part) => html`<${Field} key=${part} id=${id(part)} label=${say("ask.weight", { part: word("source", part), factor: number(factors[part] ?? 1, 2) })}>
    <input id=${id(part)} type="range" min="0" max=${MOST} step=${STEP} value=${factors[part] ?? 1} onInput=${(event) => put(part, Number(event.target.value))} /><//>`;
  return html`<div class="leanings">
    <div class="form-row">
      <${Select} id=${id("rerank")} label=${say("ask.rerank")} value=${query[`${side}rerank`] ?? ""} onChange=${(value) => refine({ [`${side}rerank`]: value })} options=${STRATEGIES.map((each) => [each, each ? word("strategy", each) : say("ask.as_set")])} />
      <${Select} id=${id("phase")} label=${say("ask.phase")} value=${query[`${side}phase`] ?? ""} onChange=${(value) => refine({ [`${side}phase`]: value })} options=${PHASES.map((each) => [each, each ? word("phase", each) : say("filter.any")])} />
    </div>
    <p class="hint">${say("ask.weights_hint")}</p>
    <div class="sliders">${parts.slice(0, FIRST.length).map(slider)}</div>
    ${parts.length > FIRST.length && html`<details><summary>${say("ask.more_weights", { count: parts.length - FIRST.length })}</summary><div class="sliders">${parts.slice(FIRST.length).map(slider)}</div></details>`}
    ${Object.keys(factors).length > 0 && html`<p><${Button} small icon="undo" onClick=${() => refine({ [`${side}w`]: "" })}>${say("ask.weights_back")}<//></p>`}
  </div>`;
}
