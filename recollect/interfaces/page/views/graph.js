// The graph of records and of whom they name: as a drawing and as a list, by kind and relation, at any time.
import { html, useEffect, useMemo, useRef, useState } from "../core/dom.js";
import { everywhere, whenChanged } from "../core/ask.js";
import { verb } from "../core/api.js";
import { Graph, LAYERS, part, sceneOf, way } from "../core/graph.js";
import { day, number } from "../core/format.js";
import { refine, to } from "../core/router.js";
import { say } from "../core/words.js";
import { Busy, Button, Check, Choice, Empty, Head, Problem, Select } from "../parts/controls.js";
import { Conditions } from "../parts/graph_conditions.js";
import { GraphCanvas } from "../parts/graph_canvas.js";
import { Chosen, Listed } from "../parts/graph_beside.js";
import { plainly } from "../parts/record.js";

const LIMITS = [500, 1000, 3000, 10_000];
const LIMIT = 1000;
const AROUND = 300; // nodes that one expansion brings
const FOLDED_BEYOND = 220; // nodes, unless somebody says otherwise
const EXPANDED_KEPT = 20; // expansions that are asked for again after a change
const NOTHING = { nodes: [], links: [] };
const LIVE_UP_TO = 3000; // nodes; a larger graph is asked for again by hand

/** What was told so far; asked again when something changes. */
function useGraph(limit, at) {
  const [state, setState] = useState({ graph: null, more: false, error: null, turn: 0 });
  const opened = useRef([]); // ids that were expanded, the first one first
  const asked = useRef(0);
  const size = useRef(0);
  const around = (id) => verb("network", { around: [id], limit: AROUND, ...everywhere() });
  const load = async () => {
    const turn = (asked.current += 1);
    try {
      const told = await Promise.all([verb("network", { limit, ...everywhere() }), ...opened.current.slice(-EXPANDED_KEPT).map((id) => around(id).catch(() => NOTHING))]);
      if (turn !== asked.current) return;
      const graph = new Graph();
      told.forEach((each) => graph.merge(each));
      size.current = graph.nodes.length;
      setState((was) => ({ graph, more: told[0].more, error: null, turn: was.turn + 1 }));
    } catch (error) {
      if (turn === asked.current) setState((was) => ({ ...was, error }));
    }
  };
  useEffect(() => {
    if (at && !opened.current.includes(at)) opened.current.push(at);
    load();
    return whenChanged(() => size.current <= LIVE_UP_TO && load());
  }, [limit]);
  const take = (told) => {
    const fresh = state.graph.merge(told);
    setState((was) => ({ ...was, turn: was.turn + 1 }));
    return fresh;
  };
  const expand = async (id) => {
    if (!opened.current.includes(id)) opened.current.push(id);
    return take(await around(id));
  };
  return { ...state, load, take, expand };
}

/** What the address says of how the graph is shown. */
function conditionsOf(query, graph) {
  const count = graph?.nodes.length ?? 0;
  return {
    layers: new Set(query.layers === undefined ? LAYERS : query.layers.split(",").filter((each) => LAYERS.includes(each))),
    hidden: new Set((query.hidden ?? "").split(",").filter(Boolean)),
    label: query.label ?? "",
    when: Number(query.when) || null,
    fold: query.fold === undefined ? count > FOLDED_BEYOND : query.fold === "1",
  };
}

