// Files out and in: an export, sealed or plain; an import by drag and drop, looked at before it is taken in.
import { html, useState } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { bytes, isoDay, number } from "../../core/format.js";
import { changes, may, toast } from "../../core/state.js";
import { download, keepAs, upload } from "../../core/transfer.js";
import { say, word } from "../../core/words.js";
import { Button, Check, Choice, Field, Panel, Problem, Select } from "../../parts/controls.js";
import { Drop } from "../../parts/drop.js";
import { Progress } from "../../parts/progress.js";

const FORMATS = ["", "jsonl", "mem0", "graphiti", "reference", "chat", "topology", "hypergraph"];
const ENDINGS = { jsonl: "jsonl", markdown: "md" };

export const Transfer = () => html`<div class="settings-parts"><${Exporting} />${may("write") && html`<${Importing} />`}</div>`;

export function Exporting() {
  const [format, setFormat] = useState("jsonl");
  const [passphrase, setPassphrase] = useState("");
  const [user, setUser] = useState("");
  const [vectors, setVectors] = useState(false);
  const [state, setState] = useState({ share: undefined, error: null });
  const busy = state.share !== undefined;
  const people = useAnswer((signal) => verb("counts", { limit: 200 }, { signal }), []);
  const take = async (event) => {
    event.preventDefault();
    setState({ share: null, error: null });
    const asked = new URLSearchParams({ format, plain: String(!passphrase), ...(user && { user_id: user }), ...(vectors && { vectors: "true" }) });
    try {
      const file = await download(`/v1/export?${asked}`, { headers: passphrase ? { "x-recollect-passphrase": passphrase } : {}, onProgress: (share) => setState({ share, error: null }) });
      const name = `recollect-${user || "all"}-${isoDay()}.${passphrase ? "sealed" : ENDINGS[format]}`.replace(/[^\w.-]+/g, "_");
      keepAs(name, file);
      toast(say("transfer.exported", { name, size: bytes(file.size) }), { tone: "good" });
      setState({ share: undefined, error: null });
    } catch (error) {
      setState({ share: undefined, error });
    }
  };
  return html`<${Panel} id="export" title=${say("transfer.export")}><form class="form" onSubmit=${take}>
    <p class="hint">${say("transfer.export_lead")}</p>
    <${Choice} name="export-format" label=${say("transfer.format")} hidden=${false} value=${format} onChange=${setFormat} options=${Object.keys(ENDINGS).map((each) => [each, say(`transfer.as_${each}`)])} />
    <div class="form-row">
      <${Field} id="export-user" label=${say("transfer.whose")} hint=${say("transfer.whose_hint")}><input id="export-user" type="text" dir="auto" list="export-users" aria-describedby="export-user-hint" value=${user} onInput=${(event) => setUser(event.target.value.trim())} />
        <datalist id="export-users">${Object.keys(people.data?.user_id ?? {}).map((name) => html`<option key=${name} value=${name} />`)}</datalist><//>
      <${Field} id="export-pass" label=${say("transfer.passphrase")} hint=${say(passphrase ? "transfer.sealed_hint" : "transfer.plain_hint")}><input id="export-pass" type="password" autocomplete="new-password" aria-describedby="export-pass-hint" value=${passphrase} onInput=${(event) => setPassphrase(event.target.value)} /><//>
    </div>
    ${format === "jsonl" && html`<${Check} id="export-vectors" label=${say("transfer.vectors")} checked=${vectors} onChange=${setVectors} />`}
    ${busy && html`<${Progress} label=${say("transfer.exporting")} share=${state.share} />`}
    <${Problem} error=${state.error} />
    <div class="form-end"><${Button} type="submit" tone="main" icon="download" disabled=${busy}>${say("transfer.export")}<//></div>
  </form><//>`;
}

function Importing() {
  const [file, setFile] = useState(null);
  const [format, setFormat] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [state, setState] = useState({ share: undefined, error: null, report: null });
  const busy = state.share !== undefined;
  const choose = (chosen) => {
    setFile(chosen ?? null);
    setState({ share: undefined, error: null, report: null });
  };
  const take = async (dry) => {
    setState({ share: 0, error: null, report: null });
    const asked = new URLSearchParams({ ...(format && { format }), dry_run: String(dry) });
    try {
      const report = await upload(`/v1/import?${asked}`, file, {
        headers: passphrase ? { "x-recollect-passphrase": passphrase } : {},
        onProgress: (share) => setState({ share: share < 1 ? share : null, error: null, report: null }),
      });
      setState({ share: undefined, error: null, report });
      if (dry) return;
      toast(say("transfer.imported", { count: report.count }), { undo: report.operation, tone: "good" });
      changes.set((count) => count + 1);
    } catch (error) {
      setState({ share: undefined, error, report: null });
    }
  };
  return html`<${Panel} id="import" title=${say("transfer.import")}><div class="form">
    <p class="hint">${say("transfer.import_lead")}</p>
    <${Drop} id="import-file" file=${file} onFile=${choose} told=${say("transfer.drop")} />
    <div class="form-row">
      <${Select} id="import-format" label=${say("transfer.format")} value=${format} onChange=${setFormat} options=${FORMATS.map((each) => [each, each ? word("format", each) : say("transfer.told_from_file")])} />
      <${Field} id="import-pass" label=${say("transfer.passphrase")} hint=${say("transfer.passphrase_hint")}><input id="import-pass" type="password" autocomplete="off" aria-describedby="import-pass-hint" value=${passphrase} onInput=${(event) => setPassphrase(event.target.value)} /><//>
    </div>
    ${busy && html`<${Progress} label=${say(state.share === null ? "transfer.taking_in" : "transfer.sending")} share=${state.share} />`}
    <${Problem} error=${state.error} />
    ${state.report && html`<${Report} report=${state.report} />`}
    <div class="form-end"><${Button} disabled=${!file || busy} onClick=${() => take(true)}>${say("transfer.look")}<//>
      <${Button} tone="main" icon="upload" disabled=${!file || busy} onClick=${() => take(false)}>${say("transfer.take_in")}<//></div>
  </div><//>`;
}

const FIGURES = ["count", "unchanged", "conflicts", "sessions", "entities", "edges", "quarantined", "flagged", "rejected_size", "rejected_injection"];

/** What was taken in, or would be. */
const Report = ({ report }) => html`<section class="report" role="status" aria-label=${say("transfer.report")}>
  <p><b>${say(report.dry_run ? "transfer.would" : "transfer.did")}</b> <span class="hint">${word("format", report.format)}</span></p>
  <dl class="pairs is-tight">${FIGURES.filter((name) => report[name] || name === "count").map((name) => html`<dt key=${name}>${say(`transfer.figure_${name}`)}</dt><dd>${number(report[name])}</dd>`)}</dl>
  ${report.warnings.length > 0 && html`<ul class="reasons is-warn">${report.warnings.map((warning) => html`<li key=${warning}>${warning}</li>`)}</ul>`}
</section>`;
