// What is known, and how well: a map of areas, the tree of summaries, gaps, patterns, and pages about a time.
import { html } from "../core/dom.js";
import { say } from "../core/words.js";
import { Head } from "../parts/controls.js";
import { Tabs, tabOf } from "../parts/tabs.js";
import { Map } from "./knowledge/map.js";
import { Tree } from "./knowledge/tree.js";
import { Gaps } from "./knowledge/gaps.js";
import { Patterns } from "./knowledge/patterns.js";
import { Pages } from "./knowledge/pages.js";

const PARTS = { map: Map, tree: Tree, gaps: Gaps, patterns: Patterns, pages: Pages };
const NAMES = Object.keys(PARTS);

export function View({ parts, query }) {
  const at = tabOf(NAMES, parts);
  const Part = PARTS[at];
  return html`
    <${Head} title=${say("nav.knowledge")} lead=${say(`knowledge.${at}_lead`)} />
    <${Tabs} view="knowledge" names=${NAMES} at=${at} />
    <${Part} parts=${parts.slice(1)} query=${query} />`;
}
