// A store of nothing: what this is for, and how the first memory gets here.
import { html, useState } from "../core/dom.js";
import * as actions from "../core/actions.js";
import { may } from "../core/state.js";
import { say } from "../core/words.js";
import { Button, Field, Panel } from "./controls.js";

export function Welcome() {
  const [text, setText] = useState("");
  const at = location.origin;
  const keep = async (event) => {
    event.preventDefault();
    await actions.remember(text).catch(() => undefined);
  };
  const ways = [
    ["welcome.claude", `claude mcp add --transport http recollect ${at}/mcp`],
    ["welcome.python", `import recollect\n\nmem = recollect.open()\nmem.add("Ana moved from vim to Helix", user_id="ana")`],
    ["welcome.shell", `curl -s ${at}/v1/memories -H 'Content-Type: application/json' \\\n  -d '{"content": "Ana moved from vim to Helix"}'`],
    ["welcome.import", "recollect import memories.jsonl"],
  ];
  return html`<div class="welcome">
    <${Panel}>
      <p class="lead">${say("welcome.lead")}</p>
      ${may("write") && html`<form class="form" onSubmit=${keep}>
        <${Field} id="first" label=${say("welcome.first")}>
          <textarea id="first" rows="2" dir="auto" placeholder=${say("welcome.example")} value=${text} onInput=${(event) => setText(event.target.value)} />
        <//>
        <div class="form-end"><${Button} type="submit" tone="main" disabled=${!text.trim()}>${say("action.remember")}<//></div>
      </form>`}
    <//>
    <div class="ways">${ways.map(([title, code]) => html`<${Panel} key=${title} id=${title} title=${say(title)}><pre tabindex="0"><code>${code}</code></pre><//>`)}</div>
    <p class="hint">${say("welcome.demo")} <code>recollect demo --ui</code></p>
  </div>`;
}
