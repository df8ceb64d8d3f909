// Bars above and below a line: gains and losses side by side, with a table for who cannot see them.
import { html } from "../core/dom.js";
import { number } from "../core/format.js";

const WIDE = 640;
const HIGH = 150;
const GAP = 0.25;
const BAR_MAX = 34;

/** @param {{bars: {key: string, value: number, label: string}[], caption: string, unit: string}} given */
export function Signed({ bars, caption, unit }) {
  const most = Math.max(1, ...bars.map((each) => Math.abs(each.value)));
  const above = Math.max(0, ...bars.map((each) => each.value));
  const below = Math.max(0, ...bars.map((each) => -each.value));
  const line = above + below ? (above / (above + below)) * (HIGH - 8) + 4 : HIGH / 2;
  const scale = (HIGH - 8) / Math.max(most, above + below);
  const step = Math.min(BAR_MAX, WIDE / Math.max(1, bars.length));
  return html`<figure class="days">
    <svg viewBox=${`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
      <line class="signed-line" x1="0" x2=${WIDE} y1=${line} y2=${line} />
      ${bars.map((each, index) => html`<rect key=${each.key} class=${each.value < 0 ? "bar-forgotten" : "bar-learned"} x=${index * step + (step * GAP) / 2} width=${step * (1 - GAP)} rx="1.5"
        y=${each.value < 0 ? line : line - Math.max(1.5, each.value * scale)} height=${Math.max(1.5, Math.abs(each.value) * scale)}><title>${`${each.label}: ${number(each.value)}`}</title></rect>`)}
    </svg>
    <div class="unseen"><table><caption>${caption}</caption><tbody>${bars.map((each) => html`<tr key=${each.key}><th scope="row">${each.label}</th><td>${unit} ${number(each.value)}</td></tr>`)}</tbody></table></div>
  </figure>`;
}
