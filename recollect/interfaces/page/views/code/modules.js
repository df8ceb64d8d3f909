// A project module by module: how large each is, and of how many of its files something is known.
import { html } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import { ago, number, percent } from "../../core/format.js";
import { to } from "../../core/router.js";
import { say, word } from "../../core/words.js";
import { Answer, Chip, Panel } from "../../parts/controls.js";
import { plainly } from "../../parts/record.js";
import { Tiles } from "../../parts/tiles.js";

const TILES_MAX = 60;
const FOLDERS_MAX = 200;
const STALE_SHOWN = 8;
const MAP_TOKENS = 1200;

const share = (part, whole) => (whole ? part / whole : 0);
const impactOf = (project, of) => to("code", "impact", { of, root: project.root });

export function Modules({ project }) {
  const { root } = project;
  const health = useAnswer((signal) => verb("code_health", { root }, { signal }), [root], { live: true });
  const overview = useAnswer((signal) => verb("code_map", { root, max_tokens: MAP_TOKENS }, { signal }), [root]);
  const worked = useAnswer((signal) => verb("sessions_coverage", { project: project.project, limit: FOLDERS_MAX }, { signal }), [root]);
  const notes = useAnswer((signal) => verb("code_notes", { root }, { signal }), [root], { live: true });
  return html`<${Answer} answer=${health} lines=${8}>${(told) => html`
      <${Figures} told=${told} project=${project} />
      <${Panel} id="modules" title=${say("code.modules_title")}>
        <${Map} told=${told} project=${project} />
        <${Table} told=${told} project=${project} worked=${worked.data?.modules ?? []} />
      <//>`}<//>
    <div class="halves">
      <${Panel} id="key-symbols" title=${say("code.key")}><${Answer} answer=${overview} lines=${4}>${(told) => html`<${Symbols} told=${told} project=${project} />`}<//><//>
      <${Panel} id="code-notes" title=${say("code.said")}><${Answer} answer=${notes} lines=${4}>${(told) => html`<${Notes} told=${told} />`}<//><//>
    </div>`;
}

function Figures({ told, project }) {
  const edges = Object.values(told.how).reduce((sum, each) => sum + each, 0);
  const unsure = (told.how.ambiguous ?? 0) + (told.how.unresolved ?? 0);
  return html`<dl class="facts-row">
      <div><dt>${say("code.files")}</dt><dd>${number(told.files)}</dd></div>
      <div><dt>${say("code.nodes")}</dt><dd>${number(told.nodes)}</dd></div>
      <div><dt>${say("code.sure_edges")}</dt><dd>${percent(share(edges - unsure, edges))}</dd></div>
      <div><dt>${say("code.files_known")}</dt><dd>${number(told.files_known)}</dd></div>
      <div><dt>${say("code.indexed")}</dt><dd>${ago(project.indexed_at)}</dd></div>
    </dl>
    <${Stale} told=${told} project=${project} />`;
}

/** Files that have changed since they were read, and a folder that is gone: what is told may be wrong there. */
function Stale({ told, project }) {
  const stale = Object.keys(told.stale ?? {});
  if (!project.there) return html`<p class="doubt"><${Chip} tone="warn">${say("code.folder_gone")}<//> <span dir="auto">${plainly(project.root)}</span></p>`;
  if (!told.stale_files) return null;
  return html`<p class="doubt"><${Chip} tone="warn">${say("code.stale", { count: told.stale_files })}<//> <span dir="auto">${plainly(stale.slice(0, STALE_SHOWN).join(", "))}</span> <code>recollect code index</code></p>`;
}

function Map({ told, project }) {
  const tiles = told.modules.slice(0, TILES_MAX).map((each) => ({
    key: each.module,
    weight: Math.max(1, each.symbols + each.files),
    share: share(each.files_known, each.files),
    title: plainly(each.module),
    note: say("code.tile", { known: each.files_known, count: each.files }),
    told: `${plainly(each.module)}: ${say("code.tile", { known: each.files_known, count: each.files })}`,
    href: impactOf(project, each.module),
  }));
  return html`<${Tiles} tiles=${tiles.sort((a, b) => b.weight - a.weight)} label=${say("code.modules_title")} />`;
}

function Table({ told, project, worked }) {
  const sessions = new globalThis.Map(worked.map((each) => [each.module, each]));
  return html`<div class="scroll-x" tabindex="0"><table class="table modules-table">
    <thead><tr><th scope="col">${say("code.module")}</th>${["files", "symbols", "calls", "known", "records", "sessions"].map((name) => html`<th key=${name} scope="col" class="num">${say(`code.column_${name}`)}</th>`)}</tr></thead>
    <tbody>${told.modules.map((each) => html`<tr key=${each.module}>
      <th scope="row" dir="auto"><a href=${impactOf(project, each.module)}>${plainly(each.module)}</a></th>
      <td class="num">${number(each.files)}</td><td class="num">${number(each.symbols)}</td><td class="num">${percent(each.resolved)}</td>
      <td class="num">${number(each.files_known)}</td><td class="num">${number(each.known)}</td><td class="num">${number(sessions.get(each.module)?.sessions ?? 0)}</td></tr>`)}</tbody>
  </table></div>`;
}

function Symbols({ told, project }) {
  const rows = [...told.entry_points.map((each) => ({ ...each, entry: true })), ...told.items];
  if (!rows.length) return html`<p class="hint">${say("code.no_symbols")}</p>`;
  return html`<ul class="plain places">${rows.map((each) => {
    const name = each.symbol ? `${each.path}::${each.symbol}` : each.path;
    return html`<li key=${`${name}${each.entry ?? ""}`}><a dir="auto" href=${impactOf(project, name)}>${plainly(each.symbol || each.path)}</a>
      <span class="hint" dir="auto">${plainly(each.path)}:${each.line}</span>${each.entry && html`<${Chip}>${say("code.entry")}<//>`}</li>`;
  })}</ul>`;
}

/** What somebody said of code that stands in no file. */
function Notes({ told }) {
  if (!told.items.length) return html`<p class="hint">${say("code.no_notes")}</p>`;
  return html`<ul class="plain gaps">${told.items.map((each) => html`<li key=${each.id} class="gap">
    <p><${Chip}>${word("category", each.kind)}<//>${!each.counts && html` <${Chip} tone="warn">${say("code.not_counted")}<//>`}${each.state && each.state !== "fresh" && html` <${Chip} tone="warn">${word("anchor", each.state)}<//>`}</p>
    <p dir="auto"><a href=${to("memories", each.id)}>${plainly(each.text)}</a></p>
    <p class="hint" dir="auto">${plainly(each.about.join(", "))}</p></li>`)}</ul>`;
}
