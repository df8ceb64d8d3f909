// Who works with this memory: agents and what they did, what they have in mind, what they tell each other, who may come in.
import { html } from "../core/dom.js";
import { isOwner } from "../core/state.js";
import { say } from "../core/words.js";
import { Head } from "../parts/controls.js";
import { Tabs, tabOf } from "../parts/tabs.js";
import { Bus } from "./agents/bus.js";
import { Minds } from "./agents/minds.js";
import { Tokens } from "./agents/tokens.js";
import { Work } from "./agents/work.js";

const PARTS = { work: Work, minds: Minds, bus: Bus, tokens: Tokens };
const OWNERS = ["tokens"];

export function View({ parts, query }) {
  const names = Object.keys(PARTS).filter((name) => isOwner() || !OWNERS.includes(name));
  const at = tabOf(names, parts);
  const Part = PARTS[at];
  return html`
    <${Head} title=${say("nav.agents")} lead=${say(`agents.${at}_lead`)} />
    <${Tabs} view="agents" names=${names} at=${at} />
    <${Part} key=${at} query=${query} />`;
}
