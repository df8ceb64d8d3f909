// The REST API, as any other program uses it. A verb without a path of its own is POST /v1/verbs/{verb}.
import { server, session } from "./state.js";

const PATHS = {
  add: ["POST", "/v1/memories"],
  get_all: ["GET", "/v1/memories"],
  search: ["POST", "/v1/memories/search"],
  get: ["GET", "/v1/memories/{id}"],
  update: ["PATCH", "/v1/memories/{id}"],
  delete: ["DELETE", "/v1/memories/{id}"],
  history: ["GET", "/v1/memories/{id}/history"],
  context: ["POST", "/v1/context"],
  observe: ["POST", "/v1/observe"],
  entities: ["GET", "/v1/entities"],
  entity: ["GET", "/v1/entities/{name}"],
  relations: ["GET", "/v1/graph"],
  consolidate: ["POST", "/v1/consolidate"],
  undo: ["POST", "/v1/undo"],
  audit: ["GET", "/v1/audit"],
  audit_verify: ["GET", "/v1/audit/verify"],
  stats: ["GET", "/v1/stats"],
  health: ["GET", "/v1/health"],
  observed: ["GET", "/v1/sessions"],
  sessions_brief: ["GET", "/v1/sessions/brief"],
  sessions_coverage: ["GET", "/v1/sessions/coverage"],
  sessions_meter: ["GET", "/v1/sessions/meter"],
  sessions_learned: ["GET", "/v1/sessions/learned"],
  sessions_end: ["POST", "/v1/sessions/{session_id}/end"],
  turns_status: ["GET", "/v1/turns"],
  turns_status: ["GET", "/v1/turns"],
  turns_abort: ["POST", "/v1/turns/{id}/abort"],
  working_minds: ["GET", "/v1/working/minds"],
  working_suspend: ["POST", "/v1/working/suspend"],
  working_clear: ["POST", "/v1/working/clear"],
  code_changes: ["POST", "/v1/code/changes"],
};
for (const name of "projects status impact dependencies callers callees path paired find outline trace map edges health notes".split(" ")) {
  PATHS[`code_${name}`] = ["GET", `/v1/code/${name}`];
}

/** What the server refused, with its code and what to do about it. */
export class ApiError extends Error {
  constructor(status, problem) {
    super(problem?.detail || problem?.title || `HTTP ${status}`);
    this.status = status;
    this.code = problem?.code || "";
    this.retryable = Boolean(problem?.retryable);
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {}

/** Run a verb. Arguments that are null, undefined or empty lists are left out. */
export function verb(name, given = {}, options = {}) {
  const [method, template] = PATHS[name] || ["POST", `/v1/verbs/${name}`];
  const rest = { ...given };
  const path = template.replace(/\{(\w+)\}/g, (_, key) => {
    const value = rest[key];
    delete rest[key];
    return encodeURIComponent(value);
  });
  for (const key of Object.keys(rest)) {
    const value = rest[key];
    if (value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)) delete rest[key];
  }
  return method === "GET" || method === "DELETE"
    ? request(method, path + queryOf(rest), undefined, options)
    : request(method, path, rest, options);
}

export const get = (path, options) => request("GET", path, undefined, options);
export const send = (method, path, body, options) => request(method, path, body, options);

function queryOf(given) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(given)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      query.append(key, typeof each === "object" ? JSON.stringify(each) : String(each));
    }
  }
  const text = query.toString();
  return text && `?${text}`;
}

async function request(method, path, body, { signal, headers = {}, raw = null } = {}) {
  const told = { accept: "application/json", ...headers };
  const csrf = session.get()?.csrf;
  if (csrf && method !== "GET") told["x-recollect-csrf"] = csrf;
  if (body !== undefined) told["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: told,
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      credentials: "same-origin",
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    server.set("gone");
    throw new Unreachable("the server does not answer");
  }
  server.set("here");
  return read(answer, path);
}

async function read(answer, path) {
  const kind = answer.headers.get("content-type") || "";
  const data = kind.includes("json") ? await answer.json() : await answer.text();
  if (answer.ok) return data;
  if (answer.status === 401 && path !== "/v1/session") {
    session.set((was) => ({ ...(was || {}), signed_in: false, ended: Boolean(was?.signed_in) }));
  }
  throw new ApiError(answer.status, typeof data === "object" ? data : { detail: data });
}
