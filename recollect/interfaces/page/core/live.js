// The stream of changes. When it breaks the page says so, asks until the server answers, and goes on by itself.
import { changes, server, session } from "./state.js";

const RETRY_MS = 1500;
let source = null;
let retrying = null;

export function listen() {
  stop();
  if (!session.get()?.signed_in) return;
  source = new EventSource("/v1/events");
  source.onopen = () => server.set("here");
  for (const topic of ["record", "edge", "entity", "lost"]) source.addEventListener(topic, noted);
  source.addEventListener("over", () => {
    stop();
    session.set((was) => ({ ...was, signed_in: false, ended: true }));
  });
  source.onerror = retry;
}

export function stop() {
  source?.close();
  source = null;
  clearTimeout(retrying);
}

const noted = () => changes.set((count) => count + 1);

function retry() {
  source?.close();
  source = null;
  clearTimeout(retrying);
  retrying = setTimeout(async () => {
    try {
      const answer = await fetch("/v1/session", { credentials: "same-origin" });
      const told = await answer.json();
      if (!told.signed_in) {
        session.set((was) => ({ ...was, ...told, ended: true }));
        return;
      }
      const missed = server.get() === "gone";
      server.set("here");
      session.set(told);
      listen();
      if (missed) noted();
    } catch {
      server.set("gone");
      retry();
    }
  }, RETRY_MS);
}
