// What was learned at work on a project's files: each warning with how it stands, and a person's word on it.
import { html, useState } from "../../core/dom.js";
import { everywhere, useAnswer } from "../../core/ask.js";
import { verb } from "../../core/api.js";
import * as actions from "../../core/actions.js";
import { ago, number } from "../../core/format.js";
import { refine, to } from "../../core/router.js";
import { may } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Choice, Empty, Select } from "../../parts/controls.js";
import { Correction, Flagging } from "../../parts/card_dialogs.js";
import { beginning, plainly, whose } from "../../parts/record.js";

const MOST = 300;
const PAGE = 50;
const STANDINGS = ["new", "trusted", "promoted", "retired"];
const TONE = { new: "", trusted: "good", promoted: "good", retired: "bad" };

export function Learned({ query }) {
  const [most, setMost] = useState(PAGE);
  const answer = useAnswer((signal) => verb("sessions_learned", { limit: MOST, ...everywhere() }, { signal }), [], { live: true });
  return html`<${Answer} answer=${answer} lines=${6}>${(told) => {
    const all = told.results;
    if (!all.length) return html`<${Empty} icon="flag" title=${say("learned.none")}><p>${say("learned.none_text")}</p><p><code>recollect hooks install --client claude-code --write</code></p><//>`;
    const standing = STANDINGS.includes(query.standing) ? query.standing : "";
    const categories = [...new Set(all.map((each) => each.record.category))].sort();
    const shown = all.filter((each) => (!standing || each.standing === standing) && (!query.category || each.record.category === query.category));
    const count = (name) => all.filter((each) => !name || each.standing === name).length;
    return html`
      <div class="bar page-bar">
        <${Choice} name="standing" label=${say("learned.standing")} value=${standing} options=${["", ...STANDINGS].map((name) => [name, `${name ? word("standing_of", name) : say("filter.any")} ${number(count(name))}`])} onChange=${(name) => refine({ standing: name })} />
        <${Select} id="learned-category" hidden label=${say("field.category")} value=${query.category ?? ""} options=${[["", say("filter.any")], ...categories.map((each) => [each, word("category", each)])]} onChange=${(each) => refine({ category: each })} />
      </div>
      <p class="hint legend-text">${standing ? say(`learned.means_${standing}`) : say("learned.means")}</p>
      ${shown.length
        ? html`<ul class="plain learned">${shown.slice(0, most).map((each) => html`<${One} key=${each.id} each=${each} />`)}</ul>`
        : html`<${Empty} icon="flag" title=${say("learned.none_such")} />`}
      ${shown.length > most && html`<p class="more"><${Button} onClick=${() => setMost(most + PAGE)}>${say("knowledge.more", { count: shown.length - most })}<//></p>`}`;
  }}<//>`;
}

function One({ each }) {
  const [open, setOpen] = useState(null);
  const { record } = each;
  const quietly = (done) => () => done().catch(() => undefined);
  return html`<li class="panel learned-one">
    <p><${Chip} tone=${TONE[each.standing]}>${word("standing_of", each.standing)}<//> <${Chip}>${word("category", record.category)}<//>
      ${each.told ? html` <${Chip} tone="good">${say("learned.told")}<//>` : html` <${Chip}>${say("learned.not_told")}<//>`}
      ${record.needs_review && html` <${Chip} tone="warn">${say("standing.review")}<//>`}${record.flagged && html` <${Chip} tone="bad">${say("standing.flagged")}<//>`}
      ${whose(record).map((name) => html` <span key=${name} class="hint" dir="auto">${name}</span>`)}</p>
    <p class="gap-text" dir="auto"><a href=${to("memories", each.id)}>${beginning(each.memory)}</a></p>
    ${each.files.length > 0 && html`<p class="files">${each.files.map((path) => html`<a key=${path} class="tag" dir="auto" href=${to("code", "impact", { of: path })}>${plainly(path)}</a>`)}</p>`}
    <p class="hint">${say("learned.track", { seen: each.seen, used: each.used, vain: each.in_vain })}${each.last_used_at ? ` · ${say("learned.last_used", { when: ago(each.last_used_at) })}` : ""}</p>
    ${may("write") && html`<div class="wait-offers">
      ${!record.user_verified && html`<${Button} small icon="check" onClick=${quietly(() => actions.confirm(each.id))}>${say("action.confirm")}<//>`}
      <${Button} small icon="correct" onClick=${() => setOpen("correct")}>${say("action.correct")}<//>
      ${!record.flagged && html`<${Button} small icon="flag" onClick=${() => setOpen("flag")}>${say("action.flag")}<//>`}
      <${Button} small quiet icon="forget" onClick=${quietly(() => actions.forget(each.id))}>${say("action.forget")}<//></div>`}
    ${open === "correct" && html`<${Correction} record=${record} onClose=${() => setOpen(null)} />`}
    ${open === "flag" && html`<${Flagging} record=${record} onClose=${() => setOpen(null)} />`}
  </li>`;
}
