// What is known about a project's code: its modules, what a change reaches, what was learned at work, what that spared.
import { html } from "../core/dom.js";
import { useAnswer } from "../core/ask.js";
import { verb } from "../core/api.js";
import { refine } from "../core/router.js";
import { say } from "../core/words.js";
import { Answer, Empty, Head, Panel, Select } from "../parts/controls.js";
import { Tabs, tabOf } from "../parts/tabs.js";
import { Impact } from "./code/impact.js";
import { Learned } from "./code/learned.js";
import { Meters } from "./code/meter.js";
import { Modules } from "./code/modules.js";

const PARTS = { modules: Modules, impact: Impact, learned: Learned, meter: Meters };
const NAMES = Object.keys(PARTS);
const OF_A_PROJECT = ["modules", "impact"]; // need code that was taken in; the others tell of work as well

export function View({ parts, query }) {
  const at = tabOf(NAMES, parts);
  const projects = useAnswer((signal) => verb("code_projects", {}, { signal }), []);
  return html`
    <${Head} title=${say("nav.code")} lead=${say(`code.${at}_lead`)}>
      ${projects.data?.projects.length > 1 && html`<${Projects} projects=${projects.data.projects} root=${query.root} />`}<//>
    <${Tabs} view="code" names=${NAMES} at=${at} query=${query.root ? { root: query.root } : {}} />
    <${Answer} answer=${projects} lines=${8}>${(told) => {
      const project = told.projects.find((each) => each.root === query.root) ?? told.projects[0];
      if (!project && OF_A_PROJECT.includes(at)) return html`<${None} />`;
      const Part = PARTS[at];
      return html`<${Part} key=${`${at} ${project?.root}`} project=${project ?? null} parts=${parts.slice(1)} query=${query} />`;
    }}<//>`;
}

const Projects = ({ projects, root }) => html`<${Select} id="project" hidden label=${say("code.project")} value=${root ?? projects[0].root}
  options=${projects.map((each) => [each.root, each.project])} onChange=${(each) => refine({ root: each, of: "" })} />`;

/** No code is known: how it gets here. */
const None = () => html`<${Empty} icon="code" title=${say("code.none")}><p>${say("code.none_text")}</p><//>
  <div class="ways">
    <${Panel} id="way-index" title=${say("code.way_index")}><pre tabindex="0"><code>recollect code index ~/src/atlas</code></pre><//>
    <${Panel} id="way-hooks" title=${say("code.way_hooks")}><pre tabindex="0"><code>recollect hooks install --client claude-code --write</code></pre><//>
  </div>`;
