// The audit: every call with who, when and how many; narrowed, verified, taken along. Texts are not in it.
import { classes, html, useCallback, useEffect, useState } from "../../core/dom.js";
import { verb } from "../../core/api.js";
import { moment, number } from "../../core/format.js";
import { refine } from "../../core/router.js";
import { keepAs } from "../../core/transfer.js";
import { say, word } from "../../core/words.js";
import { Busy, Button, Chip, Empty, Field, Panel, Problem, Select } from "../../parts/controls.js";

const PAGE = 100;
const TAKEN_MAX = 20_000; // entries in one file
const EVENTS = {
  use: ["memory_written", "memory_searched", "memory_recalled", "memory_read", "store_examined"],
  refused: ["access_denied", "token_refused", "rate_limited", "content_refused", "injection_blocked"],
  keys: ["vault_opened", "vault_open_failed", "key_rotation_started", "key_rotation_completed", "key_exported", "field_encrypted", "field_decrypted", "hidden_volume_accessed", "core_dumps_prevented", "memory_lock_failed"],
  files: ["export_created", "plain_export_requested", "import_attempted", "erasure_completed", "person_erased"],
  rules: ["token_made", "token_revoked", "policy_changed", "audit_read", "audit_cut", "audit_lost", "audit_broken"],
};

export function Audit({ query }) {
  const [state, setState] = useState({ rows: null, more: false, error: null });
  const given = JSON.stringify({ event: query.event, caller: query.caller, since: query.since });
  const load = useCallback((before) => {
    verb("audit", { ...JSON.parse(given), limit: PAGE, older_than: before })
      .then(({ results }) => setState((was) => ({ rows: before ? [...was.rows, ...results] : results, more: results.length === PAGE, error: null })))
      .catch((error) => setState((was) => ({ ...was, error })));
  }, [given]);
  useEffect(() => load(), [load]);
  return html`
    <${Verification} />
    <form class="filters audit-filters" aria-label=${say("memories.filter")} onSubmit=${(event) => event.preventDefault()}>
      <${Field} id="audit-event" label=${say("audit.event")}><select id="audit-event" onChange=${(event) => refine({ event: event.target.value })}>
        <option value="" selected=${!query.event}>${say("filter.any")}</option>
        ${Object.entries(EVENTS).map(([group, events]) => html`<optgroup key=${group} label=${say(`audit.group_${group}`)}>${events.map((each) => html`<option key=${each} value=${each} selected=${each === query.event}>${word("event", each)}</option>`)}</optgroup>`)}
      </select><//>
      <${Field} id="audit-caller" label=${say("audit.caller")}><input id="audit-caller" type="text" dir="auto" value=${query.caller ?? ""} onChange=${(event) => refine({ caller: event.target.value.trim() })} /><//>
      <${Field} id="audit-since" label=${say("audit.since")}><input id="audit-since" type="date" value=${query.since ?? ""} onChange=${(event) => refine({ since: event.target.value })} /><//>
      <div class="filter-end"><${Taking} given=${given} /><${Button} icon="refresh" onClick=${() => load()}>${say("audit.again")}<//></div>
    </form>
    <${Problem} error=${state.error} again=${() => load()} />
    ${state.rows === null && !state.error && html`<${Busy} />`}
    ${state.rows?.length === 0 && html`<${Empty} icon="vault" title=${say("audit.none")} />`}
    ${state.rows?.length > 0 && html`<${Entries} rows=${state.rows} />`}
    ${state.more && html`<p class="more"><${Button} onClick=${() => load(state.rows.at(-1).number)}>${say("history.more")}<//></p>`}`;
}

const Entries = ({ rows }) => html`<div class="panel scroll-x" tabindex="0"><table class="table audit-table">
  <caption class="unseen">${say("vault.audit")}</caption>
  <thead><tr>${["number", "when", "caller", "event", "count", "detail"].map((name) => html`<th key=${name} scope="col" class=${name === "number" || name === "count" ? "num" : undefined}>${say(`audit.${name}`)}</th>`)}</tr></thead>
  <tbody>${rows.map((row) => html`<tr key=${`${row.number} ${row.at}`} class=${classes(row.outcome !== "ok" && "is-refused")}>
    <td class="num">${row.number ?? "…"}</td><td><time datetime=${row.at}>${moment(row.at)}</time></td>
    <td dir="auto">${row.caller || say("audit.erased")} <span class="hint">${row.channel}</span></td>
    <td>${word("event", row.event)} <span class="hint"><code>${row.verb}</code></span> ${row.outcome !== "ok" && html`<${Chip} tone="bad">${row.outcome}<//>`}</td>
    <td class="num">${number(row.count)}</td><td class="audit-detail" dir="auto">${[row.scope, ...Object.entries(row.detail).map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)].filter(Boolean).join(" · ")}</td></tr>`)}</tbody>
</table></div>`;

/** Whether the chain is whole; asked for by hand, as all entries are read for it. */
function Verification() {
  const [state, setState] = useState({ report: null, error: null, busy: false });
  const verify = async () => {
    setState({ report: null, error: null, busy: true });
    try {
      setState({ report: await verb("audit_verify"), error: null, busy: false });
    } catch (error) {
      setState({ report: null, error, busy: false });
    }
  };
  const { report } = state;
  return html`<${Panel} id="verify" class="verify" title=${say("audit.verify_title")} aside=${html`<${Button} small icon="vault" disabled=${state.busy} onClick=${verify}>${say("audit.verify")}<//>`}>
    <p class="hint">${say("audit.verify_means")}</p>
    <div role="status">${state.busy && html`<p>${say("audit.verifying")}</p>`}
      ${report && html`<p class=${report.ok ? "all-well" : "reasons is-warn"}><${Chip} tone=${report.ok ? "good" : "bad"}>${say(report.ok ? "audit.whole" : "audit.broken")}<//>
        ${report.ok ? say("audit.checked", { count: report.checked }) : say("audit.first_bad", { number: report.first_bad ?? "–", why: report.why })}
        ${report.cut_through ? ` ${say("audit.cut", { number: report.cut_through })}` : ""}</p>
        ${!report.sealed && html`<p class="hint">${say("audit.unsealed")}</p>`}`}</div>
    <${Problem} error=${state.error} />
  <//>`;
}

/** The entries that fit as a file of lines, page after page. */
function Taking({ given }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const take = async () => {
    setBusy(true);
    setError(null);
    try {
      const rows = [];
      for (let before; rows.length < TAKEN_MAX; before = rows.at(-1).number) {
        const { results } = await verb("audit", { ...JSON.parse(given), limit: 1000, older_than: before });
        rows.push(...results);
        if (results.length < 1000) break;
      }
      keepAs("recollect-audit.jsonl", new Blob(rows.map((row) => `${JSON.stringify(row)}\n`), { type: "application/x-ndjson" }));
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
  };
  return html`<${Button} icon="download" disabled=${busy} onClick=${take}>${say("audit.take")}<//>${error && html`<${Problem} error=${error} />`}`;
}
