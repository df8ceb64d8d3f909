// The page: who is here, where they are, and the frame around every view.
import { html, render, useEffect, useState } from "./core/dom.js";
import { get } from "./core/api.js";
import { listen, stop } from "./core/live.js";
import { place, usePlace } from "./core/router.js";
import { server, session, setTheme, theme, useStore } from "./core/state.js";
import { begin, say, useLanguage } from "./core/words.js";
import { Busy, Problem } from "./parts/controls.js";
import { Frame } from "./frame.js";
import { Login } from "./views/login.js";
import { VIEWS, offered } from "./views/index.js";

const HELD = new Map(); // the modules of views that were opened once

function useView(name) {
  const [view, setView] = useState(HELD.get(name) ?? null);
  const [error, setError] = useState(null);
  useEffect(() => {
    let current = true;
    setError(null);
    setView(() => HELD.get(name) ?? null);
    VIEWS[name].load().then(
      (module) => {
        HELD.set(name, module.View);
        if (current) setView(() => module.View);
      },
      (failed) => current && setError(failed),
    );
    return () => {
      current = false;
    };
  }, [name]);
  return { View: HELD.get(name) ?? view, error };
}

function Shown() {
  const at = usePlace();
  const name = offered().includes(at.view) ? at.view : "today";
  const { View, error } = useView(name);
  useEffect(() => {
    document.title = `${say(`nav.${name}`)} · Recollect`;
  });
  useEffect(() => {
    if (!View) return;
    const main = document.querySelector("main");
    if (Shown.moved && !main.contains(document.activeElement)) main.querySelector("h1")?.focus({ preventScroll: true });
    Shown.moved = true; // on the first view the keys begin at the top of the page
    main.scrollTo(0, 0);
  }, [name, View]);
  if (error) return html`<${Problem} error=${error} again=${() => location.reload()} />`;
  return View ? html`<${View} key=${name} parts=${at.parts} query=${at.query} />` : html`<${Busy} lines=${6} />`;
}

function App() {
  useLanguage();
  const who = useStore(session);
  useEffect(() => (who?.signed_in ? (listen(), stop) : undefined), [who?.signed_in, who?.name]);
  if (who === null) return html`<div class="boot">${server.get() === "gone" ? say("server.gone") : ""}</div>`;
  if (!who.signed_in) return html`<${Login} />`;
  return html`<${Frame}><${Shown} /><//>`;
}

async function whoIsHere() {
  try {
    session.set(await get("/v1/session"));
  } catch {
    setTimeout(whoIsHere, 1500);
  }
}

async function main() {
  setTheme(theme.get());
  const asked = whoIsHere();
  await begin();
  await asked;
  place.set(place.get());
  const root = document.getElementById("app");
  root.replaceChildren();
  render(html`<${App} />`, root);
}

main();
