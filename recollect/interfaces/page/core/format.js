// Numbers and times as the reader's language writes them.
import { language, say } from "./words.js";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const UNITS = [
  [MINUTE, 1, "second"],
  [HOUR, MINUTE, "minute"],
  [DAY, HOUR, "hour"],
  [30 * DAY, DAY, "day"],
  [365 * DAY, 30 * DAY, "month"],
  [Infinity, 365 * DAY, "year"],
];
const made = new Map();

function formatter(make, options) {
  const key = `${make.name} ${language.get()} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, new make(language.get(), options));
  return made.get(key);
}

export const number = (value, digits = 0) =>
  value === null || value === undefined
    ? "–"
    : formatter(Intl.NumberFormat, { maximumFractionDigits: digits, minimumFractionDigits: 0 }).format(value);
export const percent = (share) => formatter(Intl.NumberFormat, { style: "percent", maximumFractionDigits: 0 }).format(share);
export const compact = (value) => formatter(Intl.NumberFormat, { notation: "compact", maximumFractionDigits: 1 }).format(value);
export const day = (when) => formatter(Intl.DateTimeFormat, { dateStyle: "medium" }).format(new Date(when));
export const moment = (when) =>
  when ? formatter(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle: "short" }).format(new Date(when)) : "–";
export const weekday = (when) =>
  formatter(Intl.DateTimeFormat, { weekday: "long", day: "numeric", month: "long" }).format(new Date(when));
export const shortDay = (when) => formatter(Intl.DateTimeFormat, { day: "numeric", month: "short" }).format(new Date(when));

/** How long ago, in the largest unit that fits. */
export function ago(when) {
  if (!when) return "–";
  const seconds = (Date.parse(when) - Date.now()) / 1000;
  if (Math.abs(seconds) < 45) return say("time.now");
  const [, size, unit] = UNITS.find(([below]) => Math.abs(seconds) < below);
  return formatter(Intl.RelativeTimeFormat, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** 1_048_576 is 1 MB. */
export function bytes(count) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = count ? Math.min(units.length - 1, Math.floor(Math.log2(count) / 10)) : 0;
  return `${number(count / 1024 ** power, power ? 1 : 0)} ${units[power]}`;
}

/** What is meant by a day that is looked back to: its end. Anything that says more than a day is taken as it is. */
export const endOf = (when) => (/^\d{4}-\d\d-\d\d$/.test(when ?? "") ? new Date(`${when}T23:59:59.999`).toISOString() : when);

/** The local day as the API writes it. */
export function isoDay(when = new Date()) {
  const shifted = new Date(when.getTime() - when.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 10);
}
