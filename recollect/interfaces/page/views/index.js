// Every view of the page: a row here, a module beside it, its words in the catalogues.
/** @typedef {{icon: string, group: string, key: string, load: () => Promise<{View: Function}>}} Entry */

/** @type {Record<string, Entry>} */
export const VIEWS = {
  today: { icon: "today", group: "now", key: "t", load: () => import("./today.js") },
  ask: { icon: "ask", group: "now", key: "a", load: () => import("./ask.js") },
  memories: { icon: "memories", group: "known", key: "m", load: () => import("./memories.js") },
  history: { icon: "history", group: "kept", key: "h", load: () => import("./history.js") },
};
