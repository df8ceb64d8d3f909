// Ctrl K: one box that goes to any view and finds any memory.
import { classes, html, useEffect, useRef, useState } from "../core/dom.js";
import { everywhere, useAnswer, useRested } from "../core/ask.js";
import { verb } from "../core/api.js";
import { go } from "../core/router.js";
import { say } from "../core/words.js";
import { VIEWS, offered } from "../views/index.js";
import { Dialog } from "./controls.js";
import { Icon } from "./icons.js";
import { beginning, textOf } from "./record.js";

export function Palette({ onClose }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef(null);
  const asked = useRested(text.trim());
  const found = useAnswer(async (signal) => (asked ? verb("search", { query: asked, top_k: 7, ...everywhere() }, { signal }) : { results: [] }), [asked]);
  useEffect(() => box.current?.focus(), []);
  const rows = [
    ...offered()
      .filter((name) => say(`nav.${name}`).toLowerCase().includes(text.trim().toLowerCase()))
      .map((name) => ({ id: name, icon: VIEWS[name].icon, text: say(`nav.${name}`), open: () => go(name) })),
    ...(found.data?.results || []).map((each) => ({ id: each.id, icon: "memories", text: beginning(textOf(each), 140), open: () => go("memories", each.id) })),
    ...(text.trim() ? [{ id: "ask", icon: "ask", text: say("palette.ask", { text: text.trim() }), open: () => go("ask", { q: text.trim() }) }] : []),
  ];
  const chosen = Math.min(at, rows.length - 1);
  const take = (row) => {
    onClose();
    row?.open();
  };
  const pressed = (event) => {
    if (event.key === "ArrowDown") setAt(Math.min(rows.length - 1, chosen + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, chosen - 1));
    else if (event.key === "Enter") take(rows[chosen]);
    else return;
    event.preventDefault();
  };
  return html`<${Dialog} title=${say("nav.find")} onClose=${onClose}>
    <label class="unseen" for="palette">${say("palette.label")}</label>
    <input id="palette" ref=${box} type="text" class="palette-box" dir="auto" autocomplete="off" placeholder=${say("palette.label")} value=${text} role="combobox"
      aria-expanded="true" aria-controls="palette-rows" aria-activedescendant=${rows.length ? `palette-${chosen}` : undefined}
      onInput=${(event) => (setText(event.target.value), setAt(0))} onKeyDown=${pressed} />
    <ul id="palette-rows" role="listbox" class="palette-rows" aria-label=${say("palette.rows")}>
      ${rows.map((row, index) => html`<li key=${row.id} id=${`palette-${index}`} role="option" aria-selected=${index === chosen ? "true" : "false"}
        class=${classes("palette-row", index === chosen && "is-on")} onClick=${() => take(row)}><${Icon} name=${row.icon} /><span dir="auto">${row.text}</span></li>`)}
    </ul>
  <//>`;
}
