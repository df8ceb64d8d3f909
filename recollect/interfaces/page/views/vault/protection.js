// What is protected and what is not, line by line, as `recollect vault status` tells it; what is sealed; exports that left.
import { html } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { get, verb } from "../../core/api.js";
import { ago, moment, number } from "../../core/format.js";
import { to } from "../../core/router.js";
import { say, word } from "../../core/words.js";
import { Answer, Chip, Panel } from "../../parts/controls.js";
import { Icon } from "../../parts/icons.js";

const OTHERS = 0o077; // of a file's mode: what others may do
const EXPORTS = ["export_created", "plain_export_requested"];
const EXPORTS_SHOWN = 8;

export function Protection() {
  const answer = useAnswer((signal) => get("/v1/vault", { signal }), []);
  return html`<div class="settings-parts">
    <${Answer} answer=${answer} lines=${8}>${(told) => html`
      <${Panel} id="protected" title=${say("vault.what")} aside=${html`<${Chip} tone=${told.encrypted ? "good" : "warn"}>${say(told.encrypted ? "vault.encrypted" : "vault.plain")}<//>`}>
        <p class="hint"><code>${told.store}</code></p>
        <ul class="plain shields">${lines(told).map(([good, name, text]) => html`<li key=${name} class=${`shield is-${mark(good)}`}>
          <${Icon} name=${good ? "check" : good === false ? "close" : "more"} label=${say(`vault.mark_${mark(good)}`)} /><b>${say(`vault.line_${name}`)}</b><span>${text}</span></li>`)}</ul>
        ${told.warnings.length > 0 && html`<ul class="reasons is-warn">${told.warnings.map((warning) => html`<li key=${warning}>${warning}</li>`)}</ul>`}
      <//>
      <${Tiers} told=${told} />`}<//>
    <${Exports} />
  </div>`;
}

const mark = (good) => (good ? "good" : good === false ? "bad" : "open");

/** Whether it is so, what it is about, and how it is: the lines of the shell. */
function lines(told) {
  const on = told.encrypted;
  const modes = Object.values(told.files).map((mode) => parseInt(mode, 8));
  const own = modes.length > 0 && modes.every((mode) => !(mode & OTHERS));
  const shut = told.folder !== null && !(parseInt(told.folder, 8) & OTHERS);
  return [
    [on, "file", say(on ? "vault.file_on" : "vault.file_off")],
    [on ? true : null, "key", keyOf(told)],
    [on ? true : null, "log", say(on ? "vault.log_on" : "vault.log_off")],
    [own, "readers", say(own ? "vault.readers_own" : "vault.readers_others")],
    [shut, "folder", say(shut ? "vault.folder_own" : "vault.folder_others")],
    [told.vault ? true : null, "audit", say(told.vault ? "vault.audit_sealed" : "vault.audit_open")],
    [on ? told.personal === "tier" : null, "personal", word("personal", told.personal)],
    [told.core_dumps_off ? true : null, "dumps", say(told.core_dumps_off ? "vault.dumps_off" : "vault.dumps_on")],
    [null, "running", say("vault.running")],
    [null, "lost", say(on ? "vault.lost_on" : "vault.lost_off")],
  ];
}

function keyOf(told) {
  if (!told.encrypted) return say("vault.key_none");
  if (!told.vault) return say("vault.key_given");
  return [word("kept", told.kept), told.place, told.unlocked && say("vault.unlocked")].filter(Boolean).join(", ");
}

const Tiers = ({ told }) => html`<${Panel} id="tiers" title=${say("vault.tiers")} aside=${html`<a href=${to("settings", "values", { section: "security" })}>${say("vault.policy")}</a>`}>
  <div class="scroll-x" tabindex="0"><table class="table">
    <thead><tr><th scope="col">${say("vault.tier")}</th><th scope="col">${say("vault.holds")}</th><th scope="col" class="num">${say("vault.records")}</th></tr></thead>
    <tbody>${["sensitive", "confidential", "secrets"].map((tier) => html`<tr key=${tier}><th scope="row">${word("security", tier)}</th><td>${say(`vault.${tier}_means`)}</td>
      <td class="num">${tier === "secrets" ? number(told.sealed[tier]) : html`<a href=${to("memories", { security: tier })}>${number(told.sealed[tier])}</a>`}</td></tr>`)}</tbody>
  </table></div>
  <p class="hint">${say("vault.personal_is", { policy: word("personal", told.personal) })} ${say("vault.secrets_are", { policy: word("secrets", told.secrets) })}</p>
<//>`;

/** Files that left the store: each is a copy that nothing here protects. */
function Exports() {
  const answer = useAnswer(async (signal) => {
    const found = await Promise.all(EXPORTS.map((event) => verb("audit", { event, limit: EXPORTS_SHOWN }, { signal })));
    return found.flatMap((each) => each.results).sort((a, b) => b.number - a.number).slice(0, EXPORTS_SHOWN);
  }, []);
  return html`<${Panel} id="exports" title=${say("vault.exports")} aside=${html`<a href=${to("settings", "transfer")}>${say("settings.transfer")}</a>`}>
    <${Answer} answer=${answer} lines=${2}>${(rows) => rows.length
      ? html`<ul class="plain">${rows.map((row) => html`<li key=${row.number} class="export-row"><span>${word("event", row.event)}</span><span class="hint" dir="auto">${row.caller}</span><span class="hint">${say("history.count", { count: row.count })}</span><time class="hint" datetime=${row.at} title=${moment(row.at)}>${ago(row.at)}</time></li>`)}</ul>`
      : html`<p class="hint">${say("vault.no_exports")}</p>`}<//>
  <//>`;
}
