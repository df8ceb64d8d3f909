// Small stores that components listen to: who is here, what is shown, whether the server answers.
import { useEffect, useState } from "./dom.js";

/** A value that can be watched. @template T @param {T} initial */
export function store(initial) {
  let value = initial;
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      value = typeof next === "function" ? next(value) : next;
      for (const listener of [...listeners]) listener(value);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore(from) {
  const [value, setValue] = useState(from.get());
  useEffect(() => {
    setValue(() => from.get());
    return from.watch((next) => setValue(() => next));
  }, [from]);
  return value;
}

/** Who is signed in and what they may do; null until the server has said so. */
export const session = store(null);
/** Counts up with every change in the store that this reader may see. */
export const changes = store(0);
/** here | gone: whether the server answers. */
export const server = store("here");
/** Short notes at the edge of the page, such as what can be undone. */
export const toasts = store([]);
export const theme = store(remembered("theme", "auto"));
export const shownRecord = store(null);

/** Whether this visitor has a right; `owner` is every right over the whole store. */
export const may = (right) => (right === "owner" ? isOwner() && may("admin") : Boolean(session.get()?.rights?.includes(right)));
export const isOwner = () => Boolean(session.get()?.whole);

/** A setting of this browser. Storage may be forbidden; then it lasts as long as the page. */
export function remembered(name, fallback) {
  try {
    const kept = JSON.parse(localStorage.getItem(`recollect.${name}`));
    return kept === null || kept === undefined ? fallback : kept;
  } catch {
    return fallback;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`recollect.${name}`, JSON.stringify(value));
  } catch {
    // a private window keeps nothing
  }
}

export function setTheme(name) {
  theme.set(name);
  remember("theme", name);
  document.documentElement.dataset.theme = name;
}

let toastCount = 0;

/** Show a note; `undo` offers to take an operation back, or to run a function that takes something else back. */
export function toast(text, { undo = null, tone = "plain", seconds = 8 } = {}) {
  const id = ++toastCount;
  toasts.set((shown) => [...shown.slice(-2), { id, text, undo, tone }]);
  setTimeout(() => dropToast(id), seconds * 1000);
  return id;
}

export const dropToast = (id) => toasts.set((shown) => shown.filter((each) => each.id !== id));
