// Beside the drawing: the node that was chosen with all it is joined to, the way to another, and everything as a list.
import { classes, html, useMemo, useState } from "../core/dom.js";
import { everywhere } from "../core/ask.js";
import { verb } from "../core/api.js";
import { degrees } from "../core/graph.js";
import { moment, number } from "../core/format.js";
import { go, refine, to } from "../core/router.js";
import { toast } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Button, Empty } from "./controls.js";
import { List } from "./list.js";
import { beginning, plainly } from "./record.js";

const ROW = 58;
const JOINED_SHOWN = 60;
const FARTHEST = 8; // steps that are looked for beyond what is drawn

const sortOf = (node) => word(node.sort === "entity" ? "type" : "kind", node.kind);
const classOf = (node) => (node.sort === "entity" ? "graph-entity" : `kind kind-${node.kind}`);

export function Chosen({ node, told, seen, path, from }) {
  const { graph } = told;
  const [busy, setBusy] = useState(false);
  const at = graph.places.get(node.id);
  const joined = useMemo(() => seen.links.filter((link) => link.a === at || link.b === at), [seen, at]);
  const expand = async () => {
    setBusy(true);
    const fresh = await told.expand(node.id).catch(() => null);
    setBusy(false);
    if (fresh !== null) toast(say("graph.expanded", { count: fresh }));
  };
  return html`<article class="graph-one">
    <p class="unseen" role="status">${say("graph.chosen_is", { name: beginning(node.text, 80), count: joined.length })}</p>
    <h2 class="graph-name" dir="auto">${plainly(node.text)}</h2>
    <p class="facts"><span class=${classOf(node)}>${sortOf(node)}</span><span>${moment(node.since)}</span>${node.until && node.until < Date.now() ? html`<span>${say("graph.until", { when: moment(node.until) })}</span>` : null}</p>
    <p class="graph-does">
      <a class="button is-small is-main" href=${node.sort === "entity" ? to("people", node.id) : to("memories", node.id)}>${say("sessions.open")}</a>
      <${Button} small icon="plus" disabled=${busy} onClick=${expand}>${say("graph.expand")}<//>
      <${Button} small icon="graph" aria-pressed=${from === node.id ? "true" : "false"} onClick=${() => refine({ from: from === node.id ? "" : node.id })}>${say(from === node.id ? "graph.path_off" : "graph.path_from")}<//>
    </p>
    ${from === node.id && html`<p class="hint">${say("graph.path_now")}</p>`}
    ${from && from !== node.id && graph.of(from) && html`<${Path} from=${graph.of(from)} goal=${node} path=${path} told=${told} seen=${seen} />`}
    <h3>${say("graph.joined", { count: joined.length })}</h3>
    <ul class="graph-joined">${joined.slice(0, JOINED_SHOWN).map((link, index) => {
      const other = graph.nodes[link.a === at ? link.b : link.a];
      return html`<li key=${index}><span class=${`graph-layer layer-${link.layer}`}>${word("label", link.label)}${link.a === at ? " →" : " ←"}</span>
        <button type="button" class="link" dir="auto" onClick=${() => refine({ at: other.id })}>${beginning(other.text, 110)}</button></li>`;
    })}</ul>
    ${joined.length > JOINED_SHOWN && html`<p class="hint">+${number(joined.length - JOINED_SHOWN)}</p>`}
  </article>`;
}

/** The fewest steps between two: along what is drawn, or else along what the store knows. */
function Path({ from, goal, path, told, seen }) {
  const [none, setNone] = useState(false);
  const { graph } = told;
  const look = async () => {
    const found = await verb("path", { a: from.id, b: goal.id, max_depth: FARTHEST, ...everywhere() }).catch(() => null);
    if (!found?.results.length) setNone(true);
    else told.take(networkOf(found));
  };
  if (!path) {
    const further = from.sort === "record" && goal.sort === "record" && !none;
    return html`<div class="graph-path"><p>${say(none ? "graph.no_path" : "graph.no_path_here", { name: beginning(from.text, 60) })}</p>
      ${further && html`<${Button} small icon="ask" onClick=${look}>${say("graph.look_further")}<//>`}</div>`;
  }
  const label = (one, other) => seen.links.find((link) => (link.a === one && link.b === other) || (link.a === other && link.b === one))?.label;
  return html`<div class="graph-path"><h3>${say("graph.path", { count: path.length - 1 })}</h3>
    <ol>${path.map((at, index) => html`<li key=${at}>${index > 0 && html`<span class="hint">${word("label", label(path[index - 1], at))}</span>`}
      <button type="button" class="link" dir="auto" onClick=${() => refine({ at: graph.nodes[at].id, from: "" })}>${beginning(graph.nodes[at].text, 110)}</button></li>`)}</ol></div>`;
}

/** Records and edges of the verb `path`, as `network` would tell them. */
function networkOf(found) {
  const seats = new Map(found.results.map((record, index) => [record.id, index]));
  const nodes = found.results.map((record) => ({
    id: record.id,
    sort: "record",
    kind: record.kind,
    text: (record.memory ?? record.content).slice(0, 120),
    since: record.event_time && record.event_time < record.created_at ? record.event_time : record.created_at,
    until: record.valid_until,
    weight: record.importance,
  }));
  const links = found.edges.flatMap((edge) => {
    const [first, ...others] = edge.members.filter((each) => seats.has(each.id));
    return others.map((other) => ({ source: seats.get(first.id), target: seats.get(other.id), label: edge.label, family: edge.family, weight: edge.weight, until: edge.valid_until }));
  });
  return { nodes, links };
}

/** Everything that is drawn, those with most links first: for readers without a picture, and to find a name. */
export function Listed({ graph, seen, query }) {
  const [words, setWords] = useState("");
  const rows = useMemo(() => {
    const counted = degrees(graph.nodes.length, seen.links);
    const asked = words.trim().toLowerCase();
    return graph.nodes
      .map((node, at) => ({ id: node.id, node, links: counted[at], shown: seen.shown[at] }))
      .filter((each) => each.shown && (!asked || each.node.text.toLowerCase().includes(asked)))
      .sort((one, other) => other.links - one.links);
  }, [graph, seen, words]);
  const open = (row) => go("graph", { ...query, at: row.id, list: "" });
  return html`<div class="graph-list">
    <label class="unseen" for="graph-words">${say("graph.words")}</label>
    <input id="graph-words" type="search" dir="auto" placeholder=${say("graph.words")} value=${words} onInput=${(event) => setWords(event.target.value)} />
    ${rows.length
      ? html`<${List} items=${rows} height=${ROW} label=${say("graph.list")} selected=${query.at} total=${rows.length} onOpen=${open}
          row=${(row, state) => html`<a class=${classes("record", state.selected && "is-on")} href=${to("graph", { ...query, at: row.id, list: "" })} tabindex=${state.tabindex} data-index=${state.index}
            aria-current=${state.selected ? "true" : undefined}><span class="graph-row" dir="auto">${beginning(row.node.text, 120)}</span>
            <span class="facts"><span class=${classOf(row.node)}>${sortOf(row.node)}</span><span>${say("graph.links", { count: row.links })}</span></span></a>`} />`
      : html`<${Empty} icon="graph" title=${say("graph.none_fit")}><a class="button" href=${to("graph")}>${say("memories.clear")}</a><//>`}
  </div>`;
}
