// How a score came about: what found the record, what each part added, and how each step moved it.
import { html } from "../core/dom.js";
import { say, word } from "../core/words.js";
import { Meter } from "./controls.js";

export function Waterfall({ hit, trace }) {
  const steps = trace?.hits?.[hit.id] ?? [];
  const found = Object.entries(trace?.found_by?.[hit.id] ?? {});
  const moves = trace?.moves?.[hit.id] ?? [];
  const most = Math.max(0.01, ...steps.map((step) => Math.abs(step.contribution)));
  let base = 0;
  return html`<div class="waterfall">
    ${found.length > 0 && html`<p class="hint">${say("why.found_by")} ${found.map(([source, place]) => say("why.source", { source: word("source", source), place })).join(", ")}</p>`}
    <ul class="falls">${steps.map((step) => {
      const left = base;
      base += step.contribution;
      return html`<li key=${step.source} class="fall">
        <span class="fall-name">${word("source", step.source)}</span>
        <span class="fall-track" aria-hidden="true"><span class=${step.contribution < 0 ? "fall-bar is-less" : "fall-bar"}
          style=${{ marginInlineStart: `${Math.min(92, Math.max(0, left) * 60)}%`, width: `${Math.max(1, (Math.abs(step.contribution) / most) * 40)}%` }} /></span>
        <span class="fall-figure">${step.contribution >= 0 ? "+" : "−"}${Math.abs(step.contribution).toFixed(3)}</span>
      </li>`;
    })}</ul>
    ${moves.length > 0 && html`<ol class="moves">${moves.map((move) => html`<li key=${move.step}>${word("step", move.step)}: ${say("why.place", { place: move.rank })} <span class="hint">${move.score.toFixed(3)}</span></li>`)}</ol>`}
    <div class="meters">${["relevance", "accuracy", "freshness", "utility"].map((part) => html`<${Meter} key=${part} label=${say(`trust.${part}`)} value=${hit.trust[part]} />`)}</div>
  </div>`;
}
