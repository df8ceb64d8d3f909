// A place to drop a file on, which is also a button that asks for one.
import { classes, html, useState } from "../core/dom.js";
import { bytes } from "../core/format.js";
import { say } from "../core/words.js";

/** @param {{id: string, file: File | null, onFile: (file: File) => void, told: string}} given */
export function Drop({ id, file, onFile, told }) {
  const [over, setOver] = useState(false);
  const held = (event, on) => {
    event.preventDefault();
    setOver(on);
  };
  const dropped = (event) => {
    held(event, false);
    if (event.dataTransfer.files.length) onFile(event.dataTransfer.files[0]);
  };
  return html`<div class=${classes("drop", over && "is-over")} onDragOver=${(event) => held(event, true)} onDragLeave=${(event) => held(event, false)} onDrop=${dropped}>
    <p>${file ? html`<b dir="auto">${file.name}</b> <span class="hint">${bytes(file.size)}</span>` : told}</p>
    <label class="button is-small" for=${id}>${say("transfer.choose")}</label>
    <input id=${id} type="file" class="unseen" onChange=${(event) => event.target.files.length && onFile(event.target.files[0])} />
  </div>`;
}
