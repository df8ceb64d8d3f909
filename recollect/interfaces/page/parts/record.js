// A memory in a line or two, wherever one is listed.
import { classes, html } from "../core/dom.js";
import { ago, moment } from "../core/format.js";
import { to } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Chip } from "./controls.js";

const SHOWN_CHARS = 420; // of a text in a list, however long it is

// What nobody sees and what turns a line around, as `recollect.model.showable` has it.
const UNSEEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u180e\u17b4\u17b5\u202a-\u202e\u2061-\u2064\u2066-\u206f\ufff9-\ufffb\ufffe\uffff\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]+/gu;

/** A stored text as people may see it: a sign stands for characters that would hide or turn something. */
export const plainly = (text) => String(text ?? "").replace(UNSEEN, "\ufffd");

/** The beginning of a text, without drawing megabytes of it. */
export const beginning = (text, most = SHOWN_CHARS) => plainly(text?.length > most ? `${text.slice(0, most)}…` : text);

export const textOf = (record) => record.memory ?? record.content ?? "";

/** Whose it is, the narrowest first. */
export const whose = (record) =>
  ["user_id", "agent_id", "project", "squad", "channel"].filter((name) => record[name]).map((name) => record[name]);

/** Whether it still holds, in a word: nothing where it does. */
export function standing(record) {
  const ended = record.ended_at || record.valid_until;
  if (record.replaced_by?.length) return { tone: "warn", text: say("standing.replaced") };
  if (ended && Date.parse(ended) <= Date.now()) return { tone: "warn", text: say("standing.ended", { when: ago(ended) }) };
  if (record.flagged) return { tone: "bad", text: say("standing.flagged") };
  if (record.needs_review) return { tone: "warn", text: say("standing.review") };
  if (record.user_verified) return { tone: "good", text: say("standing.confirmed") };
  return null;
}

export function Facts({ record }) {
  const when = record.event_time || record.created_at;
  return html`<span class="facts">
    <span class=${`kind kind-${record.kind}`}>${word("kind", record.kind)}</span>
    ${record.category && record.category !== record.kind && html`<span>${word("category", record.category)}</span>`}
    ${(record.speaker || record.source) && html`<span dir="auto">${record.speaker || record.source}</span>`}
    ${whose(record).map((name) => html`<span key=${name} dir="auto">${name}</span>`)}
    <time datetime=${when} title=${moment(when)}>${ago(when)}</time>
  </span>`;
}

export function RecordRow({ record, selected, tabindex = 0, aside, open }) {
  const state = standing(record);
  return html`<a class=${classes("record", selected && "is-on")} href=${to("memories", record.id)} tabindex=${tabindex}
    data-index=${record.index} aria-current=${selected ? "true" : undefined} onClick=${(event) => {
      if (!open || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open();
    }}>
    <span class="record-text" dir="auto">${beginning(textOf(record))}</span>
    <span class="record-line"><${Facts} record=${record} />${state && html`<${Chip} tone=${state.tone}>${state.text}<//>`}${aside}</span>
  </a>`;
}
