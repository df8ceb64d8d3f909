// A graph in the browser: what was told of it so far, what of it is shown, its clusters, and the way between two nodes.

export const LAYERS = ["relations", "causes", "contradictions", "topology", "names"];
const AGAINST = new Set(["contradicts", "conflicts_with"]);
const BY_FAMILY = { causation: "causes", composition: "topology", context: "topology" };

/** Which layer a link belongs to, by what it says. */
export const layerOf = (link) => (link.family === null ? "names" : AGAINST.has(link.label) ? "contradictions" : (BY_FAMILY[link.family] ?? "relations"));

/** Nodes and links as they were told, put together from any number of answers. */
export class Graph {
  constructor() {
    this.nodes = [];
    this.places = new Map(); // id → place in nodes
    this.links = [];
    this.known = new Set();
  }

  /** Take in an answer of the verb `network`; how many nodes are new. */
  merge(told) {
    const before = this.nodes.length;
    const at = told.nodes.map((node) => this.add(node));
    for (const link of told.links) {
      const [a, b] = [at[link.source], at[link.target]];
      const key = `${a} ${b} ${link.label}`;
      if (a === b || this.known.has(key)) continue;
      this.known.add(key);
      this.links.push({ a, b, label: link.label, layer: layerOf(link), weight: link.weight ?? 1, until: link.until ? Date.parse(link.until) : null });
    }
    return this.nodes.length - before;
  }

  add(node) {
    const at = this.places.get(node.id);
    if (at !== undefined) return at;
    this.places.set(node.id, this.nodes.length);
    this.nodes.push({ ...node, since: Date.parse(node.since), until: node.until ? Date.parse(node.until) : null });
    return this.nodes.length - 1;
  }

  of(id) {
    const at = this.places.get(id);
    return at === undefined ? null : this.nodes[at];
  }

  /** The first moment that anything is told of. */
  get first() {
    return this.nodes.reduce((least, node) => Math.min(least, node.since), Date.now());
  }
}

/**
 * The part of a graph that meets the conditions. `when` is a moment, or null for all times.
 * @param {{layers: Set<string>, hidden: Set<string>, label: string, when: number | null}} wanted
 */
export function part(graph, { layers, hidden, label, when }) {
  const shown = graph.nodes.map((node) => !hidden.has(node.kind) && (when === null || (node.since <= when && (node.until === null || node.until > when))));
  const links = graph.links.filter((link) => shown[link.a] && shown[link.b] && layers.has(link.layer) && (!label || link.label === label) && (when === null || link.until === null || link.until > when));
  if (label) {
    const joined = new Set(links.flatMap((link) => [link.a, link.b]));
    shown.forEach((is, at) => (shown[at] = is && joined.has(at)));
  }
  return { shown, links };
}

/** How many links each node has. */
export function degrees(count, links) {
  const found = new Uint32Array(count);
  for (const { a, b } of links) {
    found[a] += 1;
    found[b] += 1;
  }
  return found;
}

const ROUNDS = 12;

/** The cluster of each node, as the place of one of its members: each takes the one that most of its neighbours have. */
export function clusters(count, links) {
  const beside = Array.from({ length: count }, () => []);
  for (const { a, b, weight } of links) {
    beside[a].push(b, weight);
    beside[b].push(a, weight);
  }
  const of = Int32Array.from({ length: count }, (_, at) => at);
  const order = Array.from({ length: count }, (_, at) => at).sort((one, other) => beside[one].length - beside[other].length || one - other);
  const votes = new Map();
  for (let round = 0, changed = true; changed && round < ROUNDS; round += 1) {
    changed = false;
    for (const at of order) {
      votes.clear();
      for (let k = 0; k < beside[at].length; k += 2) votes.set(of[beside[at][k]], (votes.get(of[beside[at][k]]) ?? 0) + beside[at][k + 1]);
      let best = of[at];
      for (const [each, votesFor] of votes) {
        const lead = votesFor - (votes.get(best) ?? 0);
        if (lead > 1e-9 || (lead > -1e-9 && each < best)) best = each;
      }
      if (best !== of[at]) {
        of[at] = best;
        changed = true;
      }
    }
  }
  return of;
}

