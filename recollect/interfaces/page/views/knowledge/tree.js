// The tree of summaries: from everything down to the records, one branch at a time.
import { html, useState } from "../../core/dom.js";
import { everywhere, useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { ago } from "../../core/format.js";
import { to } from "../../core/router.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Empty, Panel } from "../../parts/controls.js";
import { RecordRow, beginning, plainly, whose } from "../../parts/record.js";

const PAGE = 30;
const GONE = 404;

export function Tree({ parts }) {
  const under = Number(parts[0]) || undefined;
  return html`<${Branch} key=${under ?? "top"} under=${under} />`;
}

function Branch({ under }) {
  const [start, setStart] = useState(0);
  const answer = useAnswer((signal) => verb("summaries", { under, limit: PAGE, start, ...everywhere() }, { signal }), [under, start], { live: true });
  if (answer.error?.status === GONE) {
    return html`<${Empty} icon="knowledge" title=${say("tree.gone")}><p>${say("tree.gone_text")}</p><p><a class="button" href=${to("knowledge", "tree")}>${say("tree.top")}</a></p><//>`;
  }
  return html`<${Answer} answer=${answer} lines=${6}>${(told) => html`
    ${told.node && html`<${Way} above=${told.above} node=${told.node} /><${Node} node=${told.node} />`}
    ${!told.node && !told.below.length && html`<${Empty} icon="knowledge" title=${say("knowledge.none")}><p>${say("tree.none_text")}</p><//>`}
    ${told.below.length > 0 && html`<ul class="branches" aria-label=${say("tree.below")}>${told.below.map((each) => html`<${Twig} key=${each.number} node=${each} />`)}</ul>`}
    ${told.records.length > 0 && html`<${Panel} id="tree-records" title=${say("tree.records")}><ul class="plain rows">${told.records.map((record) => html`<li key=${record.id}><${RecordRow} record=${record} /></li>`)}</ul><//>`}
    <${Turning} start=${start} shown=${told.below.length + told.records.length} turn=${setStart} />`}<//>`;
}

function Turning({ start, shown, turn }) {
  if (!start && shown < PAGE) return null;
  return html`<p class="more">
    <${Button} icon="back" disabled=${!start} onClick=${() => turn(Math.max(0, start - PAGE))}>${say("tree.larger")}<//>
    <${Button} disabled=${shown < PAGE} onClick=${() => turn(start + PAGE)}>${say("tree.smaller")}<//></p>`;
}

/** From the top to here. */
function Way({ above, node }) {
  return html`<nav class="way" aria-label=${say("tree.way")}><ol>
    <li><a href=${to("knowledge", "tree")}>${say("tree.top")}</a></li>
    ${above.map((each) => html`<li key=${each.number}><a dir="auto" href=${to("knowledge", "tree", each.number)}>${nameOf(each)}</a></li>`)}
    <li aria-current="page" dir="auto">${nameOf(node)}</li>
  </ol></nav>`;
}

const nameOf = (node) => plainly(node.label) || word("summary", node.level);

function Node({ node }) {
  return html`<${Panel} id="tree-node" class="tree-node" title=${nameOf(node)} aside=${html`<${Chip}>${word("summary", node.level)}<//>`}>
    <p class="tree-text" dir="auto">${node.text ? plainly(node.text) : say("tree.rewritten")}</p><${NodeFacts} node=${node} /><//>`;
}

const NodeFacts = ({ node }) => html`<p class="facts">${whose(node).map((name) => html`<span key=${name} dir="auto">${name}</span>`)}
  <span>${say("knowledge.records", { count: node.records })}</span>
  ${node.parts > 0 && html`<span>${say("tree.parts", { count: node.parts })}</span>`}<time datetime=${node.newest}>${ago(node.newest)}</time></p>`;

function Twig({ node }) {
  return html`<li><a class="record branch" href=${to("knowledge", "tree", node.number)}>
    <span class="branch-name" dir="auto">${nameOf(node)}</span>
    <span class="record-text" dir="auto">${node.text ? beginning(node.text, 240) : say("tree.rewritten")}</span><${NodeFacts} node=${node} /></a></li>`;
}
