// Erasing a person, a channel or a session for good: looked at first, done once, with a signed report to keep.
import { html, useState } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { send, verb } from "../../core/api.js";
import { isoDay, moment, number } from "../../core/format.js";
import { to } from "../../core/router.js";
import { changes, toast } from "../../core/state.js";
import { keepAs } from "../../core/transfer.js";
import { say, word } from "../../core/words.js";
import { Button, Check, Chip, Field, Panel, Problem } from "../../parts/controls.js";
import { Drop } from "../../parts/drop.js";

const WHOM = ["user_id", "channel", "session_id"];
const FIGURES = ["count", "versions", "sessions", "entities", "operations", "scopes"];

export const Erasure = ({ query }) => html`<div class="settings-parts"><${Erasing} query=${query} /><${Verifying} /></div>`;

function Erasing({ query }) {
  const [whom, setWhom] = useState(Object.fromEntries(WHOM.map((name) => [name, query[name] ?? ""])));
  const [state, setState] = useState({ told: null, error: null, busy: false, sure: false });
  const known = useAnswer((signal) => verb("counts", { limit: 300, reach: "all" }, { signal }), [], { live: true });
  const named = Object.fromEntries(Object.entries(whom).filter(([, value]) => value.trim()));
  const some = Object.keys(named).length > 0;
  const run = async (dry_run) => {
    setState((was) => ({ ...was, error: null, busy: true }));
    try {
      const told = await verb("erase", { ...named, dry_run });
      setState({ told, error: null, busy: false, sure: false });
      if (dry_run) return;
      toast(say("done.erased"), { tone: "good" });
      changes.set((count) => count + 1);
    } catch (error) {
      setState({ told: null, error, busy: false, sure: false });
    }
  };
  const found = { user_id: Object.keys(known.data?.user_id ?? {}), channel: Object.keys(known.data?.channel ?? {}), session_id: (known.data?.sessions ?? []).map((each) => each.session_id) };
  const typed = (name) => (event) => {
    setWhom({ ...whom, [name]: event.target.value });
    setState({ told: null, error: null, busy: false, sure: false });
  };
  return html`<${Panel} id="erase" title=${say("erasure.title")}><form class="form" onSubmit=${(event) => (event.preventDefault(), run(true))}>
    <p class="hint">${say("erasure.means")}</p>
    <div class="form-row is-three">${WHOM.map((name) => html`<${Field} key=${name} id=${`erase-${name}`} label=${word("field", name)}>
      <input id=${`erase-${name}`} type="text" dir="auto" list=${`known-${name}`} value=${whom[name]} onInput=${typed(name)} />
      <datalist id=${`known-${name}`}>${found[name].map((each) => html`<option key=${each} value=${each} />`)}</datalist><//>`)}</div>
    <div class="form-end"><${Button} type="submit" disabled=${!some || state.busy}>${say("transfer.look")}<//></div>
    <${Problem} error=${state.error} />
    ${state.told?.dry_run && html`<${Told} told=${state.told} named=${named} />
      <${Check} id="erasure-sure" label=${say("erase.sure")} checked=${state.sure} onChange=${(sure) => setState({ ...state, sure })} />
      <div class="form-end"><${Button} tone="bad" icon="forget" disabled=${!state.sure || state.busy} onClick=${() => run(false)}>${say("action.erase")}<//></div>`}
    ${state.told && !state.told.dry_run && html`<${Done} told=${state.told} />`}
  </form><//>`;
}

function Told({ told, named = {} }) {
  const shown = named.user_id ? to("memories", { user_id: named.user_id }) : named.channel ? to("memories", { channel: named.channel }) : to("memories", { session: named.session_id });
  return html`<section class="report" role="status" aria-label=${say("transfer.report")}>
    <p><b>${say(told.dry_run ? "erasure.would" : "erasure.did")}</b> ${told.dry_run && html`<a href=${shown}>${say("erasure.show")}</a>`}</p>
    <dl class="pairs is-tight">${FIGURES.map((name) => html`<dt key=${name}>${say(`erasure.figure_${name}`)}</dt><dd>${number(told[name])}</dd>`)}</dl>
    ${told.warnings.length > 0 && html`<ul class="reasons is-warn">${told.warnings.map((warning) => html`<li key=${warning}>${warning}</li>`)}</ul>`}
  </section>`;
}

function Done({ told }) {
  const { report } = told;
  const keep = () => keepAs(`recollect-erasure-${isoDay()}.json`, new Blob([JSON.stringify(told, null, 2)], { type: "application/json" }));
  return html`<${Told} told=${told} />
    ${report && html`<section class="report" aria-label=${say("erasure.report")}>
      <p><b>${say("erasure.report")}</b> <span class="hint">${say("erasure.report_means")}</span></p>
      <dl class="pairs is-tight"><dt>${say("erasure.removed")}</dt><dd>${Object.entries(report.removed).map(([table, count]) => `${table.replaceAll("_", " ")} ${number(count)}`).join(", ")}</dd>
        <dt>${say("erasure.files")}</dt><dd>${report.files.map((file) => `${file.name}: ${say("erasure.found", { count: file.found })}`).join(", ")}</dd>
        <dt>${say("erasure.rewritten")}</dt><dd>${say(report.rewritten ? "yes" : "no")}</dd>
        <dt>${say("erasure.remaining")}</dt><dd><ul class="plain">${report.remaining.map((each) => html`<li key=${each.what}>${each.what}${each.count !== null ? ` (${number(each.count)})` : ""}: <span class="hint">${each.why}</span></li>`)}</ul></dd>
        <dt>${say("erasure.signature")}</dt><dd><code>${report.signature}</code></dd></dl>
      <p><${Button} icon="download" tone="main" onClick=${keep}>${say("erasure.keep")}<//></p>
    </section>`}`;
}

/** Whether a report that was kept is one of this store's owner, and unchanged. */
function Verifying() {
  const [state, setState] = useState({ file: null, told: null, error: null });
  const look = async (file) => {
    setState({ file, told: null, error: null });
    try {
      setState({ file, told: await send("POST", "/v1/erasure/verify", { report: JSON.parse(await file.text()) }), error: null });
    } catch (error) {
      setState({ file, told: null, error: error instanceof SyntaxError ? new Error(say("erasure.no_report")) : error });
    }
  };
  const { told } = state;
  return html`<${Panel} id="erasure-verify" title=${say("erasure.verify")}>
    <p class="hint">${say("erasure.verify_means")}</p>
    <${Drop} id="erasure-file" file=${state.file} onFile=${look} told=${say("erasure.drop")} />
    <${Problem} error=${state.error} />
    ${told && html`<p role="status"><${Chip} tone=${told.genuine ? "good" : "bad"}>${say(told.genuine ? "erasure.genuine" : "erasure.changed")}<//> ${say("erasure.of", { when: moment(told.at), count: told.records ?? 0 })}</p>`}
  <//>`;
}
