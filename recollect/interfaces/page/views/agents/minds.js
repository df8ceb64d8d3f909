// What agents have in mind: slots by how strong they are, how settled the topic is, what the last prompt did to it.
import { html, useState } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { act } from "../../core/actions.js";
import { ago } from "../../core/format.js";
import { refine, to } from "../../core/router.js";
import { may } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Empty, Meter, Panel, Select } from "../../parts/controls.js";
import { Asking } from "../../parts/card_dialogs.js";
import { plainly, whose } from "../../parts/record.js";

const MOST = 100;
const SCOPE = ["user_id", "agent_id", "project", "squad", "channel"];
const CHANGE = { continuation: "good", drift: "warn", switch: "bad" };

const keyOf = (mind) => JSON.stringify([mind.session_id, ...SCOPE.map((name) => mind[name])]);
const placeOf = (mind) => Object.fromEntries([["session_id", mind.session_id], ...SCOPE.map((name) => [name, mind[name]])].filter(([, value]) => value));

export function Minds({ query }) {
  const answer = useAnswer((signal) => verb("working_minds", { limit: MOST }, { signal }), [], { live: true });
  return html`<${Answer} answer=${answer} lines=${6}>${(told) => {
    if (!told.results.length) return html`<${Empty} icon="knowledge" title=${say("minds.none")}><p>${say("minds.none_text")}</p><pre class="example" tabindex="0"><code>${'with mem.scoped(agent_id="rex").turn(prompt, session_id="s1") as turn:\n    turn.answer(model(turn.window.text))'}</code></pre><//>`;
    const names = [...new Set(told.results.map((each) => each.agent_id).filter(Boolean))].sort();
    const shown = told.results.filter((each) => !query.agent || each.agent_id === query.agent);
    return html`
      <div class="bar page-bar"><${Select} id="mind-agent" hidden label=${say("field.agent_id")} value=${query.agent ?? ""} options=${[["", say("minds.everyone")], ...names.map((name) => [name, plainly(name)])]} onChange=${(each) => refine({ agent: each })} />
        <${Button} small icon="refresh" onClick=${answer.again}>${say("minds.look")}<//></div>
      <div class="minds">${shown.map((mind) => html`<${Mind} key=${keyOf(mind)} mind=${mind} again=${answer.again} />`)}</div>`;
  }}<//>`;
}

function Mind({ mind, again }) {
  const [clearing, setClearing] = useState(false);
  const place = placeOf(mind);
  const aside = () => act("working_suspend", place, "done.aside").then(again, () => undefined);
  return html`<${Panel} class="mind" id=${`mind-${keyOf(mind).replace(/\W+/g, "-")}`} title=${plainly(mind.agent_id ?? mind.user_id ?? say("minds.somebody"))}
    aside=${html`<${Chip} tone=${mind.held ? "good" : ""}>${say(mind.held ? "minds.at_work" : "minds.aside")}<//>`}>
    <p class="facts">${[...new Set([...whose(mind), mind.session_id])].filter((name) => name && name !== mind.agent_id).map((name) => html`<span key=${name} dir="auto">${plainly(name)}</span>`)}<time datetime=${mind.used_at}>${ago(mind.used_at)}</time></p>
    <div class="meters"><${Meter} label=${say("minds.momentum")} value=${mind.certainty} tone="strong" /></div>
    ${mind.change && html`<p class="topic"><span class="hint">${say("minds.topic")}</span> <${Chip} tone=${CHANGE[mind.change]}>${word("topic", mind.change)}<//></p>`}
    ${mind.slots.length
      ? html`<ol class="slots">${mind.slots.map((slot) => html`<li key=${slot.id} class="slot">
          <p dir="auto">${slot.record_id ? html`<a href=${to("memories", slot.record_id)}>${plainly(slot.text)}</a>` : plainly(slot.text)}</p>
          <${Meter} label=${word("slot", slot.source)} value=${slot.activation} /></li>`)}</ol>`
      : html`<p class="hint">${say("minds.empty")}</p>`}
    ${may("write") && html`<div class="wait-offers">
      ${mind.held && html`<${Button} small icon="keep" onClick=${aside}>${say("minds.put_aside")}<//>`}
      <${Button} small quiet icon="forget" onClick=${() => setClearing(true)}>${say("minds.clear")}<//></div>`}
    ${clearing && html`<${Asking} title=${say("minds.clear")} action=${say("minds.clear")} tone="bad" onClose=${() => setClearing(false)} onSend=${() => act("working_clear", place, "done.cleared").then(again)}><p>${say("minds.clear_means")}</p><//>`}
  <//>`;
}
