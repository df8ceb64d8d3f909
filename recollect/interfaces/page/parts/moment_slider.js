// A moment of the store's past, by a slider from its first day until now, or typed. Now is nothing in the address.
import { html } from "../core/dom.js";
import { day, isoDay } from "../core/format.js";
import { refine } from "../core/router.js";
import { say, word } from "../core/words.js";
import { Field } from "./controls.js";

const DAY_MS = 86_400_000;

/** @param {{name: string, query: object, oldest?: string, hint: string}} given */
export function MomentSlider({ name, query, oldest, hint }) {
  const first = Date.parse(oldest ?? "") || Date.now() - 365 * DAY_MS;
  const days = Math.max(1, Math.ceil((Date.now() - first) / DAY_MS));
  const chosen = (query[name] ?? "").slice(0, 10);
  const at = chosen ? Math.max(0, Math.min(days, Math.round((Date.parse(chosen) - Date.parse(isoDay(new Date(first)))) / DAY_MS))) : days;
  const slid = (value) => refine({ [name]: value >= days ? "" : isoDay(new Date(first + value * DAY_MS)) });
  return html`<div class="moment-slider">
    <${Field} id=${`slide-${name}`} label=${`${word("field", name)}: ${chosen ? day(`${chosen}T12:00`) : say("ask.now")}`} hint=${hint}>
      <input id=${`slide-${name}`} type="range" min="0" max=${days} value=${at} aria-describedby=${`slide-${name}-hint`} aria-valuetext=${chosen ? day(`${chosen}T12:00`) : say("ask.now")} onInput=${(event) => slid(Number(event.target.value))} /><//>
    <${Field} id=${`date-${name}`} label=${say("ask.on_day", { name: word("field", name) })} hidden><input id=${`date-${name}`} type="date" value=${chosen} onChange=${(event) => refine({ [name]: event.target.value })} /><//>
  </div>`;
}
