// Dots and lines on a canvas: drawn when something changed, moved and magnified by hand, wheel, two fingers and keys.
import { theme } from "../core/state.js";

const NEAREST = 8; // magnification
const FARTHEST = 0.02;
const REACH = 14; // pixels around a dot that still mean it
const NAMED = 40; // dots that carry their name at once
const NAME_CHARS = 30;
const SPARED = 160; // dots, the largest first, that no name covers
const LOOKED_AT = 400; // dots that are tried for a name, the largest first
const SMALL = 2.2; // pixels: a smaller dot is drawn as a square
const LINES = { relations: "--line-strong", causes: "--changed", contradictions: "--bad", topology: "--asked", names: "--line" };
const NAMES_OF_COLOURS = ["--ink", "--ink-2", "--sheet", "--paper", "--accent", "--line", "--line-strong", "--changed", "--bad", "--asked"];
const KINDS = ["--episodic", "--semantic", "--procedural", "--opinion", "--entity", "--snippet", "--schema"];

/** @param {{onPick: (item: object | null, twice: boolean) => void}} given */
export class Drawing {
  constructor(canvas, { onPick }) {
    this.canvas = canvas;
    this.onPick = onPick;
    this.scene = { items: [], lines: [] };
    this.xs = this.ys = new Float32Array(0);
    this.view = { x: 0, y: 0, scale: 1 };
    this.half = { width: 0, height: 0 };
    this.layers = [];
    this.order = [];
    this.marked = { selected: null, path: [] };
    this.moved = false; // by hand: then nothing but a wish fits it again
    this.over = -1;
    this.fingers = new Map();
    this.ending = new AbortController();
    this.sized = new ResizeObserver(() => this.resize());
    this.sized.observe(canvas);
    this.unwatch = theme.watch(() => setTimeout(() => this.recolour(), 0));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour(), { signal: this.ending.signal });
    this.listen();
    this.recolour();
  }

  stop() {
    this.sized.disconnect();
    this.unwatch();
    this.ending.abort();
    cancelAnimationFrame(this.frame);
  }

  recolour() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries([...NAMES_OF_COLOURS, ...KINDS].map((name) => [name, style.getPropertyValue(name).trim()]));
    this.soon();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.half = { width: clientWidth / 2, height: clientHeight / 2 }; // the canvas itself is slow to ask
    this.canvas.width = clientWidth * this.ratio;
    this.canvas.height = clientHeight * this.ratio;
    if (!this.moved) this.fit();
    this.soon();
  }

  show(scene, xs, ys) {
    this.scene = scene;
    this.radii = Float32Array.from(scene.items, (item) => (item.members ? 7 + Math.sqrt(item.members) * 2.4 : 3.4 + Math.sqrt(item.links) * 1.5));
    this.layers = Object.keys(LINES).map((layer) => [layer, scene.lines.filter((line) => line.layer === layer)]);
    this.order = scene.items.map((_, at) => at).sort((one, other) => this.radii[other] - this.radii[one]);
    this.seats = new Map(scene.items.map((item, at) => [item.key, at]));
    this.over = -1;
    this.place(xs, ys);
    this.canvas.dataset.nodes = scene.items.length;
  }

  place(xs, ys) {
    [this.xs, this.ys] = [xs, ys];
    if (!this.moved) this.fit();
    this.soon();
  }

  mark(marked) {
    this.marked = marked;
    this.soon();
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      const began = performance.now();
      this.draw();
      this.canvas.dataset.frame = (performance.now() - began).toFixed(1);
    });
  }

  /** All of it within the canvas. */
  fit() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!this.xs.length || !clientWidth) return;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < this.xs.length; at += 1) {
      left = Math.min(left, this.xs[at]);
      right = Math.max(right, this.xs[at]);
      top = Math.min(top, this.ys[at]);
      bottom = Math.max(bottom, this.ys[at]);
    }
    const scale = Math.min(clientWidth / (right - left + 110), clientHeight / (bottom - top + 90));
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(FARTHEST, Math.min(1.8, scale)) };
    this.soon();
  }

  /** All of it again, after it was moved by hand. */
  whole() {
    this.moved = false;
    this.fit();
  }

  /** Bring a dot to the middle. */
  centre(key) {
    const at = this.seats?.get(key);
    if (at === undefined) return;
    this.moved = true;
    this.view = { x: this.xs[at], y: this.ys[at], scale: Math.max(this.view.scale, 1.1) };
    this.soon();
  }

  zoom(factor, around = null) {
    const { clientWidth, clientHeight } = this.canvas;
    const [px, py] = around ?? [clientWidth / 2, clientHeight / 2];
    const scale = Math.max(FARTHEST, Math.min(NEAREST, this.view.scale * factor));
    const gain = 1 / this.view.scale - 1 / scale;
    this.view = { x: this.view.x + (px - clientWidth / 2) * gain, y: this.view.y + (py - clientHeight / 2) * gain, scale };
    this.moved = true;
    this.soon();
  }

  pan(dx, dy) {
    this.view = { ...this.view, x: this.view.x - dx / this.view.scale, y: this.view.y - dy / this.view.scale };
    this.moved = true;
    this.soon();
  }

  /** Where a dot is on the canvas, in pixels; null where it is not drawn. */
  placeOf(key) {
    const at = this.seats?.get(key);
    return at === undefined ? null : { x: this.screenX(at), y: this.screenY(at) };
  }

  screenX(at) {
    return (this.xs[at] - this.view.x) * this.view.scale + this.half.width;
  }

  screenY(at) {
    return (this.ys[at] - this.view.y) * this.view.scale + this.half.height;
  }

  /** The dot at a place, or -1. */
  hit(px, py) {
    let [best, least] = [-1, Infinity];
    for (let at = 0; at < this.xs.length; at += 1) {
      const far = Math.hypot(this.screenX(at) - px, this.screenY(at) - py) - this.radii[at] * this.view.scale;
      if (far < least) [best, least] = [at, far];
    }
    return least < REACH - 6 ? best : -1;
  }

  /** The next dot in a direction from the one that is chosen; the largest where none is. */
  towards(dx, dy) {
    const from = this.seats?.get(this.marked.selected);
    if (from === undefined) return this.scene.items[this.order?.[0]] ?? null;
    let [best, least] = [-1, Infinity];
    for (let at = 0; at < this.xs.length; at += 1) {
      const [x, y] = [this.xs[at] - this.xs[from], this.ys[at] - this.ys[from]];
      const ahead = x * dx + y * dy;
      const beside = Math.abs(x * dy - y * dx);
      if (at === from || ahead <= 0 || beside > ahead * 1.4) continue;
      const cost = ahead + 2 * beside;
      if (cost < least) [best, least] = [at, cost];
    }
    return best < 0 ? null : this.scene.items[best];
  }

  listen() {
    const { canvas } = this;
    const on = (name, does, more = {}) => canvas.addEventListener(name, does, { signal: this.ending.signal, ...more });
    const at = (event) => [event.offsetX, event.offsetY];
    on("wheel", (event) => (event.preventDefault(), this.zoom(Math.exp(-event.deltaY * 0.0016), at(event))), { passive: false });
    on("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, at(event));
      this.still = this.fingers.size === 1;
    });
    on("pointermove", (event) => (this.fingers.has(event.pointerId) ? this.dragged(event.pointerId, at(event)) : this.hover(...at(event))));
    on("pointerup", (event) => {
      const still = this.still && this.fingers.has(event.pointerId);
      this.fingers.delete(event.pointerId);
      if (still) this.picked(...at(event));
    });
    on("pointercancel", (event) => this.fingers.delete(event.pointerId));
    on("pointerleave", () => this.hover(-1e6, -1e6));
  }

  picked(px, py) {
    const found = this.hit(px, py);
    const twice = found >= 0 && this.lastPick === found && performance.now() - this.lastPickAt < 400;
    [this.lastPick, this.lastPickAt] = [found, performance.now()];
    this.onPick(found < 0 ? null : this.scene.items[found], twice);
  }

  dragged(finger, place) {
    const before = this.fingers.get(finger);
    const [other] = [...this.fingers].filter(([id]) => id !== finger).map(([, each]) => each);
    const [dx, dy] = [place[0] - before[0], place[1] - before[1]];
    if (this.still && Math.hypot(dx, dy) < 4) return;
    this.still = false;
    this.fingers.set(finger, place);
    if (!other) {
      this.pan(dx, dy);
      return;
    }
    const [was, is] = [before, place].map((each) => Math.hypot(each[0] - other[0], each[1] - other[1]));
    if (was > 1) this.zoom(is / was, [(place[0] + other[0]) / 2, (place[1] + other[1]) / 2]);
  }

  hover(px, py) {
    const over = this.hit(px, py);
    if (over === this.over) return;
    this.over = over;
    this.canvas.classList.toggle("is-over", over >= 0);
    this.soon();
  }

  draw() {
    const paint = this.canvas.getContext("2d");
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { scale } = this.view;
    paint.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    paint.clearRect(0, 0, width, height);
    const path = new Set(this.marked.path);
    const selected = this.seats?.get(this.marked.selected) ?? -1;
    const near = new Set();
    for (const { a, b } of this.scene.lines) {
      if (a === selected) near.add(b);
      if (b === selected) near.add(a);
    }
    this.drawLines(paint, selected, path);
    this.drawDots(paint, width, height, scale);
    this.drawMarks(paint, selected, path, scale);
    this.drawNames(paint, { width, height, selected, near, path });
  }

  drawLines(paint, selected, path) {
    const { lines, items } = this.scene;
    const inPath = (line) => path.has(items[line.a].key) && path.has(items[line.b].key);
    paint.lineWidth = Math.max(0.4, Math.min(1.4, this.view.scale));
    paint.globalAlpha = selected >= 0 || path.size ? 0.28 : lines.length > 4000 ? 0.42 : 0.75;
    for (const [layer, drawn] of this.layers) this.stroke(paint, LINES[layer], drawn);
    paint.globalAlpha = 1;
    if (selected >= 0) {
      paint.lineWidth = 1.8;
      for (const [layer, drawn] of this.layers) this.stroke(paint, layer === "names" ? "--line-strong" : LINES[layer], drawn.filter((line) => line.a === selected || line.b === selected));
    }
    if (path.size > 1) {
      paint.lineWidth = 3.4;
      this.stroke(paint, "--accent", lines.filter(inPath));
    }
  }

  stroke(paint, colour, lines) {
    const { clientWidth, clientHeight } = this.canvas;
    paint.strokeStyle = this.colours[colour];
    paint.beginPath();
    for (const line of lines) {
      const [x, y, toX, toY] = [this.screenX(line.a), this.screenY(line.a), this.screenX(line.b), this.screenY(line.b)];
      if ((x < 0 && toX < 0) || (y < 0 && toY < 0) || (x > clientWidth && toX > clientWidth) || (y > clientHeight && toY > clientHeight)) continue;
      paint.moveTo(x, y);
      paint.lineTo(toX, toY);
    }
    paint.stroke();
  }

  /** All dots of one colour in one go: thousands of them are a few calls. */
  drawDots(paint, width, height, scale) {
    const byColour = new Map();
    this.scene.items.forEach((item, at) => {
      const [x, y, r] = [this.screenX(at), this.screenY(at), this.radii[at] * Math.min(scale, 1.6)];
      if (x < -r || y < -r || x > width + r || y > height + r) return;
      const colour = item.node.sort === "entity" ? "--entity" : `--${item.node.kind}`;
      const dots = byColour.get(colour) ?? byColour.set(colour, []).get(colour);
      dots.push(x, y, Math.max(0.9, r), item.node.sort === "entity" && !item.members ? 1 : 0, item.node.until !== null && item.node.until < Date.now() ? 1 : 0);
    });
    for (const [colour, dots] of byColour) {
      for (const ended of [0, 1]) {
        paint.beginPath();
        for (let k = 0; k < dots.length; k += 5) if (dots[k + 4] === ended) outline(paint, dots[k], dots[k + 1], dots[k + 2], dots[k + 3]);
        paint.fillStyle = ended ? this.colours["--paper"] : this.colours[colour] || this.colours["--ink-2"];
        paint.fill();
        paint.lineWidth = ended ? 1.4 : 1;
        paint.strokeStyle = ended ? this.colours[colour] || this.colours["--ink-2"] : this.colours["--sheet"];
        if (ended || scale > 0.5) paint.stroke();
      }
    }
  }

  drawMarks(paint, selected, path, scale) {
    paint.strokeStyle = this.colours["--accent"];
    paint.lineWidth = 2.4;
    this.scene.items.forEach((item, at) => {
      if (at !== selected && at !== this.over && !path.has(item.key)) return;
      paint.beginPath();
      outline(paint, this.screenX(at), this.screenY(at), Math.max(4, this.radii[at] * Math.min(scale, 1.6)) + 3, 0);
      paint.stroke();
    });
  }

  boxOf(at) {
    const [x, y, r] = [this.screenX(at), this.screenY(at), this.radii[at] * Math.min(this.view.scale, 1.6)];
    return [x - r, y - r, x + r, y + r];
  }

  /** Names of the largest dots in sight, of the chosen one and of what is joined to it; none over another. */
  drawNames(paint, { width, height, selected, near, path }) {
    const taken = this.order.slice(0, SPARED).map((at) => this.boxOf(at));
    const first = [this.over, selected, ...this.order.filter((at) => path.has(this.scene.items[at].key)), ...near].filter((at) => at >= 0);
    paint.font = "500 12px Inter, system-ui, sans-serif";
    paint.textAlign = "center";
    paint.textBaseline = "top";
    paint.lineJoin = "round";
    let left = NAMED;
    for (const at of new Set([...first, ...this.order.slice(0, LOOKED_AT)])) {
      if (left <= 0) break;
      const [x, y] = [this.screenX(at), this.screenY(at) + this.radii[at] * Math.min(this.view.scale, 1.6) + 4];
      if (x < 0 || y < 0 || x > width || y > height) continue;
      const name = this.scene.items[at].name;
      const text = name.length > NAME_CHARS && at !== this.over ? `${name.slice(0, NAME_CHARS)}…` : name.slice(0, 90);
      const half = paint.measureText(text).width / 2 + 3;
      const box = [x - half, y - 2, x + half, y + 15];
      if (at !== this.over && at !== selected && taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      left -= 1;
      paint.strokeStyle = this.colours["--paper"];
      paint.lineWidth = 4;
      paint.strokeText(text, x, y);
      paint.fillStyle = this.colours[at === selected || at === this.over ? "--ink" : "--ink-2"];
      paint.fillText(text, x, y);
    }
  }
}

/** A circle, or a rounded square for what is no record; a plain square where nobody would see the difference. */
function outline(paint, x, y, r, square) {
  if (r < SMALL) paint.rect(x - r, y - r, 2 * r, 2 * r);
  else if (square) {
    paint.roundRect(x - r, y - r, 2 * r, 2 * r, r * 0.45);
  } else {
    paint.moveTo(x + r, y);
    paint.arc(x, y, r, 0, 7);
  }
}
