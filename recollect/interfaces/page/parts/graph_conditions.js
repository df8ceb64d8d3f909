// What of a graph is drawn: which kinds of nodes, which layers of relations, which relation.
import { classes, html } from "../core/dom.js";
import { LAYERS } from "../core/graph.js";
import { number } from "../core/format.js";
import { refine } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Select } from "./controls.js";

const flipped = (set, name) => (set.has(name) ? [...set].filter((each) => each !== name) : [...set, name]);

export function Conditions({ graph, wanted }) {
  const kinds = counted(graph.nodes.map((node) => `${node.sort} ${node.kind}`));
  const layers = counted(graph.links.map((link) => link.layer));
  const labels = counted(graph.links.filter((link) => link.layer !== "names").map((link) => link.label));
  return html`<div class="graph-conditions">
    <ul class="graph-chips" aria-label=${say("graph.kinds")}>${kinds.map(([both, count]) => {
      const [sort, kind] = both.split(" ");
      return html`<li key=${both}><${Chip} on=${!wanted.hidden.has(kind)} count=${count} class=${sort === "entity" ? "graph-entity" : `kind kind-${kind}`}
        text=${word(sort === "entity" ? "type" : "kind", kind)} onClick=${() => refine({ hidden: flipped(wanted.hidden, kind).join(",") })} /></li>`;
    })}</ul>
    <ul class="graph-chips" aria-label=${say("graph.layers")}>${LAYERS.filter((layer) => layers.some(([name]) => name === layer)).map((layer) => html`<li key=${layer}>
      <${Chip} on=${wanted.layers.has(layer)} count=${layers.find(([name]) => name === layer)[1]} class=${`graph-layer layer-${layer}`} text=${say(`graph.layer_${layer}`)}
        onClick=${() => refine({ layers: LAYERS.filter((each) => flipped(wanted.layers, layer).includes(each)).join(",") || "none" })} /></li>`)}
      <li><${Select} id="graph-label" label=${say("graph.label")} hidden value=${wanted.label} onChange=${(label) => refine({ label })}
        options=${[["", say("graph.all_labels")], ...labels.map(([label, count]) => [label, `${word("label", label)} (${number(count)})`])]} /></li></ul>
  </div>`;
}

const Chip = ({ on, count, text, onClick, class: name }) =>
  html`<button type="button" class=${classes("graph-chip", on && "is-on")} aria-pressed=${on ? "true" : "false"} onClick=${onClick}><span class=${name}>${text}</span> <span class="hint">${number(count)}</span></button>`;

/** How many there are of each, the most frequent first. */
function counted(values) {
  const found = new Map();
  for (const each of values) found.set(each, (found.get(each) ?? 0) + 1);
  return [...found].sort((one, other) => other[1] - one[1]);
}
