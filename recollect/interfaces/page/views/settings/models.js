// The models in use, whether each can be had, what they are for; and how far the vectors are.
import { html, useEffect, useState } from "../../core/dom.js";
import { useAnswer } from "../../core/ask.js";
import { get, verb } from "../../core/api.js";
import { number } from "../../core/format.js";
import { to } from "../../core/router.js";
import { toast } from "../../core/state.js";
import { say, word } from "../../core/words.js";
import { Answer, Button, Chip, Panel, Problem } from "../../parts/controls.js";
import { Progress } from "../../parts/progress.js";

const LOOK_MS = 2000;
const TONES = { ready: "good", none: "" };

export function Models() {
  const answer = useAnswer((signal) => get("/v1/models", { signal }), []);
  return html`<${Answer} answer=${answer} lines=${8}>${(told) => html`<div class="settings-parts">
    ${told.models.map((model) => html`<${Role} key=${model.role} model=${model} />`)}
    <${Vectors} />
    <${Providers} providers=${told.providers} />
  </div>`}<//>`;
}

function Role({ model }) {
  return html`<${Panel} id=${`model-${model.role}`} title=${say(`settings.role_${model.role}`)} aside=${html`<${Chip} tone=${TONES[model.state] ?? "warn"}>${word("model_state", model.state)}<//>`}>
    <p class="model-name" dir="auto">${model.name ?? say("settings.no_model")}</p>
    <p class="hint">${[model.name && model.detail, model.address, model.latency_ms !== null && say("settings.latency", { ms: number(model.latency_ms) })].filter(Boolean).join(" · ")}</p>
    ${model.cure && html`<p class="reasons is-warn">${model.cure}</p>`}
    <h3 class="model-for">${say("settings.used_for")}</h3>
    <ul class="plain uses">${model.used_for.map((use) => html`<li key=${use.what} class=${use.on ? "" : "is-off"}>
      <span><span lang="en">${use.what}</span> <span class="hint">${use.verbs.join(", ")}</span></span>
      <span class="use-state">${use.setting && html`<a href=${to("settings", "values", { q: use.setting })}><code>${use.setting}</code></a>`}${(model.name || !use.on) && html`<${Chip} tone=${use.on ? "good" : ""}>${say(use.on ? "settings.on" : "settings.off")}<//>`}</span></li>`)}</ul>
    <p class="panel-end"><a class="button is-small" href=${to("settings", "values", { q: model.setting })}>${say("settings.change_of", { key: model.setting })}</a></p>
  <//>`;
}

/** Each vector space as a share of the records; making them anew runs in the background and both are searched meanwhile. */
function Vectors() {
  const answer = useAnswer(async (signal) => ({ ...(await verb("stats", {}, { signal })), pending: (await verb("health", {}, { signal })).pending_embeddings }), []);
  const [error, setError] = useState(null);
  const waiting = answer.data?.pending > 0;
  useEffect(() => {
    if (!waiting) return undefined;
    const looking = setInterval(answer.again, LOOK_MS);
    return () => clearInterval(looking);
  }, [waiting]);
  const reembed = async () => {
    setError(null);
    try {
      await verb("reembed");
      toast(say("settings.reembedding"), { tone: "good" });
      answer.again();
    } catch (refused) {
      setError(refused);
    }
  };
  return html`<${Panel} id="vectors" title=${say("settings.vectors")} aside=${answer.data && html`<span class="hint">${say("settings.pending", { count: answer.data.pending })}</span>`}>
    <${Answer} answer=${answer} lines=${2}>${({ spaces, records }) => html`
      ${spaces.map((space) => html`<${Progress} key=${space.name} label=${`${space.name} (${space.dimensions})`} share=${records ? Math.min(1, space.vectors / records) : 1}
        told=${say("settings.of_records", { vectors: space.vectors, records })} />`)}
      ${!spaces.length && html`<p class="hint">${say("settings.no_vectors")}</p>`}`}<//>
    <p class="hint">${say("settings.reembed_means")}</p>
    <${Problem} error=${error} />
    <p class="panel-end"><${Button} small icon="refresh" onClick=${reembed}>${say("settings.reembed")}<//></p>
  <//>`;
}

function Providers({ providers }) {
  return html`<${Panel} id="providers" title=${say("settings.providers")}>
    <div class="scroll-x" tabindex="0"><table class="table">
      <thead><tr>${["provider", "role", "state"].map((name) => html`<th key=${name} scope="col">${say(`settings.column_${name}`)}</th>`)}</tr></thead>
      <tbody>${providers.map((each) => html`<tr key=${`${each.role} ${each.provider}`}>
        <th scope="row">${each.provider}${each.in_use && html` <${Chip} tone="good">${say("settings.in_use")}<//>`}</th>
        <td>${say(`settings.role_${each.role}`)}</td>
        <td>${each.installed ? [each.dimensions && say("settings.dimensions", { count: each.dimensions }), each.size_mb && `${number(each.size_mb)} MB`].filter(Boolean).join(", ") || say("settings.there") : html`<code>${each.install}</code>`}</td></tr>`)}</tbody>
    </table></div>
  <//>`;
}
