// What was said in a session, what is remembered of it, and what an agent would have been told at any turn.
import { html, useEffect, useState } from "../core/dom.js";
import { everywhere, useAnswer, whenChanged } from "../core/ask.js";
import { verb } from "../core/api.js";
import { moment } from "../core/format.js";
import { to } from "../core/router.js";
import { say } from "../core/words.js";
import { Answer, Busy, Button, Problem } from "./controls.js";
import { RecordRow, beginning, plainly, textOf } from "./record.js";

const SAID = { role: { exists: true } }; // who spoke is known of words, and of nothing else
const KEPT = { role: { exists: false } };
const PAGE = 60;
const KEPT_SHOWN = 100;
const TEXT_SHOWN = 1500;
const PROMPT_CHARS = 1500;
const REPLAY_TOKENS = 1600;

/** What is remembered of a session beside its words. */
export function Remembered({ id }) {
  const answer = useAnswer((signal) => verb("get_all", { session_id: id, filters: KEPT, limit: KEPT_SHOWN, ...everywhere() }, { signal }), [id], { live: true });
  return html`<section class="card-part"><h3>${say("sessions.remembered")}</h3>
    <${Answer} answer=${answer} lines=${3}>${(told) =>
      told.results.length
        ? html`<ul class="plain">${told.results.map((record) => html`<li key=${record.id}><${RecordRow} record=${record} /></li>`)}</ul>`
        : html`<p class="hint">${say("sessions.nothing_remembered")}</p>`}<//>
  </section>`;
}

/** The words themselves, in their order; earlier ones on demand. */
export function Said({ id }) {
  const [state, setState] = useState({ turns: null, cursor: null, error: null });
  const load = (cursor) =>
    verb("get_all", { session_id: id, filters: SAID, limit: PAGE, cursor, ...everywhere() })
      .then((told) => setState((was) => ({ turns: cursor ? [...told.results.reverse(), ...was.turns] : told.results.reverse(), cursor: told.cursor ?? null, error: null })))
      .catch((error) => setState((was) => ({ ...was, error })));
  useEffect(() => {
    load(null);
    return whenChanged(() => load(null));
  }, [id]);
  return html`<section class="card-part"><h3>${say("sessions.said")}</h3>
    <${Problem} error=${state.error} again=${() => load(null)} />
    ${state.turns === null && !state.error && html`<${Busy} lines=${4} />`}
    ${state.cursor && html`<p class="more"><${Button} small onClick=${() => load(state.cursor)}>${say("history.more")}<//></p>`}
    ${state.turns?.length === 0 && html`<p class="hint">${say("sessions.nothing_said")}</p>`}
    <ol class="talk">${(state.turns ?? []).map((turn) => html`<${Turn} key=${turn.id} turn=${turn} />`)}</ol>
  </section>`;
}

function Turn({ turn }) {
  const [replayed, setReplayed] = useState(false);
  const when = turn.event_time || turn.created_at;
  return html`<li class=${turn.role === "assistant" ? "turn is-answer" : "turn"}>
    <p class="turn-head"><b dir="auto">${plainly(turn.speaker || turn.role || turn.source || "")}</b><time class="hint" datetime=${when}>${moment(when)}</time></p>
    <p class="turn-text" dir="auto">${beginning(textOf(turn), TEXT_SHOWN)}</p>
    <p class="turn-tools"><a class="button is-small is-quiet" href=${to("memories", turn.id)}>${say("sessions.open")}</a>
      <${Button} small quiet icon="clock" aria-expanded=${replayed ? "true" : "false"} onClick=${() => setReplayed(!replayed)}>${say("sessions.replay")}<//></p>
    ${replayed && html`<${Replay} turn=${turn} />`}
  </li>`;
}

/** The window that these words would have brought, of what was known just before they were stored. */
function Replay({ turn }) {
  const then = new Date(Date.parse(turn.created_at) - 1).toISOString();
  const scope = Object.fromEntries(["user_id", "agent_id", "project", "squad", "channel"].filter((name) => turn[name]).map((name) => [name, turn[name]]));
  const answer = useAnswer(
    (signal) => verb("context", { prompt: textOf(turn).slice(0, PROMPT_CHARS), known_at: then, as_of: then, max_tokens: REPLAY_TOKENS, ...scope }, { signal }),
    [turn.id],
  );
  return html`<div class="replay">
    <${Answer} answer=${answer} lines=${2}>${(told) => html`<p class="hint">${say("sessions.replay_means", { when: moment(then) })} ${say("ask.tokens", { count: told.tokens, limit: told.limit })}</p>
      <pre class="window" tabindex="0" dir="auto">${plainly(told.text) || say("sessions.replay_empty")}</pre>`}<//>
  </div>`;
}
