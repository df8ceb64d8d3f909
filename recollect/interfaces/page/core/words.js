// What the page says, in the reader's language. A catalogue is a module of words; a language is a row here.
import { remember, remembered, store, useStore } from "./state.js";
import { EN } from "../words/en.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };
const LOADED = { en: EN };
const LOADERS = { de: () => import("../words/de.js").then((module) => module.DE) };
export const language = store("en");

/** Take the reader's language: what they chose here, or what their browser says. */
export async function begin() {
  const wished = remembered("language", null) || (navigator.languages || []).map((each) => each.slice(0, 2)).find(known);
  await speak(known(wished) ? wished : "en");
}

const known = (code) => Object.hasOwn(LANGUAGES, code);

export async function speak(code, { keep = false } = {}) {
  LOADED[code] ??= await LOADERS[code]();
  if (keep) remember("language", code);
  document.documentElement.lang = code;
  language.set(code);
}

/** A text by its key; `{name}` stands for a value. Of `one|other` the form that fits `count` is taken. */
export function say(key, values = {}) {
  const text = LOADED[language.get()][key] ?? EN[key] ?? key;
  const forms = text.split("|");
  const form = forms.length > 1 && values.count !== undefined ? forms[values.count === 1 ? 0 : 1] : text;
  return form.replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

/** A word of the store such as a kind or a verb, in the reader's language where it is known. */
export function word(group, value) {
  const key = `${group}.${value}`;
  return LOADED[language.get()][key] ?? EN[key] ?? String(value ?? "").replaceAll("_", " ");
}

const shown = (value) => (typeof value === "number" ? new Intl.NumberFormat(language.get()).format(value) : (value ?? ""));

/** Draw again when the language changes. */
export const useLanguage = () => useStore(language);
