// Questions to the memory, one after the other: with a language model an answer whose citations open the card, without
// one the evidence. The talk stays in this tab and is stored nowhere.
import { classes, html, useEffect, useRef, useState } from "../core/dom.js";
import { everywhere } from "../core/ask.js";
import { verb } from "../core/api.js";
import { endOf } from "../core/format.js";
import { go, refine, to } from "../core/router.js";
import { isOwner, may, session, store, useStore } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Button, Empty, Field, Head, Problem } from "../parts/controls.js";
import { Card } from "../parts/card.js";
import { Reply } from "../parts/reply.js";

const EVIDENCE_MIN_CHARS = 2;
const talk = store([]); // {id, question, told, error, since, ending}: turns since the tab was opened
let turns = 0;

function put(id, changed) {
  talk.set((was) => was.map((turn) => (turn.id === id ? { ...turn, ...changed } : turn)));
}

/** Ask; the answer stands below its question when it comes, whatever is looked at meanwhile. */
async function ask(question, { user, as_of }) {
  const id = ++turns;
  const ending = new AbortController();
  talk.set((was) => [...was, { id, question, told: null, error: null, since: Date.now(), ending }]);
  const where = user ? { user_id: user } : everywhere();
  try {
    put(id, { told: await verb("reason", { question, as_of: endOf(as_of), ...where }, { signal: ending.signal }) });
  } catch (error) {
    if (error.name === "AbortError") talk.set((was) => was.filter((turn) => turn.id !== id));
    else put(id, { error });
  }
}

export function View({ parts, query }) {
  const said = useStore(talk);
  const [text, setText] = useState("");
  const box = useRef(null);
  const list = useRef(null);
  const open = parts[0] ?? null;
  const sent = (question) => {
    if (question.trim().length < EVIDENCE_MIN_CHARS) return;
    ask(question.trim(), query);
    setText("");
  };
  useEffect(() => {
    box.current?.focus();
    if (!query.q) return;
    sent(query.q);
    refine({ q: "" });
  }, [query.q]);
  useEffect(() => list.current?.lastElementChild?.scrollIntoView({ block: "start" }), [said.length, said.at(-1)?.told, said.at(-1)?.error]);
  const pressed = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    sent(text);
  };
  return html`<div class=${classes("chat", open && "has-card")}>
    <div class="chat-main">
      <${Head} title=${say("nav.chat")} lead=${say("chat.lead")}>
        ${said.length > 0 && html`<${Button} icon="close" onClick=${() => talk.set([])}>${say("chat.clear")}<//>`}
      <//>
      <${Model} />
      <div class="talk" ref=${list} role="log" tabindex="0" aria-label=${say("chat.talk")}>
        ${said.map((turn) => html`<${Turn} key=${turn.id} turn=${turn} query=${query} again=${() => (talk.set((was) => was.filter((each) => each !== turn)), ask(turn.question, query))} />`)}
        ${!said.length && html`<${Beginning} onAsk=${sent} />`}
      </div>
      <form class="chat-form" onSubmit=${(event) => (event.preventDefault(), sent(text))}>
        <${Options} query=${query} />
        <div class="chat-line">
          <${Field} id="chat-question" label=${say("ask.question")} hidden><textarea id="chat-question" ref=${box} rows="1" dir="auto" placeholder=${say("chat.example")} value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${pressed} /><//>
          <${Button} type="submit" tone="main" disabled=${!text.trim()}>${say("chat.ask")}<//>
        </div>
      </form>
    </div>
    ${open && html`<aside class="chat-card" aria-label=${say("card.title")}><${Card} key=${open} id=${open} onClose=${() => go("chat", query)} onOpen=${(record) => go("chat", record.id, query)} /></aside>`}
  </div>`;
}

/** Which model answers, or that none does. */
function Model() {
  const name = useStore(session)?.model;
  return html`<p class="hint chat-model">${name ? say("chat.by", { model: name }) : say("chat.no_model")}
    ${!name && may("owner") && html` <a href=${to("settings", "models")}>${say("chat.set_model")}</a>`}</p>`;
}

function Turn({ turn, query, again }) {
  return html`<section class="turn-pair" aria-label=${turn.question.slice(0, 80)}>
    <p class="chat-asked" dir="auto">${turn.question}</p>
    ${turn.told
      ? html`<${Reply} told=${turn.told} linkTo=${(id) => to("chat", id, query)} />`
      : turn.error
        ? html`<${Problem} error=${turn.error} again=${again} />`
        : html`<${Waiting} turn=${turn} />`}
  </section>`;
}

function Waiting({ turn }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const counting = setInterval(() => setSeconds(Math.round((Date.now() - turn.since) / 1000)), 1000);
    return () => clearInterval(counting);
  }, []);
  return html`<p class="chat-waiting" role="status"><span>${say("chat.looking")}</span>${seconds > 2 && html`<span class="hint" aria-hidden="true">${say("chat.seconds", { count: seconds })}</span>`}
    <${Button} small quiet icon="close" onClick=${() => turn.ending.abort()}>${say("chat.stop")}<//></p>`;
}

/** Before anything was asked: questions that this store may answer, from what was stored last. */
function Beginning({ onAsk }) {
  const examples = ["chat.example_open", "chat.example_decided", "chat.example_changed"];
  return html`<${Empty} icon="chat" title=${say("chat.empty")}><p>${say("chat.empty_text")}</p>
    <p class="chat-examples">${examples.map((key) => html`<${Button} key=${key} small onClick=${() => onAsk(say(key))}>${say(key)}<//>`)}</p><//>`;
}

function Options({ query }) {
  const [open] = useState(Boolean(query.user || query.as_of));
  return html`<details class="ask-options" open=${open}><summary>${say("chat.options")}</summary>
  <div class="filters">
    ${isOwner() && html`<${Field} id="chat-user" label=${word("field", "user_id")} hint=${say("ask.user_hint")}><input id="chat-user" type="text" dir="auto" aria-describedby="chat-user-hint" value=${query.user ?? ""} onChange=${(event) => refine({ user: event.target.value.trim() })} /><//>`}
    <${Field} id="chat-as-of" label=${word("field", "as_of")} hint=${say("filter.as_of_hint")}><input id="chat-as-of" type="date" aria-describedby="chat-as-of-hint" value=${(query.as_of ?? "").slice(0, 10)} onChange=${(event) => refine({ as_of: event.target.value })} /><//>
  </div></details>`;
}
