// What agents tell each other: what was published and what became of it, who asked for what, what arrived.
import { html, useState } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { act } from "../../core/actions.js";
import { ago, number } from "../../core/format.js";
import { to } from "../../core/router.js";
import { isOwner, may } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Empty, Field, Panel, Select } from "../../parts/controls.js";
import { Asking } from "../../parts/card_dialogs.js";
import { beginning, plainly } from "../../parts/record.js";

const MOST = 50;
const AUDIENCES = ["project", "squad", "global"];
const TONE = { delivered: "good", renewed: "good", conflict: "bad", withdrawn: "warn" };

const words = (text) => text.split(",").map((each) => each.trim()).filter(Boolean);
const quietly = (done) => () => done().catch(() => undefined);

export function Bus() {
  const told = useAnswer((signal) => verb("bus_publications", { limit: MOST }, { signal }), [], { live: true });
  const asked = useAnswer((signal) => verb("bus_subscriptions", {}, { signal }), [], { live: true });
  const arrived = useAnswer((signal) => verb("bus_inbox", { limit: MOST }, { signal }), [], { live: true });
  const [open, setOpen] = useState(null);
  const done = () => (told.again(), asked.again(), arrived.again());
  return html`<div class="reached">
    <${Panel} id="published" title=${say("bus.published")} aside=${may("write") && html`<${Button} small icon="plus" onClick=${() => setOpen("publish")}>${say("bus.publish")}<//>`}>
      <${Answer} answer=${told}>${({ results }) => (results.length ? html`<ul class="plain gaps">${results.map((each) => html`<${Publication} key=${each.id} each=${each} again=${done} />`)}</ul>`
        : html`<${Empty} icon="merge" title=${say("bus.none")}><p>${say("bus.none_text")}</p><//>`)}<//>
    <//>
    <div class="stacked">
      <${Panel} id="subscribed" title=${say("bus.subscribed")} aside=${may("write") && html`<${Button} small icon="plus" onClick=${() => setOpen("subscribe")}>${say("bus.subscribe")}<//>`}>
        <${Answer} answer=${asked} lines=${3}>${({ results }) => (results.length ? html`<ul class="plain gaps">${results.map((each) => html`<${Subscription} key=${each.id} each=${each} again=${done} />`)}</ul>` : html`<p class="hint">${say("bus.nobody")}</p>`)}<//>
      <//>
      <${Panel} id="arrived" title=${say("bus.arrived")}><${Answer} answer=${arrived} lines=${3}>${({ results }) => html`<${Arrived} messages=${results} />`}<//><//>
    </div>
    ${open === "publish" && html`<${Publishing} onClose=${() => setOpen(null)} onDone=${done} />`}
    ${open === "subscribe" && html`<${Subscribing} onClose=${() => setOpen(null)} onDone=${done} />`}
  </div>`;
}

function Publication({ each, again }) {
  return html`<li class="gap">
    <p><b dir="auto">${plainly(each.from)}</b> <${Chip}>${word("audience", each.visibility)}<//>${each.topics.map((topic) => html` <span key=${topic} class="tag" dir="auto">${plainly(topic)}</span>`)} <time class="hint" datetime=${each.at}>${ago(each.at)}</time></p>
    ${each.subject && html`<p class="hint" dir="auto">${say("bus.about", { name: plainly(each.subject) })}</p>`}
    ${each.contents.map((text, index) => html`<p key=${each.records[index]} dir="auto"><a href=${to("memories", each.records[index])}>${beginning(text, 240)}</a></p>`)}
    ${!each.contents.length && html`<p class="hint">${say("bus.gone")}</p>`}
    <p class="hint">${say("bus.for", { count: each.receivers })} ${Object.entries(each.outcomes).map(([outcome, count]) => html`<${Chip} key=${outcome} tone=${TONE[outcome]}>${word("outcome", outcome)} ${number(count)}<//> `)}
      ${each.waiting > 0 && html`<${Chip} tone="warn">${say("bus.waiting", { count: each.waiting })}<//>`}</p>
    ${each.waiting > 0 && may("write") && html`<div class="wait-offers"><${Button} small icon="close" onClick=${quietly(() => act("bus_withdraw", { id: each.id }, "done.withdrawn").then(again))}>${say("bus.withdraw")}<//></div>`}
  </li>`;
}

function Subscription({ each, again }) {
  return html`<li class="gap">
    <p><b dir="auto">${plainly(each.agent_id)}</b>${each.project && html` <span class="hint" dir="auto">${plainly(each.project)}</span>`}${each.topics === null ? html` <${Chip}>${say("bus.any_topic")}<//>` : each.topics.map((topic) => html` <span key=${topic} class="tag" dir="auto">${plainly(topic)}</span>`)}</p>
    <p class="hint">${say("bus.conditions", { least: each.importance_min, rate: each.rate })}${each.sources ? html` · <span dir="auto">${say("bus.from", { names: each.sources.map(plainly).join(", ") })}</span>` : null}</p>
    ${may("write") && html`<div class="wait-offers"><${Button} small quiet icon="close" onClick=${quietly(() => act("bus_unsubscribe", { id: each.id }, "done.unsubscribed").then(again))}>${say("bus.end")}<//></div>`}
  </li>`;
}

function Arrived({ messages }) {
  if (!messages.length) return html`<p class="hint">${say("bus.nothing_arrived")}</p>`;
  return html`<ul class="plain gaps">${[...messages].reverse().map((each) => html`<li key=${each.number} class="gap">
    <p><b dir="auto">${plainly(each.from)}</b> → <b dir="auto">${plainly(each.to)}</b> <${Chip} tone=${TONE[each.outcome]}>${word("outcome", each.outcome)}<//> <time class="hint" datetime=${each.at}>${ago(each.at)}</time></p>
    ${each.contents.map((text, index) => html`<p key=${each.records[index]} dir="auto"><a href=${to("memories", each.records[index])}>${beginning(text, 160)}</a></p>`)}</li>`)}</ul>`;
}

const Line = ({ id, label, value, onInput, hint }) => html`<${Field} id=${id} label=${label} hint=${hint}><input id=${id} type="text" dir="auto" autocomplete="off" value=${value} aria-describedby=${hint ? `${id}-hint` : undefined} onInput=${(event) => onInput(event.target.value)} /><//>`;

function Publishing({ onClose, onDone }) {
  const [given, setGiven] = useState({ agent: "", project: "", text: "", topics: "", visibility: "project" });
  const set = (name) => (value) => setGiven((was) => ({ ...was, [name]: value }));
  const send = () => act("publish", { id_or_text: given.text.trim(), topics: words(given.topics), visibility: given.visibility, agent_id: given.agent.trim(), project: given.project.trim() }, "done.published").then(onDone);
  return html`<${Asking} title=${say("bus.publish")} action=${say("bus.publish")} ready=${Boolean(given.agent.trim() && given.text.trim())} onSend=${send} onClose=${onClose}>
    <${Field} id="bus-text" label=${say("field.content")} hint=${say("bus.text_hint")}><textarea id="bus-text" rows="3" dir="auto" aria-describedby="bus-text-hint" value=${given.text} onInput=${(event) => set("text")(event.target.value)} /><//>
    <div class="form-row"><${Line} id="bus-agent" label=${say("field.agent_id")} value=${given.agent} onInput=${set("agent")} /><${Line} id="bus-project" label=${say("field.project")} value=${given.project} onInput=${set("project")} /></div>
    <div class="form-row"><${Line} id="bus-topics" label=${say("bus.topics")} value=${given.topics} onInput=${set("topics")} hint=${say("edit.tags_hint")} />
      <${Select} id="bus-audience" label=${say("bus.audience")} value=${given.visibility} options=${AUDIENCES.filter((name) => name !== "global" || isOwner()).map((name) => [name, word("audience", name)])} onChange=${set("visibility")} /></div>
  <//>`;
}

function Subscribing({ onClose, onDone }) {
  const [given, setGiven] = useState({ agent: "", project: "", topics: "", sources: "" });
  const set = (name) => (value) => setGiven((was) => ({ ...was, [name]: value }));
  const send = () => act("subscribe", { topics: words(given.topics), sources: words(given.sources), agent_id: given.agent.trim(), project: given.project.trim() }, "done.subscribed").then(onDone);
  return html`<${Asking} title=${say("bus.subscribe")} action=${say("bus.subscribe")} ready=${Boolean(given.agent.trim())} onSend=${send} onClose=${onClose}>
    <div class="form-row"><${Line} id="sub-agent" label=${say("field.agent_id")} value=${given.agent} onInput=${set("agent")} /><${Line} id="sub-project" label=${say("field.project")} value=${given.project} onInput=${set("project")} /></div>
    <${Line} id="sub-topics" label=${say("bus.topics")} value=${given.topics} onInput=${set("topics")} hint=${say("bus.topics_hint")} />
    <${Line} id="sub-sources" label=${say("bus.sources")} value=${given.sources} onInput=${set("sources")} hint=${say("bus.sources_hint")} />
  <//>`;
}
