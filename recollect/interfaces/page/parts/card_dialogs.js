// What is asked before a memory is changed: few questions, each with a word on what happens then.
import { html, useState } from "../core/dom.js";
import { useAnswer, useRested, everywhere } from "../core/ask.js";
import { verb } from "../core/api.js";
import * as actions from "../core/actions.js";
import { say, word } from "../core/words.js";
import { Button, Check, Choice, Dialog, Field, Select } from "./controls.js";
import { beginning, textOf } from "./record.js";

export const CATEGORIES = ["fact", "preference", "decision", "gotcha", "event", "task", "pattern", "error"];
const LABELS = ["relates_to", "supports", "contradicts", "depends_on", "causes", "derived_from", "part_of", "follows"];

/** A form in a dialog: sent once, open as long as it is refused. */
export function Asking({ title, action, tone, ready = true, onSend, onClose, children }) {
  const [busy, setBusy] = useState(false);
  const sent = async (event) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    try {
      await onSend();
      onClose();
    } catch {
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${sent} class="form">
      ${children}
      <div class="form-end">
        <${Button} quiet onClick=${onClose}>${say("action.cancel")}<//>
        <${Button} type="submit" tone=${tone || "main"} disabled=${!ready || busy}>${action}<//>
      </div>
    </form>
  <//>`;
}

const Text = ({ id, label, value, onInput, rows = 3, hint, required }) => html`<${Field} id=${id} label=${label} hint=${hint}>
  <textarea id=${id} rows=${rows} dir="auto" value=${value} required=${required} aria-describedby=${hint ? `${id}-hint` : undefined}
    onInput=${(event) => onInput(event.target.value)} />
<//>`;

const CHOICES = ["wrong", "outdated", "partly", "not_for_this"];

export function Correction({ record, onClose }) {
  const [choice, setChoice] = useState("wrong");
  const [content, setContent] = useState("");
  const [reason, setReason] = useState("");
  const [query, setQuery] = useState("");
  const chosen = (next) => {
    setChoice(next);
    setContent(next === "partly" ? textOf(record) : "");
  };
  const ready = choice === "partly" ? content.trim() && content !== textOf(record) : choice === "not_for_this" ? query.trim() : true;
  return html`<${Asking} title=${say("correct.title")} action=${say("action.correct")} ready=${Boolean(ready)} onClose=${onClose}
    onSend=${() => actions.correct(record.id, choice, { content, reason, query })}>
    <blockquote dir="auto">${beginning(textOf(record))}</blockquote>
    <${Choice} name="correction" label=${say("correct.what")} value=${choice} onChange=${chosen} options=${CHOICES.map((key) => [key, say(`correct.${key}`)])} />
    <p class="hint">${say(`correct.${choice}_means`)}</p>
    ${choice === "not_for_this"
      ? html`<${Text} id="correct-query" label=${say("correct.query")} value=${query} onInput=${setQuery} rows=${2} />`
      : html`<${Text} id="correct-content" label=${say(`correct.${choice}_text`)} value=${content} onInput=${setContent} />`}
    <${Text} id="correct-reason" label=${say("field.reason_optional")} value=${reason} onInput=${setReason} rows=${1} />
  <//>`;
}

export function Editing({ record, onClose }) {
  const [content, setContent] = useState(textOf(record));
  const [category, setCategory] = useState(record.category);
  const [tags, setTags] = useState((record.tags || []).join(", "));
  const [importance, setImportance] = useState(record.importance);
  const options = [...new Set([record.category, ...CATEGORIES])].map((key) => [key, word("category", key)]);
  const changed = () => ({
    ...(content !== textOf(record) && { content }),
    ...(category !== record.category && { category }),
    ...(tags !== (record.tags || []).join(", ") && { tags: tags.split(",").map((tag) => tag.trim()).filter(Boolean) }),
    ...(importance !== record.importance && { importance }),
  });
  return html`<${Asking} title=${say("edit.title")} action=${say("action.save")} ready=${Boolean(content.trim()) && Object.keys(changed()).length > 0} onClose=${onClose}
    onSend=${() => actions.edit(record.id, record.version, changed())}>
    <${Text} id="edit-content" label=${say("field.content")} value=${content} onInput=${setContent} rows=${6} />
    <div class="form-row">
      <${Select} id="edit-category" label=${say("field.category")} value=${category} options=${options} onChange=${setCategory} />
      <${Field} id="edit-importance" label=${say("edit.importance", { value: importance.toFixed(2) })}>
        <input id="edit-importance" type="range" min="0" max="1" step="0.05" value=${importance} onInput=${(event) => setImportance(Number(event.target.value))} />
      <//>
    </div>
    <${Field} id="edit-tags" label=${say("field.tags")} hint=${say("edit.tags_hint")}>
      <input id="edit-tags" type="text" value=${tags} aria-describedby="edit-tags-hint" onInput=${(event) => setTags(event.target.value)} />
    <//>
  <//>`;
}

export function Flagging({ record, onClose }) {
  const [reason, setReason] = useState("");
  return html`<${Asking} title=${say("flag.title")} action=${say("action.flag")} ready=${Boolean(reason.trim())} onClose=${onClose} onSend=${() => actions.flag(record.id, reason)}>
    <p class="hint">${say("flag.means")}</p>
    <${Text} id="flag-reason" label=${say("flag.reason")} value=${reason} onInput=${setReason} rows=${2} required />
  <//>`;
}

export function Erasing({ record, onClose, onDone }) {
  const [sure, setSure] = useState(false);
  return html`<${Asking} title=${say("erase.title")} action=${say("action.erase")} tone="bad" ready=${sure} onClose=${onClose}
    onSend=${() => actions.erase(record.id).then(onDone)}>
    <blockquote dir="auto">${beginning(textOf(record))}</blockquote>
    <p>${say("erase.means")}</p>
    <${Check} id="erase-sure" label=${say("erase.sure")} checked=${sure} onChange=${setSure} />
  <//>`;
}

/** Find the other record by words, choose how they are related. */
export function Linking({ record, onClose }) {
  const [label, setLabel] = useState("relates_to");
  const [query, setQuery] = useState("");
  const [target, setTarget] = useState(null);
  const asked = useRested(query);
  const found = useAnswer(
    async (signal) => (asked.trim() ? verb("search", { query: asked, top_k: 6, ...everywhere() }, { signal }) : { results: [] }),
    [asked],
  );
  const others = (found.data?.results || []).filter((each) => each.id !== record.id);
  return html`<${Asking} title=${say("link.title")} action=${say("action.link")} ready=${Boolean(target)} onClose=${onClose}
    onSend=${() => actions.relate(record.id, target, label)}>
    <${Select} id="link-label" label=${say("link.label")} value=${label} options=${LABELS.map((key) => [key, word("label", key)])} onChange=${setLabel} />
    <${Field} id="link-query" label=${say("link.query")}>
      <input id="link-query" type="search" dir="auto" value=${query} onInput=${(event) => setQuery(event.target.value)} />
    <//>
    <fieldset class="pick"><legend class="unseen">${say("link.target")}</legend>
      ${others.map((each) => html`<label key=${each.id} class="pick-item">
        <input type="radio" name="link-target" checked=${target === each.id} onChange=${() => setTarget(each.id)} />
        <span dir="auto">${beginning(textOf(each), 160)}</span></label>`)}
    </fieldset>
  <//>`;
}

const SCOPES = ["user_id", "agent_id", "project", "squad", "channel"];

/** Whose it is from now on. It is told anew there and forgotten here; the note takes back both. */
export function Moving({ records, onClose, onDone }) {
  const [scope, setScope] = useState(Object.fromEntries(SCOPES.map((name) => [name, records.length === 1 ? (records[0][name] ?? "") : ""])));
  const known = useAnswer((signal) => verb("counts", { limit: 100, ...everywhere() }, { signal }), []);
  const wanted = Object.fromEntries(Object.entries(scope).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  const same = records.every((record) => SCOPES.every((name) => (record[name] ?? "") === (wanted[name] ?? "")));
  const sealed = records.some((record) => record.security && record.security !== "cleartext");
  return html`<${Asking} title=${say("move.title")} action=${say("action.move")} ready=${!same && !sealed} onClose=${onClose} onSend=${() => actions.move(records, wanted).then(() => onDone?.())}>
    <p class="hint">${say(sealed ? "move.sealed" : "move.means")}</p>
    ${SCOPES.map((name) => html`<${Field} key=${name} id=${`move-${name}`} label=${word("field", name)}>
      <input id=${`move-${name}`} type="text" dir="auto" list=${`move-known-${name}`} value=${scope[name]} onInput=${(event) => setScope({ ...scope, [name]: event.target.value })} />
      <datalist id=${`move-known-${name}`}>${Object.keys(known.data?.[name] ?? {}).map((each) => html`<option key=${each} value=${each} />`)}</datalist><//>`)}
  <//>`;
}
