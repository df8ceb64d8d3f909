// Where the page is: #/view/part?conditions. Every state that somebody may want to send on is in the address.
import { store, useStore } from "./state.js";

export const place = store(read());

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { view: parts[0] || "today", parts: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", () => place.set(read()));

/** An address inside the page. */
export function to(view, ...rest) {
  const query = typeof rest.at(-1) === "object" && rest.at(-1) !== null ? rest.pop() : {};
  const told = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value != null));
  const path = [view, ...rest].map(encodeURIComponent).join("/");
  return `#/${path}${told.size ? `?${told}` : ""}`;
}

export function go(...where) {
  location.hash = to(...where);
}

/** Change conditions in the address without a new entry in the browser's history. */
export function refine(changed) {
  const now = place.get();
  history.replaceState(null, "", to(now.view, ...now.parts, { ...now.query, ...changed }));
  place.set(read());
}

export const usePlace = () => useStore(place);
