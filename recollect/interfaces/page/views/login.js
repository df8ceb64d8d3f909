// Signing in with a token. The token goes into a cookie that no script can read.
import { html, useEffect, useRef, useState } from "../core/dom.js";
import { get, send } from "../core/api.js";
import { session } from "../core/state.js";
import { say } from "../core/words.js";
import { Button, Field, Problem } from "../parts/controls.js";

export function Login() {
  const [token, setToken] = useState("");
  const [error, setError] = useState(null);
  const box = useRef(null);
  const ended = session.get()?.ended;
  useEffect(() => box.current?.focus(), []);
  const enter = async (event) => {
    event.preventDefault();
    try {
      session.set(await send("POST", "/v1/session", { token: token.trim() }));
    } catch (refused) {
      setError(refused);
      box.current?.focus();
    }
  };
  const without = async () => {
    await send("DELETE", "/v1/session");
    const told = await get("/v1/session");
    session.set(told);
    if (!told.signed_in) setError(new Error(say("login.needed")));
  };
  return html`<main class="login">
    <form class="login-box" onSubmit=${enter}>
      <p class="brand"><span class="brand-mark" aria-hidden="true" /><span>Recollect</span></p>
      <h1>${say("login.title")}</h1>
      <p class="hint">${ended ? say("login.ended") : say("login.lead")}</p>
      <${Field} id="token" label=${say("login.token")}>
        <input id="token" ref=${box} type="password" autocomplete="off" spellcheck="false" value=${token} placeholder="rcl_…" onInput=${(event) => setToken(event.target.value)} />
      <//>
      <${Problem} error=${error} />
      <${Button} type="submit" tone="main" disabled=${!token.trim()}>${say("login.enter")}<//>
      <details><summary>${say("login.how")}</summary><pre><code>recollect token create --name browser --rights read,write</code></pre>
        <${Button} small quiet onClick=${without}>${say("login.without")}<//></details>
    </form>
  </main>`;
}