/** The fewest steps from one node to another along these links, as places; null where there is no way. */
export function way(count, links, from, goal) {
  const beside = Array.from({ length: count }, () => []);
  for (const { a, b } of links) {
    beside[a].push(b);
    beside[b].push(a);
  }
  const cameBy = new Int32Array(count).fill(-1);
  cameBy[from] = from;
  let frontier = [from];
  while (frontier.length && cameBy[goal] < 0) {
    const next = [];
    for (const at of frontier) {
      for (const other of beside[at]) {
        if (cameBy[other] >= 0) continue;
        cameBy[other] = at;
        next.push(other);
      }
    }
    frontier = next;
  }
  if (cameBy[goal] < 0) return null;
  const steps = [goal];
  while (steps[0] !== from) steps.unshift(cameBy[steps[0]]);
  return steps;
}

export const FOLDED_FROM = 4; // members, for a cluster to be folded
const DOTS_WANTED = 400; // in a folded picture: while there are more, clusters are put together to larger ones
const LEVELS = 4;

/** Clusters large enough for a picture of some hundred dots; what nothing is joined to is together with its kind. */
function folded(graph, shown, links) {
  const count = graph.nodes.length;
  let of = clusters(count, links);
  for (let level = 1; level < LEVELS && new Set(of.filter((_, at) => shown[at])).size > DOTS_WANTED; level += 1) {
    const between = links.filter((link) => of[link.a] !== of[link.b]).map((link) => ({ a: of[link.a], b: of[link.b], weight: link.weight }));
    const above = clusters(count, between);
    of = of.map((each) => above[each]);
  }
  const counted = degrees(count, links);
  const alone = new Map();
  graph.nodes.forEach((node, at) => {
    if (!shown[at] || counted[at]) return;
    if (!alone.has(node.kind)) alone.set(node.kind, at);
    of[at] = alone.get(node.kind);
  });
  return of;
}

/**
 * What is drawn: a dot for each node that is shown, one for each folded cluster, and a line between two dots for all
 * links between them. `open` names clusters that were unfolded, by any of their members.
 */
export function sceneOf(graph, { shown, links }, { fold, open }) {
  const counted = degrees(graph.nodes.length, links);
  const of = fold ? folded(graph, shown, links) : null;
  const members = new Map();
  if (fold) {
    shown.forEach((is, at) => {
      if (is) (members.get(of[at]) ?? members.set(of[at], []).get(of[at])).push(at);
    });
  }
  const items = [];
  const seat = new Int32Array(graph.nodes.length).fill(-1);
  for (const each of members.values()) {
    if (each.length < FOLDED_FROM || each.some((at) => open.has(graph.nodes[at].id))) continue;
    const head = each.reduce((best, at) => (counted[at] > counted[best] ? at : best), each[0]);
    each.forEach((at) => (seat[at] = items.length));
    items.push({ key: `of ${graph.nodes[head].id}`, node: graph.nodes[head], members: each.length, links: each.reduce((sum, at) => sum + counted[at], 0) });
  }
  shown.forEach((is, at) => {
    if (!is || seat[at] >= 0) return;
    seat[at] = items.length;
    items.push({ key: graph.nodes[at].id, node: graph.nodes[at], members: 0, links: counted[at] });
  });
  const lines = new Map();
  for (const link of links) {
    const [a, b] = [seat[link.a], seat[link.b]];
    if (a === b) continue;
    const key = a < b ? a * items.length + b : b * items.length + a;
    const was = lines.get(key);
    if (was) was.count += 1;
    else lines.set(key, { a, b, layer: link.layer, count: 1 });
  }
  return { items, lines: [...lines.values()], seat };
}
