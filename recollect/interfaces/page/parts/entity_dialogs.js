// What is asked before two entities become one, or one becomes two. Both can be taken back.
import { html, useState } from "../core/dom.js";
import { everywhere, useAnswer } from "../core/ask.js";
import { verb } from "../core/api.js";
import * as actions from "../core/actions.js";
import { number } from "../core/format.js";
import { go } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Asking } from "./card_dialogs.js";
import { Answer, Choice, Field } from "./controls.js";
import { plainly, whose } from "./record.js";

const OFFERED = 30; // of those that fit, in the list to choose from

const sameScope = (one, other) => whose(one).join("\n") === whose(other).join("\n");

export function Merging({ entity, onClose }) {
  const [words, setWords] = useState("");
  const [other, setOther] = useState(null);
  const [stays, setStays] = useState("this");
  const known = useAnswer((signal) => verb("entities", { limit: 1000, ...everywhere() }, { signal }), []);
  const fits = (each) =>
    each.id !== entity.id && sameScope(each, entity) && [each.name, ...each.aliases].some((name) => name.toLowerCase().includes(words.trim().toLowerCase()));
  const merge = async () => {
    const [keep, gone] = stays === "this" ? [entity, other] : [other, entity];
    await actions.merge(keep.id, gone.id);
    go("people", keep.id);
  };
  return html`<${Asking} title=${say("people.merge_title", { name: plainly(entity.name) })} action=${say("people.merge")} ready=${Boolean(other)} onSend=${merge} onClose=${onClose}>
    <p class="hint">${say("people.merge_means")}</p>
    <${Field} id="merge-words" label=${say("people.merge_other")}>
      <input id="merge-words" type="search" dir="auto" value=${words} onInput=${(event) => setWords(event.target.value)} />
    <//>
    <${Answer} answer=${known}>${(told) => {
      const offers = told.results.filter(fits).slice(0, OFFERED);
      return offers.length
        ? html`<fieldset class="pick"><legend class="unseen">${say("people.merge_other")}</legend>${offers.map((each) => html`<label key=${each.id} class="pick-item">
            <input type="radio" name="merge-other" value=${each.id} checked=${other?.id === each.id} onChange=${() => setOther(each)} />
            <span dir="auto">${plainly(each.name)} <span class="hint">${word("type", each.type)} · ${number(each.mention_count)}</span></span></label>`)}</fieldset>`
        : html`<p class="hint">${say("people.none_fit")}</p>`;
    }}<//>
    ${other && html`<${Choice} name="stays" label=${say("people.stays")} hidden=${false} value=${stays} onChange=${setStays}
      options=${[["this", plainly(entity.name)], ["other", plainly(other.name)]]} />`}
  <//>`;
}

export function Splitting({ entity, onClose }) {
  const [chosen, setChosen] = useState([]);
  const flip = (alias) => setChosen((was) => (was.includes(alias) ? was.filter((each) => each !== alias) : [...was, alias]));
  const split = async () => {
    const receipt = await actions.split(entity.id, chosen);
    if (receipt.ids?.length) go("people", receipt.ids[0]);
  };
  return html`<${Asking} title=${say("people.split_title", { name: plainly(entity.name) })} action=${say("people.split")} ready=${chosen.length > 0} onSend=${split} onClose=${onClose}>
    <p class="hint">${say("people.split_means")}</p>
    <fieldset class="pick"><legend class="unseen">${say("people.aliases")}</legend>${entity.aliases.map((alias) => html`<label key=${alias} class="pick-item">
      <input type="checkbox" checked=${chosen.includes(alias)} onChange=${() => flip(alias)} /><span dir="auto">${plainly(alias)}</span></label>`)}</fieldset>
  <//>`;
}
