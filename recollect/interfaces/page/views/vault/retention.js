// What is kept how long: rules that upkeep applies, a rule tried first, and what is about to be forgotten.
import { html, useState } from "../../core/dom.js";
import { everywhere, useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import * as actions from "../../core/actions.js";
import { ago } from "../../core/format.js";
import { to } from "../../core/router.js";
import { changes, toast } from "../../core/state.js";
import { say } from "../../core/words.js";
import { Answer, Button, Check, Chip, Field, Panel, Problem } from "../../parts/controls.js";
import { RecordRow } from "../../parts/record.js";

const DAYS = 30;

export function Retention() {
  const kept = useAnswer((signal) => verb("retain", { list: true }, { signal }), []);
  return html`<div class="settings-parts"><${Rules} answer=${kept} /><${Trying} onKept=${kept.again} /><${Fading} />
    <p class="hint">${say("retention.more")} <a href=${to("settings", "values", { section: "decay" })}>decay</a>, <a href=${to("settings", "values", { q: "audit.days" })}>audit.days</a></p></div>`;
}

function Rules({ answer }) {
  const drop = async (name) => {
    try {
      await verb("retain", { drop: name });
      toast(say("retention.dropped", { name }), { tone: "good" });
      answer.again();
    } catch (error) {
      toast(error.message, { tone: "bad" });
    }
  };
  return html`<${Panel} id="rules" title=${say("retention.rules")}>
    <${Answer} answer=${answer} lines=${2}>${(told) => told.rules.length
      ? html`<ul class="plain">${told.rules.map((rule) => html`<li key=${rule.name} class="client"><div><p class="client-name"><b dir="auto">${rule.name}</b> <${Chip} tone=${rule.hard ? "bad" : ""}>${say(rule.hard ? "retention.hard" : "retention.soft")}<//></p>
          <p><code dir="auto">${rule.rule}</code> <span class="hint">${ago(rule.made_at)}</span></p></div>
          <${Button} small icon="close" aria-label=${say("retention.drop_of", { name: rule.name })} onClick=${() => drop(rule.name)}>${say("retention.drop")}<//></li>`)}</ul>`
      : html`<p class="hint">${say("retention.no_rules")}</p>`}<//>
  <//>`;
}

/** A rule is looked at before it does anything; then it is applied once, or kept for upkeep. */
function Trying({ onKept }) {
  const [rule, setRule] = useState("");
  const [name, setName] = useState("");
  const [hard, setHard] = useState(false);
  const [state, setState] = useState({ told: null, error: null, busy: false });
  const run = async (given, done) => {
    setState({ told: null, error: null, busy: true });
    try {
      const told = await verb("retain", { rule, hard, ...given });
      setState({ told: given.dry_run ? told : null, error: null, busy: false });
      done?.(told);
    } catch (error) {
      setState({ told: null, error, busy: false });
    }
  };
  const forgotten = (told) => {
    toast(say("retention.forgotten", { count: told.count }), { undo: hard ? null : told.operation, tone: "good" });
    changes.set((count) => count + 1);
  };
  const kept = () => {
    toast(say("retention.kept", { name }), { undo: () => verb("retain", { drop: name }).then(onKept), tone: "good" });
    onKept();
    setName("");
  };
  return html`<${Panel} id="try-rule" title=${say("retention.try")}><form class="form" onSubmit=${(event) => (event.preventDefault(), run({ dry_run: true }))}>
    <${Field} id="rule" label=${say("retention.rule")} hint=${say("retention.rule_hint")}><input id="rule" type="text" spellcheck="false" placeholder="kind=episodic,age>365d" aria-describedby="rule-hint" value=${rule} onInput=${(event) => (setRule(event.target.value), setState({ told: null, error: null, busy: false }))} /><//>
    <${Check} id="rule-hard" label=${say("retention.erase")} checked=${hard} onChange=${setHard} />
    <div class="form-end"><${Button} type="submit" disabled=${!rule.trim() || state.busy}>${say("transfer.look")}<//></div>
    <${Problem} error=${state.error} />
    ${state.told && html`<section class="report" role="status" aria-label=${say("transfer.report")}>
      <p><b>${say("retention.would", { count: state.told.count })}</b>${state.told.spared > 0 && ` ${say("retention.spared", { count: state.told.spared })}`}</p>
      ${state.told.examples.length > 0 && html`<p class="rule-examples">${say("retention.such_as")} ${state.told.examples.slice(0, 6).map((id, index) => html`<a key=${id} href=${to("memories", id)}>${say("retention.example", { number: index + 1 })}</a>`)}</p>`}
      <div class="rule-tools"><${Button} tone="bad" icon="forget" disabled=${!state.told.count} onClick=${() => run({ dry_run: false }, forgotten)}>${say("retention.apply")}<//>
        <${Field} id="rule-name" label=${say("retention.name")} hidden><input id="rule-name" type="text" dir="auto" placeholder=${say("retention.name")} value=${name} onInput=${(event) => setName(event.target.value)} /><//>
        <${Button} icon="keep" disabled=${!name.trim()} onClick=${() => run({ keep: name }, kept)}>${say("retention.keep")}<//></div>
    </section>`}
  </form><//>`;
}

function Fading() {
  const answer = useAnswer((signal) => verb("weak", { limit: 10, within_days: DAYS, ...everywhere() }, { signal }), [], { live: true });
  return html`<${Panel} id="fading" title=${say("retention.fading", { days: DAYS })}>
    <${Answer} answer=${answer} lines=${2}>${(told) => told.results.length
      ? html`<ul class="plain rows">${told.results.map((each) => html`<li key=${each.id ?? each.record.id} class="fading"><${RecordRow} record=${each.record ?? each} />
          <${Button} small icon="check" onClick=${() => actions.confirm((each.record ?? each).id).catch(() => undefined)}>${say("retention.keep_one")}<//></li>`)}</ul>`
      : html`<p class="hint">${say("retention.nothing_fades")}</p>`}<//>
  <//>`;
}
