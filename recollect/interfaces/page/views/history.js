// Everything that was done to the store, newest first; anything can be taken back.
import { classes, html, useCallback, useEffect, useState } from "../core/dom.js";
import { verb } from "../core/api.js";
import { whenChanged } from "../core/ask.js";
import * as actions from "../core/actions.js";
import { ago, moment } from "../core/format.js";
import { may } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Busy, Button, Chip, Empty, Head, Problem } from "../parts/controls.js";
import { whose } from "../parts/record.js";

const PAGE = 50;

export function View() {
  const [state, setState] = useState({ rows: null, more: false, error: null });
  const load = useCallback((before) => {
    verb("operations", { limit: PAGE, before })
      .then(({ results }) => setState((was) => ({ rows: before ? [...was.rows, ...results] : results, more: results.length === PAGE, error: null })))
      .catch((error) => setState((was) => ({ ...was, error })));
  }, []);
  useEffect(() => {
    load();
    return whenChanged(() => load());
  }, []);
  return html`
    <${Head} title=${say("nav.history")} lead=${say("history.lead")} />
    <${Problem} error=${state.error} again=${() => load()} />
    ${state.rows === null ? html`<${Busy} />` : null}
    ${state.rows?.length === 0 && html`<${Empty} icon="history" title=${say("history.none")} />`}
    <ol class="operations">${(state.rows ?? []).map((operation) => html`<${Row} key=${operation.id} operation=${operation} />`)}</ol>
    ${state.more && html`<p class="more"><${Button} onClick=${() => load(state.rows.at(-1).id)}>${say("history.more")}<//></p>`}`;
}

function Row({ operation }) {
  return html`<li class=${classes("operation", operation.undone && "is-undone")}>
    <span class="operation-verb">${word("verb", operation.verb)}</span>
    <span class="operation-text">
      ${say("history.count", { count: operation.count })}
      ${whose(operation).map((name) => html`<span key=${name} class="hint" dir="auto">${name}</span>`)}
      ${operation.actor && html`<${Chip}><span dir="auto">${operation.actor}</span><//>`}
      ${operation.reason && html`<span class="hint" dir="auto">${operation.reason}</span>`}
    </span>
    <time datetime=${operation.at} title=${moment(operation.at)}>${ago(operation.at)}</time>
    ${operation.undone
      ? html`<${Chip}>${say("history.undone")}<//>`
      : may("write") && html`<${Button} small icon="undo" label=${say("history.undo", { verb: word("verb", operation.verb), when: moment(operation.at) })}
          onClick=${() => actions.undo(operation.id).catch(() => undefined)}>${say("action.undo")}<//>`}
  </li>`;
}

