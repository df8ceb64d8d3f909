// What changed between two texts, word by word.
import { html, useMemo } from "../core/dom.js";
import { say } from "../core/words.js";

const CELLS_MAX = 1_500_000; // beyond it the two texts are shown whole, one after the other

/** Pieces of both texts in order. @returns {{kind: "same"|"gone"|"new", text: string}[]} */
export function compared(before, after) {
  if (before === after) return [{ kind: "same", text: after }];
  const a = before.split(/(\s+)/);
  const b = after.split(/(\s+)/);
  if (a.length * b.length > CELLS_MAX) return [{ kind: "gone", text: before }, { kind: "new", text: after }];
  return joined(walked(a, b, lengths(a, b)));
}

function lengths(a, b) {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      table[at] = a[i] === b[j] ? table[at + width + 1] + 1 : Math.max(table[at + width], table[at + 1]);
    }
  }
  return table;
}

function walked(a, b, table) {
  const width = b.length + 1;
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const same = i < a.length && j < b.length && a[i] === b[j];
    const isNew = !same && j < b.length && (i === a.length || table[i * width + j + 1] > table[(i + 1) * width + j]);
    out.push([same ? "same" : isNew ? "new" : "gone", isNew ? b[j] : a[i]]);
    if (!isNew) i++;
    if (same || isNew) j++;
  }
  return out;
}

function joined(pieces) {
  const out = [];
  for (const [kind, text] of pieces) {
    if (out.at(-1)?.kind === kind) out.at(-1).text += text;
    else out.push({ kind, text });
  }
  return out;
}

export function Diff({ before, after }) {
  const pieces = useMemo(() => compared(before, after), [before, after]);
  return html`<p class="diff" dir="auto">
    ${pieces.map(({ kind, text }, index) =>
      kind === "gone"
        ? html`<del key=${index}><span class="unseen">${say("diff.gone")} </span>${text}</del>`
        : kind === "new"
          ? html`<ins key=${index}><span class="unseen">${say("diff.new")} </span>${text}</ins>`
          : html`<span key=${index}>${text}</span>`,
    )}
  </p>`;
}
