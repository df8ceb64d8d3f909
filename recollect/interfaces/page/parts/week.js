// Times as pictures: a week with what happens in it, and moments on a line.
import { html } from "../core/dom.js";
import { day, number, shortDay } from "../core/format.js";
import { language, say } from "../core/words.js";

const DAYS = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"]; // as rhythms name them
const MONDAY = Date.UTC(2024, 0, 1); // a Monday: the names of days follow from it
const DAY_MS = 86_400_000;
const HOURS = [0, 6, 12, 18, 24];
const WIDE = 700;
const HIGH = 190;

const daysOf = (on) => (DAYS.includes(on) ? [DAYS.indexOf(on)] : on === "on workdays" ? [0, 1, 2, 3, 4] : [0, 1, 2, 3, 4, 5, 6]);
const nameOf = (index, weekday) => new Intl.DateTimeFormat(language.get(), { weekday, timeZone: "UTC" }).format(new Date(MONDAY + index * DAY_MS));
const clock = (minute) => `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;

/** @param {{dots: {id: string, on: string, minute: number, text: string}[]}} given What happens on which days, at which minute. */
export function Week({ dots }) {
  const step = WIDE / 7;
  const y = (minute) => (minute / 1440) * HIGH;
  return html`<figure class="week">
    <div class="week-days" aria-hidden="true">${DAYS.map((name, index) => html`<span key=${name}>${nameOf(index, "short")}</span>`)}</div>
    <svg viewBox=${`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
      ${HOURS.map((hour) => html`<line key=${hour} class="days-grid" x1="0" x2=${WIDE} y1=${y(hour * 60)} y2=${y(hour * 60)} />`)}
      ${DAYS.map((name, index) => html`<line key=${name} class="days-grid" x1=${index * step} x2=${index * step} y1="0" y2=${HIGH} />`)}
      ${dots.flatMap((dot) => daysOf(dot.on).map((index) => html`<rect key=${`${dot.id}${index}`} class="week-dot" x=${index * step + 4} y=${Math.max(0, y(dot.minute) - 6)} width=${step - 8} height="12" rx="4"><title>${dot.text}</title></rect>`))}
    </svg>
    <div class="week-hours" aria-hidden="true">${HOURS.map((hour) => html`<span key=${hour}>${hour}:00</span>`)}</div>
    <div class="unseen"><table><caption>${say("patterns.rhythms")}</caption><thead><tr><th>${say("time.day")}</th><th>${say("patterns.time")}</th><th>${say("patterns.what")}</th></tr></thead>
      <tbody>${dots.map((dot) => html`<tr key=${dot.id}><td>${daysOf(dot.on).map((index) => nameOf(index, "long")).join(", ")}</td><td>${clock(dot.minute)}</td><td>${dot.text}</td></tr>`)}</tbody></table></div>
  </figure>`;
}

/** Moments on a line of time, the oldest first. @param {{moments: string[], label: string}} given */
export function Moments({ moments, label }) {
  const times = moments.map((each) => Date.parse(each)).filter(Number.isFinite).sort((a, b) => a - b);
  if (!times.length) return null;
  const [first, last] = [times[0], times.at(-1)];
  const x = (time) => (last === first ? WIDE / 2 : 8 + ((time - first) / (last - first)) * (WIDE - 16));
  return html`<figure class="moments">
    <svg viewBox=${`0 0 ${WIDE} 24`} preserveAspectRatio="none" role="img" aria-label=${`${label}: ${number(times.length)}, ${day(first)} – ${day(last)}`}>
      <line class="days-grid" x1="0" x2=${WIDE} y1="12" y2="12" />
      ${times.map((time, index) => html`<rect key=${index} class="week-dot" x=${x(time) - 3} y="4" width="6" height="16" rx="2" />`)}
    </svg>
    <div class="days-axis" aria-hidden="true"><span>${shortDay(first)}</span>${last !== first && html`<span>${shortDay(last)}</span>`}</div>
  </figure>`;
}
