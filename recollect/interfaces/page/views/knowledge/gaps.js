// What is not known and should be, with a way to say it; and what is about to be forgotten.
import { html, useState } from "../../core/dom.js";
import { everywhere, useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import * as actions from "../../core/actions.js";
import { day, percent } from "../../core/format.js";
import { to } from "../../core/router.js";
import { may } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Empty, Field, Panel } from "../../parts/controls.js";
import { Facts, beginning, plainly, whose } from "../../parts/record.js";

const MOST = 50;
const SCOPE = ["user_id", "agent_id", "project", "squad", "channel"];
const TONE = { contradiction: "bad", change: "warn", stale: "warn" };

export function Gaps() {
  const gaps = useAnswer((signal) => verb("gaps", { limit: MOST, ...everywhere() }, { signal }), [], { live: true });
  const fading = useAnswer((signal) => verb("weak", { limit: MOST, ...everywhere() }, { signal }), [], { live: true });
  return html`<div class="halves">
    <${Panel} id="gaps" title=${say("gaps.open")}>
      <${Answer} answer=${gaps}>${(told) =>
        told.results.length
          ? html`<ul class="plain gaps">${told.results.map((each) => html`<${Gap} key=${each.id} gap=${each} />`)}</ul>`
          : html`<${Empty} icon="check" title=${say("gaps.none")}><p>${say("gaps.none_text")}</p><//>`}<//>
    <//>
    <${Panel} id="fading" title=${say("gaps.fading")}>
      <${Answer} answer=${fading}>${(told) =>
        told.results.length
          ? html`<ul class="plain gaps">${told.results.map((each) => html`<${Fading} key=${each.id} each=${each} />`)}</ul>`
          : html`<${Empty} icon="keep" title=${say("gaps.fading_none")}><p>${say("gaps.fading_none_text")}</p><//>`}<//>
    <//>
  </div>`;
}

const quietly = (done) => () => done().catch(() => undefined);

function Gap({ gap }) {
  const [answering, setAnswering] = useState(false);
  return html`<li class="gap">
    <p><${Chip} tone=${TONE[gap.kind]}>${word("gap", gap.kind)}<//> ${whose(gap).map((name) => html`<span key=${name} class="hint" dir="auto">${name} </span>`)}
      ${gap.asked_at && html`<span class="hint">${say("gaps.asked", { when: day(gap.asked_at) })}</span>`}</p>
    <p class="gap-text" dir="auto">${plainly(gap.text)}</p>
    ${gap.records.length > 0 && html`<p class="hint">${gap.records.map((id, index) => html`<a key=${id} href=${to("memories", id)}>${say("gaps.about", { number: index + 1 })}</a> `)}</p>`}
    ${may("write") && html`<div class="wait-offers">
      ${gap.kind === "change"
        ? html`<${Button} small icon="check" onClick=${quietly(() => actions.answer(gap.id, true))}>${say("answer.yes")}<//>
            <${Button} small icon="close" onClick=${quietly(() => actions.answer(gap.id, false))}>${say("answer.no")}<//>`
        : html`<${Button} small icon="chat" aria-expanded=${answering ? "true" : "false"} onClick=${() => setAnswering(!answering)}>${say("gaps.answer")}<//>`}
      <${Button} small quiet icon="close" onClick=${quietly(() => actions.dismiss(gap.id))}>${say("answer.dismiss")}<//>
    </div>`}
    ${answering && html`<${Answering} gap=${gap} onDone=${() => setAnswering(false)} />`}
  </li>`;
}

/** An answer is a memory like any other, kept where the question belongs. */
function Answering({ gap, onDone }) {
  const [text, setText] = useState("");
  const keep = (event) => {
    event.preventDefault();
    const where = Object.fromEntries(SCOPE.filter((name) => gap[name]).map((name) => [name, gap[name]]));
    actions.remember(text, where).then(onDone, () => undefined);
  };
  return html`<form class="form" onSubmit=${keep}>
    <${Field} id=${`answer-${gap.id}`} label=${say("gaps.answer_label")}><textarea id=${`answer-${gap.id}`} rows="2" dir="auto" value=${text} onInput=${(event) => setText(event.target.value)} /><//>
    <div class="form-end"><${Button} quiet onClick=${onDone}>${say("action.cancel")}<//><${Button} type="submit" tone="main" disabled=${!text.trim()}>${say("action.remember")}<//></div>
  </form>`;
}

function Fading({ each }) {
  return html`<li class="gap">
    <p dir="auto"><a href=${to("memories", each.id)}>${beginning(each.memory, 200)}</a></p>
    <p><${Facts} record=${each.record} /></p>
    <p class="hint">${say("gaps.fades", { when: day(each.fades_at), share: percent(each.strength) })}</p>
    ${may("write") && html`<div class="wait-offers">
      <${Button} small icon="check" onClick=${quietly(() => actions.confirm(each.id))}>${say("gaps.keep")}<//>
      <${Button} small quiet icon="forget" onClick=${quietly(() => actions.forget(each.id))}>${say("action.forget")}<//></div>`}
  </li>`;
}