export function View({ query }) {
  const limit = LIMITS.includes(Number(query.limit)) ? Number(query.limit) : LIMIT;
  const told = useGraph(limit, query.at);
  const { graph, turn } = told;
  const [open, setOpen] = useState(new Set()); // clusters that were unfolded, by a member
  const wanted = conditionsOf(query, graph);
  const key = JSON.stringify([...wanted.layers, "|", ...wanted.hidden, wanted.label, wanted.when]);
  const seen = useMemo(() => graph && part(graph, wanted), [graph, turn, key]);
  const scene = useMemo(() => seen && named(sceneOf(graph, seen, { fold: wanted.fold, open })), [seen, wanted.fold, open]);
  const path = useMemo(() => seen && wayOf(graph, seen, query.from, query.at), [seen, query.from, query.at]);
  useEffect(() => {
    const folded = scene ? [query.at, query.from].filter((id) => itemOf(scene, graph, id)?.members) : [];
    if (folded.length) setOpen((was) => new Set([...was, ...folded])); // what was chosen is not left in a cluster
  }, [scene, query.at, query.from]);
  if (!graph) return html`<${Head} title=${say("nav.graph")} />${told.error ? html`<${Problem} error=${told.error} again=${told.load} />` : html`<${Busy} lines=${6} />`}`;
  if (!graph.nodes.length) {
    return html`<${Head} title=${say("nav.graph")} /><${Empty} icon="graph" title=${say("graph.none")}><p>${say("graph.none_text")}</p><p><code>recollect demo --ui</code></p><//>`;
  }
  const select = (item) => refine({ at: item?.node.id ?? "" });
  const unfold = (item) => {
    if (item.members) setOpen((was) => new Set([...was, item.node.id]));
    else told.expand(item.node.id).catch(() => undefined);
    select(item);
  };
  const shown = seen.shown.reduce((sum, is) => sum + (is ? 1 : 0), 0);
  const names = path?.map((at) => scene.items[scene.seat[at]]?.key).filter(Boolean) ?? [];
  return html`<div class="graph">
    <div class="graph-main">
      <${Head} title=${say("nav.graph")} lead=${say("graph.count", { count: shown, links: number(seen.links.length) })}>
        <${Select} id="graph-limit" label=${say("graph.limit")} hidden value=${String(limit)} options=${LIMITS.map((each) => [String(each), say("graph.up_to", { count: each })])} onChange=${(value) => refine({ limit: value })} />
        <${Check} id="graph-fold" label=${say("graph.fold")} checked=${wanted.fold} onChange=${(fold) => (setOpen(new Set()), refine({ fold: fold ? "1" : "0" }))} />
      <//>
      <${Problem} error=${told.error} again=${told.load} />
      <${Conditions} graph=${graph} wanted=${wanted} />
      <${GraphCanvas} scene=${scene} selected=${itemOf(scene, graph, query.at)?.key ?? null} path=${names} onSelect=${select} onOpen=${unfold}
        label=${say("graph.drawn", { count: scene.items.length })} />
      <${Time} graph=${graph} when=${wanted.when} />
      ${told.more && html`<p class="hint">${say("graph.more")}</p>`}
    </div>
    <${Beside} told=${told} seen=${seen} path=${path} query=${query} />
  </div>`;
}

/** Each dot with the name that is drawn beside it. */
function named(scene) {
  for (const item of scene.items) item.name = item.members ? say("graph.cluster", { name: plainly(item.node.text).slice(0, 28), count: item.members }) : plainly(item.node.text);
  return scene;
}

/** The dot that stands for a node: its own, or its cluster's. */
function itemOf(scene, graph, id) {
  const at = graph.places.get(id);
  return at === undefined ? null : (scene.items[scene.seat[at]] ?? null);
}

function wayOf(graph, seen, from, goal) {
  const [a, b] = [graph.places.get(from), graph.places.get(goal)];
  return a === undefined || b === undefined || a === b ? null : way(graph.nodes.length, seen.links, a, b);
}

/** A moment to look at: what came later, or had ended by then, is not drawn. */
function Time({ graph, when }) {
  const [first, last] = [graph.first, Date.now()];
  const steps = 200;
  const at = when === null ? steps : Math.max(0, Math.min(steps, Math.round(((when - first) / Math.max(1, last - first)) * steps)));
  const move = (event) => {
    const step = Number(event.target.value);
    refine({ when: step >= steps ? "" : Math.round(first + ((last - first) * step) / steps) });
  };
  return html`<div class="graph-time">
    <label for="graph-when">${say("graph.when")}</label>
    <input id="graph-when" type="range" min="0" max=${steps} value=${at} onInput=${move} aria-valuetext=${when === null ? say("graph.all_times") : day(when)} />
    <output for="graph-when">${when === null ? say("graph.all_times") : day(when)}</output>
  </div>`;
}

/** What was chosen, or all of it as a list: the same without a drawing. */
function Beside({ told, seen, path, query }) {
  const chosen = told.graph.of(query.at);
  const tab = query.list === "1" || !chosen ? "list" : "one";
  return html`<aside class="graph-beside" aria-label=${say("graph.beside")}>
    ${chosen && html`<${Choice} name="graph-tab" label=${say("graph.beside")} value=${tab} onChange=${(next) => refine({ list: next === "list" ? "1" : "" })}
      options=${[["one", say("graph.chosen")], ["list", say("graph.list")]]} />`}
    ${tab === "one" ? html`<${Chosen} key=${chosen.id} node=${chosen} told=${told} seen=${seen} path=${path} from=${query.from ?? null} />` : html`<${Listed} graph=${told.graph} seen=${seen} query=${query} />`}
    ${tab === "one" && html`<p class="more"><${Button} small quiet icon="close" onClick=${() => refine({ at: "", from: "" })}>${say("graph.let_go")}<//> <a class="button is-small is-quiet" href=${to("graph")}>${say("graph.anew")}</a></p>`}
  </aside>`;
}
