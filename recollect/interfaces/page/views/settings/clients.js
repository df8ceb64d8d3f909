// Programs on the server's machine that can use this memory: connected and taken out as `recollect init` does.
import { html, useState } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { get, send } from "../../core/api.js";
import { toast } from "../../core/state.js";
import { say } from "../../core/words.js";
import { Answer, Button, Check, Chip, Dialog, Panel, Problem } from "../../parts/controls.js";

export function Clients() {
  const answer = useAnswer((signal) => get("/v1/clients", { signal }), []);
  const [open, setOpen] = useState(null);
  return html`<div class="settings-parts">
    <${Answer} answer=${answer} lines=${5}>${(told) => html`
      ${told.here
        ? html`<${Panel} id="clients" title=${say("settings.clients_here")}><ul class="plain clients">${told.clients.map((client) => html`<${Client} key=${client.client} client=${client} onOpen=${setOpen} />`)}</ul><//>`
        : html`<${Panel} id="clients" title=${say("settings.clients_here")}><p>${say("settings.not_here")} <code>recollect init</code></p><//>`}`}<//>
    <${Others} />
    ${open && html`<${Connecting} client=${open.client} remove=${open.remove} onClose=${() => setOpen(null)} onDone=${() => (setOpen(null), answer.again())} />`}
  </div>`;
}

function Client({ client, onOpen }) {
  const state = client.connected ? ["good", "settings.connected"] : client.there ? ["", "settings.client_there"] : ["", "settings.client_not_there"];
  return html`<li class="client">
    <div><p class="client-name"><b>${client.title}</b> <${Chip} tone=${state[0]}>${say(state[1])}<//></p>
      <p class="hint"><code>${client.path}</code></p>
      ${client.problem && html`<p class="hint">${client.problem}</p>`}</div>
    <div class="client-tools">
      ${!client.connected && html`<${Button} small icon="link" tone=${client.there ? "main" : undefined} aria-label=${say("settings.connect_of", { client: client.title })} onClick=${() => onOpen({ client, remove: false })}>${say("settings.connect")}<//>`}
      ${(client.connected || client.started) && html`<${Button} small aria-label=${say("settings.disconnect_of", { client: client.title })} onClick=${() => onOpen({ client, remove: true })}>${say("settings.disconnect")}<//>`}
    </div>
  </li>`;
}

/** What would change is shown first; nothing is written before somebody has seen it. */
function Connecting({ client, remove, onClose, onDone }) {
  const [rules, setRules] = useState(false);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const ask = (write, signal) => send("POST", `/v1/clients/${client.client}`, { remove, rules, write }, { signal });
  const would = useAnswer((signal) => ask(false, signal), [rules]);
  const write = async () => {
    setBusy(true);
    try {
      const { clients } = await ask(true);
      toast([say(remove ? "settings.disconnected" : "settings.now_connected", { client: client.title }), remove ? null : clients[0].next].filter(Boolean).join(" "), { tone: "good", seconds: 12 });
      onDone();
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  return html`<${Dialog} wide title=${say(remove ? "settings.disconnect_of" : "settings.connect_of", { client: client.title })} onClose=${onClose}>
    <div class="form">
      <p class="hint">${say("settings.would_change")}</p>
      <${Answer} answer=${would} lines=${3}>${(told) => html`${told.clients.map((change) => html`<${Change} key=${change.path} change=${change} />`)}`}<//>
      ${!remove && html`<${Check} id="client-rules" label=${say("settings.rules")} checked=${rules} onChange=${setRules} />`}
      <${Problem} error=${error} />
      <div class="form-end"><${Button} quiet onClick=${onClose}>${say("action.cancel")}<//>
        <${Button} tone="main" disabled=${busy || !would.data?.clients.some((change) => change.diff.length)} onClick=${write}>${say("settings.write")}<//></div>
    </div>
  <//>`;
}

const Change = ({ change }) => html`<div><p><code>${change.path}</code></p>
  ${change.problem && html`<p class="reasons is-warn">${change.problem}</p>`}
  ${change.diff.length > 0 && html`<pre class="diff-lines" tabindex="0">${change.diff.map((line, index) => html`<span key=${index} class=${line.startsWith("+") ? "is-new" : line.startsWith("-") ? "is-gone" : ""}>${line}${"\n"}</span>`)}</pre>`}</div>`;

/** From another machine, or by hand. */
function Others() {
  const at = location.origin;
  const ways = [
    ["settings.by_claude", `claude mcp add --transport http recollect ${at}/mcp`],
    ["settings.by_mcp", `{"mcpServers": {"recollect": {"url": "${at}/mcp"}}}`],
    ["settings.by_shell", "recollect init"],
    ["settings.by_hooks", "recollect hooks install"],
  ];
  return html`<${Panel} id="by-hand" title=${say("settings.by_hand")}>
    <dl class="by-hand">${ways.map(([title, code]) => html`<div key=${title}><dt>${say(title)}</dt><dd><pre tabindex="0"><code>${code}</code></pre></dd></div>`)}</dl>
    <p class="hint">${say("settings.by_hand_token")} <code>recollect token create --name laptop --rights read,write</code></p>
  <//>`;
}
