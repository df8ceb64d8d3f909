// The canvas of a graph: a drawing, a worker that finds the places, and the keys that do what a hand does.
import { html, useEffect, useRef } from "../core/dom.js";
import { say } from "../core/words.js";
import { Drawing } from "./graph_drawing.js";

const SPREAD = 26; // between dots before the layout has looked at them
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const WARM = 0.35; // of a layout in which most dots have their place already
const TICKS = { moving: 1, still: 30 }; // between two pictures; the second where somebody asked for less motion
const PAN = 60; // pixels by a key
const ZOOM = 1.25;

const places = new Map(); // key → [x, y]: a dot that comes back is where it was

/** The browser takes no address for a worker but from a policy of this name. */
const addresses = globalThis.trustedTypes?.createPolicy("recollect-worker", { createScriptURL: (url) => url });

function begun() {
  const url = new URL("./graph_layout.js", import.meta.url).href;
  return new Worker(addresses ? addresses.createScriptURL(url) : url, { type: "module" });
}

/** Where dots begin: where they were, else beside one they are joined to, else on a spiral. */
function firstPlaces({ items, lines }) {
  const xs = new Float32Array(items.length);
  const ys = new Float32Array(items.length);
  const beside = new Map();
  for (const { a, b } of lines) {
    if (places.has(items[b].key)) beside.set(a, b);
    if (places.has(items[a].key)) beside.set(b, a);
  }
  let old = 0;
  items.forEach((item, at) => {
    const was = places.get(item.key) ?? places.get(item.node.id);
    const friend = places.get(items[beside.get(at)]?.key);
    if (was) old += 1;
    const angle = at * GOLDEN;
    const far = was ? 0 : friend ? SPREAD : SPREAD * Math.sqrt(at);
    const from = was ?? friend ?? [0, 0];
    xs[at] = from[0] + far * Math.cos(angle);
    ys[at] = from[1] + far * Math.sin(angle);
  });
  return { xs, ys, warm: old > items.length / 2 ? WARM : 1 };
}

/** A drawing on a canvas and the worker that finds its places, as long as the canvas is there. */
function useDrawing(canvas, does) {
  const held = useRef({ drawing: null, worker: null, turn: 0, items: [] });
  useEffect(() => {
    const box = canvas.current; // a message may still arrive when the view was left
    const drawing = new Drawing(box, { onPick: (item, twice) => (item && (twice || item.members) ? does.current.onOpen(item) : does.current.onSelect(item)) });
    box.placeOf = (key) => drawing.placeOf(key);
    const worker = begun();
    held.current = { drawing, worker, turn: 0, items: [] };
    worker.addEventListener("message", ({ data }) => {
      if (data.turn !== held.current.turn) return;
      held.current.items.forEach((item, at) => places.set(item.key, [data.xs[at], data.ys[at]]));
      drawing.place(data.xs, data.ys);
      box.dataset.state = data.settled ? "settled" : "moving";
    });
    return () => {
      worker.terminate();
      drawing.stop();
    };
  }, []);
  return held;
}

/** Draw a scene, and have its places worked out anew. */
function begin(now, canvas, scene) {
  const { xs, ys, warm } = firstPlaces(scene);
  const lines = Uint32Array.from(scene.lines.flatMap(({ a, b }) => [a, b]));
  now.turn += 1;
  now.items = scene.items;
  now.drawing.show(scene, xs, ys);
  canvas.dataset.state = "moving";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  now.worker.postMessage({ xs, ys, lines, warm, turn: now.turn, every: still ? TICKS.still : TICKS.moving });
}

/** What a key does, by its name. */
function keysOf(drawing, { scene, selected, onSelect, onOpen }) {
  const move = (dx, dy) => (event) => {
    if (event.shiftKey) return drawing().pan(-dx * PAN, -dy * PAN);
    const next = drawing().towards(dx, dy);
    if (!next) return undefined;
    onSelect(next);
    return drawing().centre(next.key);
  };
  return {
    ArrowLeft: move(-1, 0),
    ArrowRight: move(1, 0),
    ArrowUp: move(0, -1),
    ArrowDown: move(0, 1),
    "+": () => drawing().zoom(ZOOM),
    "-": () => drawing().zoom(1 / ZOOM),
    0: () => drawing().whole(),
    Enter: () => {
      const item = scene.items.find((each) => each.key === selected);
      if (item) onOpen(item);
    },
    Escape: () => onSelect(null),
  };
}

const TOOLS = [["+", "+", "graph.nearer"], ["-", "−", "graph.farther"], ["0", "⤢", "graph.fit"]];

/**
 * @param {{scene: object, selected: string | null, path: string[], label: string, onSelect: (item: object | null) => void,
 *   onOpen: (item: object) => void}} given
 */
export function GraphCanvas({ scene, selected, path, label, onSelect, onOpen }) {
  const canvas = useRef(null);
  const does = useRef({});
  does.current = { onSelect, onOpen };
  const held = useDrawing(canvas, does);
  useEffect(() => begin(held.current, canvas.current, scene), [scene]);
  useEffect(() => held.current.drawing.mark({ selected, path }), [selected, path, scene]);
  const keys = keysOf(() => held.current.drawing, { scene, selected, onSelect, onOpen });
  const pressed = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key](event);
  };
  return html`<div class="graph-stage">
    <canvas ref=${canvas} class="graph-canvas" tabindex="0" role="application" aria-label=${label} aria-describedby="graph-keys" onKeyDown=${pressed} />
    <p id="graph-keys" class="unseen">${say("graph.keys")}</p>
    <div class="graph-tools">
      ${TOOLS.map(([key, sign, told]) => html`<button key=${key} type="button" class="button is-icon" aria-label=${say(told)} title=${say(told)} onClick=${() => keys[key]()}>${sign}</button>`)}
    </div>
  </div>`;
}
