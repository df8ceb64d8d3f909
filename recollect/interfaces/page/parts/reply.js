// What the memory says to a question: an answer with its citations, the records it rests on, and the way to them.
import { html } from "../core/dom.js";
import * as actions from "../core/actions.js";
import { may } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Button, Chip, Empty } from "./controls.js";
import { Facts, beginning, plainly, standing, textOf } from "./record.js";

const CITED = /\[?#?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\]?/gi;
const SHOWN = 5; // records of evidence before one asks for all

/** @param {{told: object, linkTo: (id: string) => string}} given `told` is an answer of `reason`. */
export function Reply({ told, linkTo }) {
  const cited = told.citations ?? [];
  const order = [...cited, ...told.results.map((each) => each.id).filter((id) => !cited.includes(id))];
  const records = new Map(told.results.map((each) => [each.id, each]));
  const rows = order.map((id) => records.get(id)).filter(Boolean);
  const first = told.answer ? rows.slice(0, cited.length) : rows.slice(0, SHOWN);
  const rest = rows.slice(first.length);
  const row = (record) => html`<${Source} key=${record.id} record=${record} number=${order.indexOf(record.id) + 1} linkTo=${linkTo} />`;
  return html`<div class="reply">
    ${told.answer
      ? html`<p class="reply-text" dir="auto">${pieces(told.answer, order, records, linkTo)}</p>`
      : rows.length
        ? html`<p class="reply-none">${say("chat.evidence")}</p>`
        : html`<${Empty} icon="ask" title=${say("ask.nothing")} />`}
    ${first.length > 0 && html`<ol class="plain sources" aria-label=${say(told.answer ? "chat.sources" : "chat.evidence")}>${first.map(row)}</ol>`}
    ${rest.length > 0 && html`<details><summary>${say("chat.more_evidence", { count: rest.length })}</summary><ol class="plain sources">${rest.map(row)}</ol></details>`}
    <${Way} told=${told} />
    ${told.answer && may("write") && html`<p><${Button} small icon="keep" onClick=${() => actions.remember(bare(told.answer), { source: "chat" }).catch(() => undefined)}>${say("chat.remember")}<//></p>`}
  </div>`;
}

/** The answer with a numbered link in the place of each id. What it cites and was not found is said to be so. */
function pieces(answer, order, records, linkTo) {
  const found = [];
  let from = 0;
  for (const match of answer.matchAll(CITED)) {
    const id = match[1].toLowerCase();
    found.push(plainly(answer.slice(from, match.index)));
    found.push(
      records.has(id)
        ? html`<a class="cite" href=${linkTo(id)} title=${beginning(textOf(records.get(id)), 160)} aria-label=${say("chat.source", { number: order.indexOf(id) + 1 })}>${order.indexOf(id) + 1}</a>`
        : html`<span class="cite is-made-up" title=${say("chat.made_up")}>?</span>`,
    );
    from = match.index + match[0].length;
  }
  return [...found, plainly(answer.slice(from))];
}

const bare = (answer) => answer.replace(CITED, "").replace(/\s+([.,;:!?])/g, "$1").replace(/ {2,}/g, " ").trim();

function Source({ record, number, linkTo }) {
  const state = standing(record);
  return html`<li class="source"><span class="cite" aria-hidden="true">${number}</span>
    <div><a class="source-text" dir="auto" href=${linkTo(record.id)}>${beginning(textOf(record), 260)}</a>
      <p class="source-line"><${Facts} record=${record} />${state && html`<${Chip} tone=${state.tone}>${state.text}<//>`}</p></div></li>`;
}

/** What was asked on the way, and what could not be had. */
function Way({ told }) {
  const questions = nodes(told.tree).slice(1);
  const missing = told.missing.filter((each) => told.answer || !each.startsWith("an answer:")); // that there is none is said already
  return html`
    ${missing.length > 0 && html`<ul class="reasons is-warn">${missing.map((each) => html`<li key=${each}>${each}</li>`)}</ul>`}
    <details class="way"><summary>${say("chat.way", { count: questions.length + 1 })}</summary>
      <ol class="plain way-steps">${questions.map((node, index) => html`<li key=${index} style=${{ marginInlineStart: `${(node.depth - 1) * 18}px` }}>
        <${Chip}>${word("asked", node.why)}<//> <span dir="auto">${plainly(node.question)}</span> <span class="hint">${say("history.count", { count: node.hits.length })}</span></li>`)}</ol>
      <p class="hint">${[say("chat.stopped", { why: word("stopped", told.stopped.replaceAll(" ", "_")) }), told.model && say("chat.cost", { model: told.model, calls: told.calls, tokens: told.tokens })].filter(Boolean).join(" · ")}</p>
    </details>`;
}

const nodes = (node) => [node, ...node.children.flatMap(nodes)];
