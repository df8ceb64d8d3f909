// Many memories at once: chosen in the list, changed one after the other, all taken back from one note.
import { html, useState } from "../core/dom.js";
import * as actions from "../core/actions.js";
import { say, word } from "../core/words.js";
import { Button, Field } from "./controls.js";
import { Asking, CATEGORIES, Moving } from "./card_dialogs.js";
import { Progress } from "./progress.js";

/** @param {{chosen: Map<string, object>, shown: object[], onChoose: (chosen: Map<string, object>) => void, onEnd: () => void}} given */
export function Bulk({ chosen, shown, onChoose, onEnd }) {
  const [open, setOpen] = useState(null);
  const [done, setDone] = useState(null); // how many of them, while it runs
  const records = [...chosen.values()];
  const run = async (change) => {
    setDone(0);
    try {
      await actions.together(records, change, setDone);
      onChoose(new Map());
    } catch {
      // said in a note; what was done can be taken back from there
    }
    setDone(null);
  };
  const none = !records.length || done !== null;
  return html`<section class="bulk" aria-label=${say("bulk.title")}>
    <p class="bulk-count" role="status">${say("bulk.chosen", { count: records.length })}</p>
    <${Button} small quiet onClick=${() => onChoose(new Map(shown.map((each) => [each.id, each])))}>${say("bulk.all", { count: shown.length })}<//>
    <span class="bulk-tools">
      <${Button} small icon="check" disabled=${none} onClick=${() => run((each) => ["confirm", { id: each.id }])}>${say("action.confirm")}<//>
      <${Button} small icon="edit" disabled=${none} onClick=${() => setOpen("label")}>${say("bulk.label")}<//>
      <${Button} small icon="next" disabled=${none} onClick=${() => setOpen("move")}>${say("action.move")}<//>
      <${Button} small icon="forget" disabled=${none} onClick=${() => run((each) => ["delete", { id: each.id, reason: "forgotten with others" }])}>${say("action.forget")}<//>
      <${Button} small quiet icon="close" label=${say("bulk.end")} onClick=${onEnd} />
    </span>
    ${done !== null && html`<${Progress} label=${say("bulk.running")} share=${done / records.length} />`}
    ${open === "label" && html`<${Labelling} onClose=${() => setOpen(null)} onRun=${run} />`}
    ${open === "move" && html`<${Moving} records=${records} onClose=${() => setOpen(null)} onDone=${() => onChoose(new Map())} />`}
  </section>`;
}

/** A tag more, another category: what is left empty stays as it is. */
function Labelling({ onClose, onRun }) {
  const [tags, setTags] = useState("");
  const [category, setCategory] = useState("");
  const more = tags.split(",").map((tag) => tag.trim()).filter(Boolean);
  const change = (record) => ["update", { id: record.id, ...(category && { category }), ...(more.length && { tags: [...new Set([...(record.tags ?? []), ...more])] }) }];
  return html`<${Asking} title=${say("bulk.label")} action=${say("action.save")} ready=${Boolean(more.length || category)} onClose=${onClose} onSend=${async () => void onRun(change)}>
    <${Field} id="bulk-tags" label=${say("bulk.tags")} hint=${say("edit.tags_hint")}><input id="bulk-tags" type="text" aria-describedby="bulk-tags-hint" value=${tags} onInput=${(event) => setTags(event.target.value)} /><//>
    <${Field} id="bulk-category" label=${say("field.category")}><select id="bulk-category" value=${category} onChange=${(event) => setCategory(event.target.value)}>
      <option value="">${say("bulk.as_is")}</option>${CATEGORIES.map((each) => html`<option key=${each} value=${each}>${word("category", each)}</option>`)}</select><//>
  <//>`;
}
