// Every view of the page: a row here, a module beside it, its words in the catalogues.
import { may } from "../core/state.js";

/** @typedef {{icon: string, group: string, key: string, needs?: string, load: () => Promise<{View: Function}>}} Entry */

/** The groups of the navigation, in its order. */
export const GROUPS = ["now", "known", "seen", "kept"];

/** `needs` names the right (or `owner`) without which a view is neither offered nor opened. @type {Record<string, Entry>} */
export const VIEWS = {
  today: { icon: "today", group: "now", key: "t", load: () => import("./today.js") },
  ask: { icon: "ask", group: "now", key: "a", load: () => import("./ask.js") },
  chat: { icon: "chat", group: "now", key: "q", load: () => import("./chat.js") },
  memories: { icon: "memories", group: "known", key: "m", load: () => import("./memories.js") },
  people: { icon: "people", group: "known", key: "p", load: () => import("./people.js") },
  graph: { icon: "graph", group: "known", key: "g", load: () => import("./graph.js") },
  sessions: { icon: "sessions", group: "known", key: "s", load: () => import("./sessions.js") },
  knowledge: { icon: "knowledge", group: "known", key: "k", load: () => import("./knowledge.js") },
  code: { icon: "code", group: "known", key: "c", load: () => import("./code.js") },
  agents: { icon: "agents", group: "kept", key: "e", load: () => import("./agents.js") },
  vault: { icon: "vault", group: "kept", key: "v", needs: "owner", load: () => import("./vault.js") },
  settings: { icon: "settings", group: "kept", key: ",", needs: "owner", load: () => import("./settings.js") },
  history: { icon: "history", group: "kept", key: "h", load: () => import("./history.js") },
};

/** The names of the views that this visitor may open, all of them or those of a group. */
export const offered = (group = null) =>
  Object.keys(VIEWS).filter((name) => (!group || VIEWS[name].group === group) && (!VIEWS[name].needs || may(VIEWS[name].needs)));
