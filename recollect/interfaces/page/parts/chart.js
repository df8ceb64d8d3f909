// Small charts in SVG. Each also stands as a table for who cannot see it.
import { html, useMemo, useState } from "../core/dom.js";
import { number, shortDay } from "../core/format.js";
import { say } from "../core/words.js";

const SORTS = ["learned", "changed", "forgotten", "asked"];
const HEIGHT = 150;
const WIDTH = 640;
const GAP = 0.3;

/** Stacked bars, one for each day. @param {{days: {day: string}[]}} given */
export function Days({ days }) {
  const [at, setAt] = useState(null);
  const most = useMemo(() => Math.max(1, ...days.map((each) => SORTS.reduce((sum, sort) => sum + each[sort], 0))), [days]);
  const step = WIDTH / days.length;
  const shown = at === null ? null : days[at];
  return html`<figure class="days">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" onMouseLeave=${() => setAt(null)}>
      ${[0.5, 1].map((share) => html`<line key=${share} class="days-grid" x1="0" x2=${WIDTH} y1=${HEIGHT * (1 - share) + 1} y2=${HEIGHT * (1 - share) + 1} />`)}
      ${days.map((each, index) => html`<g key=${each.day} onMouseEnter=${() => setAt(index)}>
        <rect class=${index === at ? "days-hit is-on" : "days-hit"} x=${index * step} y="0" width=${step} height=${HEIGHT} />
        ${stacked(each, most).map(([sort, y, height]) => html`<rect key=${sort} class=${`bar-${sort}`} x=${index * step + (step * GAP) / 2}
          y=${y} width=${step * (1 - GAP)} height=${height} rx="1.5" />`)}
      </g>`)}
    </svg>
    <div class="days-axis" aria-hidden="true"><span>${shortDay(days[0].day)}</span><span>${say("time.today")}</span></div>
    <figcaption class="legend">
      ${SORTS.map((sort) => html`<span key=${sort} class="legend-item"><i class=${`dot bar-${sort}`} />${say(`today.${sort}`)}
        ${shown && html`<b>${number(shown[sort])}</b>`}</span>`)}
      <span class="legend-day">${shown ? shortDay(shown.day) : ""}</span>
    </figcaption>
    <${DaysTable} days=${days} />
  </figure>`;
}

function stacked(each, most) {
  let base = HEIGHT;
  return SORTS.filter((sort) => each[sort] > 0).map((sort) => {
    const height = Math.max(2, (each[sort] / most) * (HEIGHT - 4));
    base -= height;
    return [sort, base, height];
  });
}

const DaysTable = ({ days }) => html`<table class="unseen">
  <caption>${say("today.by_day")}</caption>
  <thead><tr><th>${say("time.day")}</th>${SORTS.map((sort) => html`<th key=${sort}>${say(`today.${sort}`)}</th>`)}</tr></thead>
  <tbody>${days.map((each) => html`<tr key=${each.day}><th>${shortDay(each.day)}</th>${SORTS.map((sort) => html`<td key=${sort}>${each[sort]}</td>`)}</tr>`)}</tbody>
</table>`;

/** A line of small bars beside a figure. */
export function Spark({ values, name }) {
  const most = Math.max(1, ...values);
  return html`<svg class=${`spark bar-${name}`} viewBox=${`0 0 ${values.length * 6} 24`} preserveAspectRatio="none" aria-hidden="true">
    ${values.map((value, index) => html`<rect key=${index} x=${index * 6} y=${24 - Math.max(1.5, (value / most) * 24)} width="4" height=${Math.max(1.5, (value / most) * 24)} rx="1" />`)}
  </svg>`;
}
