// The places of dots, worked out beside the page: dots push each other apart, lines pull. A worker; it draws nothing.

const THETA = 0.9; // a group of dots so far away counts as one
const PUSH = 240;
const LENGTH = 58; // of a line at rest
const PULL = 0.5;
const CENTRE = 0.012; // how strongly everything is drawn to the middle
const SLOWING = 0.62;
const COOLING = 0.977;
const COLD = 0.012;
const DEEPEST = 26; // levels of the tree; dots that lie nearer than that count as one
const NONE = -1;

let run = null;

addEventListener("message", ({ data }) => {
  run = data.stop ? null : begin(data);
  if (run) go(run);
});

function begin({ xs, ys, lines, warm, every, turn }) {
  const count = xs.length;
  const degree = new Float32Array(count);
  for (const at of lines) degree[at] += 1;
  const cells = 8 * count + 64;
  const tree = { child: new Int32Array(cells * 4), mass: new Float32Array(cells), x: new Float32Array(cells), y: new Float32Array(cells) };
  return { xs, ys, lines, degree, count, every, turn, heat: warm ?? 1, tick: 0, vx: new Float32Array(count), vy: new Float32Array(count), tree };
}

function go(now) {
  if (run !== now) return;
  for (let k = 0; k < now.every && now.heat > COLD; k += 1) tick(now);
  const settled = now.heat <= COLD;
  postMessage({ xs: now.xs.slice(), ys: now.ys.slice(), settled, turn: now.turn });
  if (!settled) setTimeout(() => go(now), 0);
}

function tick(now) {
  const { xs, ys, vx, vy, count } = now;
  now.heat *= COOLING;
  const box = plant(now);
  for (let at = 0; at < count; at += 1) pushed(now, at, box);
  pulled(now);
  for (let at = 0; at < count; at += 1) {
    vx[at] = (vx[at] - xs[at] * CENTRE * now.heat) * SLOWING;
    vy[at] = (vy[at] - ys[at] * CENTRE * now.heat) * SLOWING;
    xs[at] += vx[at];
    ys[at] += vy[at];
  }
  now.tick += 1;
}

/** The tree of quarters: a negative child is a dot, the others are cells. Children stand behind their parents. */
function plant({ xs, ys, count, tree }) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < count; at += 1) {
    left = Math.min(left, xs[at]);
    right = Math.max(right, xs[at]);
    top = Math.min(top, ys[at]);
    bottom = Math.max(bottom, ys[at]);
  }
  const size = Math.max(right - left, bottom - top, 1);
  const { child } = tree;
  child.fill(NONE, 0, 4);
  let cells = 1;
  for (let at = 0; at < count; at += 1) {
    let [cell, x, y, half] = [0, left, top, size / 2];
    for (let level = 0; ; level += 1) {
      const slot = cell * 4 + quarter(xs[at], ys[at], x, y, half);
      const held = child[slot];
      if (held === NONE) {
        child[slot] = -at - 2;
        break;
      }
      if (held < 0 && (level >= DEEPEST || (cells + 1) * 4 >= child.length)) break;
      [x, y] = [x + (slot & 1 ? half : 0), y + (slot & 2 ? half : 0)];
      half /= 2;
      if (held >= 0) {
        cell = held;
        continue;
      }
      child.fill(NONE, cells * 4, cells * 4 + 4);
      child[slot] = cell = cells;
      cells += 1;
      const other = -held - 2;
      child[cell * 4 + quarter(xs[other], ys[other], x, y, half)] = held;
    }
  }
  weigh(tree, cells, xs, ys);
  return size;
}

const quarter = (px, py, x, y, half) => (px >= x + half ? 1 : 0) + (py >= y + half ? 2 : 0);

/** How many dots each cell holds, and where their middle is. */
function weigh({ child, mass, x, y }, cells, xs, ys) {
  for (let cell = cells - 1; cell >= 0; cell -= 1) {
    let [sum, sx, sy] = [0, 0, 0];
    for (let slot = cell * 4; slot < cell * 4 + 4; slot += 1) {
      const held = child[slot];
      if (held === NONE) continue;
      const weight = held >= 0 ? mass[held] : 1;
      sum += weight;
      sx += weight * (held >= 0 ? x[held] : xs[-held - 2]);
      sy += weight * (held >= 0 ? y[held] : ys[-held - 2]);
    }
    mass[cell] = sum;
    x[cell] = sx / sum;
    y[cell] = sy / sum;
  }
}

const cellsLeft = new Int32Array(512);
const sizesLeft = new Float32Array(512);

/** Every other dot pushes this one away; far groups as one. */
function pushed({ xs, ys, vx, vy, heat, tree: { child, mass, x, y } }, at, box) {
  const [px, py] = [xs[at], ys[at]];
  let [fx, fy, left] = [0, 0, 1];
  cellsLeft[0] = 0;
  sizesLeft[0] = box;
  while (left > 0) {
    left -= 1;
    const [cell, size] = [cellsLeft[left], sizesLeft[left]];
    for (let slot = cell * 4; slot < cell * 4 + 4; slot += 1) {
      const held = child[slot];
      if (held === NONE || held === -at - 2) continue;
      const [ox, oy] = held >= 0 ? [x[held], y[held]] : [xs[-held - 2], ys[-held - 2]];
      const dx = px - ox || 0.01 * ((at % 7) - 3.5);
      const dy = py - oy || 0.01 * ((at % 5) - 2.5);
      const far = Math.max(1, dx * dx + dy * dy);
      if (held < 0 || size * size < 4 * THETA * THETA * far) {
        const force = (PUSH * (held >= 0 ? mass[held] : 1)) / far;
        fx += dx * force;
        fy += dy * force;
      } else {
        cellsLeft[left] = held;
        sizesLeft[left] = size / 2;
        left += 1;
      }
    }
  }
  vx[at] += fx * heat * 0.1;
  vy[at] += fy * heat * 0.1;
}

/** Lines pull their ends together, those of dots with few lines most. */
function pulled({ xs, ys, vx, vy, lines, degree, heat }) {
  for (let k = 0; k < lines.length; k += 2) {
    const [a, b] = [lines[k], lines[k + 1]];
    const dx = xs[b] + vx[b] - xs[a] - vx[a] || 0.01;
    const dy = ys[b] + vy[b] - ys[a] - vy[a] || 0.01;
    const far = Math.sqrt(dx * dx + dy * dy);
    const force = (((far - LENGTH) / far) * heat * PULL) / Math.min(degree[a], degree[b]);
    const share = degree[a] / (degree[a] + degree[b]);
    vx[b] -= dx * force * share;
    vy[b] -= dy * force * share;
    vx[a] += dx * force * (1 - share);
    vy[a] += dy * force * (1 - share);
  }
}
