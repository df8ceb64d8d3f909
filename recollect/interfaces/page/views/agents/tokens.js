// Who may come in: tokens with their rights and scope, a new one that is shown once, an end to one.
import { html, useState } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { get, send } from "../../core/api.js";
import { ago, day } from "../../core/format.js";
import { toast } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Check, Chip, Dialog, Empty, Field, Panel, Select } from "../../parts/controls.js";
import { Asking } from "../../parts/card_dialogs.js";
import { plainly } from "../../parts/record.js";

const PATH = "/v1/tokens";
const RIGHTS = ["read", "write", "admin"];
const POLICIES = ["own+global", "own", "project", "owner"];
const SCOPE = ["user_id", "agent_id", "project", "squad", "channel"];
const LASTING = ["", "1d", "30d", "90d", "365d"];

/** Ask for it; what is refused is said, and thrown for a dialog to stay open. */
async function asked(request, told) {
  try {
    const answer = await request();
    if (told) toast(say(told), { tone: "good" });
    return answer;
  } catch (error) {
    toast(error.message, { tone: "bad" });
    throw error;
  }
}

export function Tokens() {
  const answer = useAnswer((signal) => get(PATH, { signal }), []);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState(null);
  return html`
    <${Panel} id="tokens" title=${say("tokens.all")} aside=${html`<${Button} small icon="key" tone="main" onClick=${() => setMaking(true)}>${say("tokens.make")}<//>`}>
      <${Answer} answer=${answer}>${({ tokens }) => (tokens.length ? html`<ul class="plain gaps">${tokens.map((each) => html`<${Token} key=${each.id} token=${each} again=${answer.again} />`)}</ul>`
        : html`<${Empty} icon="key" title=${say("tokens.none")}><p>${say("tokens.none_text")}</p><//>`)}<//>
    <//>
    ${making && html`<${Making} onClose=${() => setMaking(false)} onMade=${(each) => (setMade(each), answer.again())} />`}
    ${made && !making && html`<${Shown} token=${made} onClose=${() => setMade(null)} />`}`;
}

const overOf = (token) => (token.revoked_at ? "revoked" : token.expired ? "expired" : null);

function Token({ token, again }) {
  const [ending, setEnding] = useState(false);
  const over = overOf(token);
  const whole = token.policy === "owner";
  return html`<li class="gap token">
    <p><b dir="auto">${plainly(token.name)}</b> ${token.rights.map((right) => html`<${Chip} key=${right} tone=${right === "admin" ? "warn" : ""}>${word("right", right)}<//> `)}
      ${over && html`<${Chip} tone="bad">${say(`tokens.${over}`)}<//>`}</p>
    <p class="facts"><span>${word("policy", token.policy)}</span>${Object.entries(token.scope).map(([name, value]) => html`<span key=${name}>${word("field", name)}: <b dir="auto">${plainly(value)}</b></span>`)}
      ${!whole && addedOf(token.may_add).map((told) => html`<span key=${told}>${say("tokens.may_add", { what: told })}</span>`)}</p>
    <p class="hint">${[say("tokens.made", { when: day(token.made_at) }), token.used_at ? say("tokens.used", { when: ago(token.used_at) }) : say("tokens.unused"), token.expires_at && !over ? say("tokens.until", { when: day(token.expires_at) }) : ""].filter(Boolean).join(" · ")}</p>
    ${!over && html`<div class="wait-offers"><${Button} small icon="close" onClick=${() => setEnding(true)} label=${say("tokens.end_named", { name: plainly(token.name) })}>${say("tokens.end")}<//></div>`}
    ${ending && html`<${Asking} title=${say("tokens.end_named", { name: plainly(token.name) })} action=${say("tokens.end")} tone="bad" onClose=${() => setEnding(false)}
      onSend=${() => asked(() => send("DELETE", `${PATH}/${encodeURIComponent(token.name)}`), "done.revoked").then(again)}><p>${say("tokens.end_means")}</p><//>`}
  </li>`;
}

/** What its calls may name beside its own scope. */
function addedOf(added) {
  if (!added) return [];
  if (added === "*") return ["*"];
  return Object.entries(added).map(([name, values]) => `${word("field", name)}${Array.isArray(values) ? `: ${values.map(plainly).join(", ")}` : ""}`);
}

function Making({ onClose, onMade }) {
  const [given, setGiven] = useState({ name: "", policy: POLICIES[0], expires: "30d", rights: ["read"], scope: {} });
  const set = (changed) => setGiven((was) => ({ ...was, ...changed }));
  const toggled = (right, on) => set({ rights: on ? [...given.rights, right] : given.rights.filter((each) => each !== right) });
  const owner = given.policy === "owner";
  const make = () => {
    const scope = owner ? {} : Object.fromEntries(Object.entries(given.scope).map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    const body = { rights: given.rights, policy: given.policy, ...scope, ...(given.name.trim() && { name: given.name.trim() }), ...(given.expires && { expires: given.expires }) };
    return asked(() => send("POST", PATH, body)).then(onMade);
  };
  return html`<${Asking} title=${say("tokens.make")} action=${say("tokens.make")} ready=${owner || given.rights.length > 0} onSend=${make} onClose=${onClose}>
    <${Field} id="token-name" label=${say("tokens.name")} hint=${say("tokens.name_hint")}><input id="token-name" type="text" dir="auto" autocomplete="off" aria-describedby="token-name-hint" value=${given.name} onInput=${(event) => set({ name: event.target.value })} /><//>
    <div class="form-row">
      <${Select} id="token-policy" label=${say("tokens.policy")} value=${given.policy} options=${POLICIES.map((name) => [name, word("policy", name)])} onChange=${(policy) => set({ policy })} />
      <${Select} id="token-expires" label=${say("tokens.expires")} value=${given.expires} options=${LASTING.map((each) => [each, each ? say("pages.days", { count: Number(each.slice(0, -1)) }) : say("tokens.never")])} onChange=${(expires) => set({ expires })} />
    </div>
    ${owner
      ? html`<p class="hint">${say("tokens.owner_means")}</p>`
      : html`<fieldset class="rights"><legend class="field-label">${say("tokens.rights")}</legend>${RIGHTS.map((right) => html`<${Check} key=${right} id=${`right-${right}`} label=${word("right", right)} checked=${given.rights.includes(right)} onChange=${(on) => toggled(right, on)} />`)}</fieldset>
        <fieldset class="filters"><legend class="field-label">${say("tokens.scope")}</legend>${SCOPE.map((name) => html`<${Field} key=${name} id=${`token-${name}`} label=${word("field", name)}><input id=${`token-${name}`} type="text" dir="auto" autocomplete="off" value=${given.scope[name] ?? ""} onInput=${(event) => set({ scope: { ...given.scope, [name]: event.target.value } })} /><//>`)}</fieldset>
        <p class="hint">${say("tokens.scope_means")}</p>`}
  <//>`;
}

/** The text of a new token: here once, and nowhere else from then on. */
function Shown({ token, onClose }) {
  const copy = () => navigator.clipboard.writeText(token.token).then(() => toast(say("done.copied"), { tone: "good" }), () => undefined);
  return html`<${Dialog} title=${say("tokens.shown", { name: plainly(token.name) })} onClose=${onClose}>
    <p>${say("tokens.shown_once")}</p>
    <pre class="example token-text" tabindex="0"><code>${token.token}</code></pre>
    <div class="form-end"><${Button} icon="copy" onClick=${copy}>${say("tokens.copy")}<//><${Button} tone="main" onClick=${onClose}>${say("tokens.kept")}<//></div>
  <//>`;
}
