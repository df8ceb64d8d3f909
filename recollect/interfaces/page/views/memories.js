// Every memory, narrowed by anything the engine knows of it; beside the list the card of the one that is open.
import { classes, html, useCallback, useEffect, useMemo, useRef, useState } from "../core/dom.js";
import { everywhere, useAnswer, useWords, whenChanged } from "../core/ask.js";
import { verb } from "../core/api.js";
import * as actions from "../core/actions.js";
import { go, refine, to } from "../core/router.js";
import { may, remember, remembered } from "../core/state.js";
import { say, word } from "../core/words.js";
import { Button, Dialog, Empty, Field, Head, Problem } from "../parts/controls.js";
import { Bulk } from "../parts/bulk.js";
import { Card } from "../parts/card.js";
import { Filters, argumentsOf, conditionsOf } from "../parts/filters.js";
import { List } from "../parts/list.js";
import { RecordRow, beginning, textOf } from "../parts/record.js";

const PAGE = 100;
const ROW = 88;

/** Pages of a list, asked for as one scrolls; asked anew when the conditions or the store change. */
function usePages(given) {
  const key = JSON.stringify(given);
  const [state, setState] = useState({ items: [], cursor: null, loading: true, error: null });
  const running = useRef(null);
  const load = useCallback(
    (cursor, keep) => {
      running.current?.abort();
      const ending = (running.current = new AbortController());
      setState((was) => ({ ...was, loading: true, error: null }));
      verb("get_all", { ...JSON.parse(key), limit: PAGE, cursor }, { signal: ending.signal })
        .then((page) => setState((was) => ({ items: keep ? [...was.items, ...page.results] : page.results, cursor: page.cursor, loading: false, error: null })))
        .catch((error) => error.name !== "AbortError" && setState((was) => ({ ...was, loading: false, error })));
    },
    [key],
  );
  useEffect(() => {
    load(null, false);
    const stop = whenChanged(() => load(null, false));
    return () => {
      stop();
      running.current?.abort();
    };
  }, [load]);
  const more = () => state.cursor && !state.loading && load(state.cursor, true);
  return { ...state, more, again: () => load(null, false) };
}

export function View({ parts, query }) {
  const open = parts[0] ?? null;
  const [typed, setTyped, words] = useWords(query.q);
  const [filtering, setFiltering] = useState(false);
  const [chosen, setChosen] = useState(null); // the records that are chosen, by id; null while none are to be
  const conditions = conditionsOf({ ...query, q: words });
  const given = useMemo(() => ({ ...everywhere(), ...argumentsOf(conditions) }), [JSON.stringify(conditions)]);
  const pages = usePages(given);
  const counts = useAnswer((signal) => verb("counts", { ...given, limit: 30 }, { signal }), [JSON.stringify(given)], { live: true });
  const show = (record) => go("memories", record.id, query);
  const close = () => go("memories", query);
  const narrowed = Object.keys(conditions).length;
  return html`<div class=${classes("memories", open && "has-card")}>
    <div class="memories-list">
      <${Head} title=${say("nav.memories")} lead=${counts.data ? say("memories.count", { count: counts.data.records }) : ""}>
        ${may("write") && html`<${Adding} />`}
      <//>
      <div class="bar">
        <${Field} id="memories-words" label=${say("memories.words")} hidden>
          <input id="memories-words" type="search" dir="auto" placeholder=${say("memories.words")} value=${typed} onInput=${(event) => setTyped(event.target.value)} />
        <//>
        <${Button} icon="filter" aria-expanded=${filtering ? "true" : "false"} aria-controls="filters" onClick=${() => setFiltering(!filtering)}>
          ${say("memories.filter")}${narrowed ? ` · ${narrowed}` : ""}<//>
        ${may("write") && !chosen && html`<${Button} icon="check" onClick=${() => setChosen(new Map())}>${say("bulk.begin")}<//>`}
        <${SavedViews} query=${query} />
      </div>
      <${Chosen} conditions=${conditions} />
      ${chosen && html`<${Bulk} chosen=${chosen} shown=${pages.items} onChoose=${setChosen} onEnd=${() => setChosen(null)} />`}
      ${filtering && html`<${Filters} query=${query} counts=${counts.data} />`}
      ${pages.error && html`<${Problem} error=${pages.error} again=${pages.again} />`}
      ${!pages.loading && !pages.items.length && !pages.error
        ? html`<${Empty} icon="memories" title=${say(narrowed ? "memories.none_fit" : "memories.none")}>
            ${narrowed ? html`<a class="button" href=${to("memories")}>${say("memories.clear")}</a>` : html`<p>${say("memories.none_text")}</p>`}<//>`
        : html`<${List} items=${pages.items} height=${ROW} label=${say("nav.memories")} selected=${open ?? undefined} total=${counts.data?.records}
            onOpen=${show} onMore=${pages.more}
            row=${(record, state) => html`${chosen && html`<${Pick} record=${record} chosen=${chosen} onChoose=${setChosen} />`}<${RecordRow} record=${{ ...record, index: state.index }} selected=${state.selected} tabindex=${state.tabindex} open=${state.open} />`} />`}
    </div>
    ${open && html`<aside class="memories-card" aria-label=${say("card.title")}><${Card} key=${open} id=${open} onClose=${close} onOpen=${show} /></aside>`}
  </div>`;
}

function Pick({ record, chosen, onChoose }) {
  const put = (on) => {
    const next = new Map(chosen);
    if (on) next.set(record.id, record);
    else next.delete(record.id);
    onChoose(next);
  };
  return html`<label class="row-pick"><input type="checkbox" checked=${chosen.has(record.id)} onChange=${(event) => put(event.target.checked)} /><span class="unseen">${say("bulk.pick", { text: beginning(textOf(record), 60) })}</span></label>`;
}

/** The conditions that hold, each with a cross to drop it. */
function Chosen({ conditions }) {
  const rows = Object.entries(conditions).filter(([name]) => name !== "q");
  if (!rows.length) return null;
  return html`<ul class="chosen" aria-label=${say("memories.chosen")}>${rows.map(([name, value]) => html`<li key=${name}>
    <button type="button" class="chip is-choice" onClick=${() => refine({ [name]: "" })}>
      <span>${word("field", name)}: <b dir="auto">${word(name, value)}</b></span><span aria-hidden="true">×</span><span class="unseen">${say("memories.drop")}</span>
    </button></li>`)}</ul>`;
}

function Adding() {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [user, setUser] = useState("");
  const keep = async (event) => {
    event.preventDefault();
    try {
      await actions.remember(text, user.trim() ? { user_id: user.trim() } : {});
      setOpen(false);
      setText("");
    } catch {
      // said in a note; the text stays
    }
  };
  return html`<${Button} icon="plus" tone="main" onClick=${() => setOpen(true)}>${say("action.remember")}<//>
    ${open && html`<${Dialog} title=${say("memories.add")} onClose=${() => setOpen(false)}><form class="form" onSubmit=${keep}>
      <${Field} id="add-text" label=${say("field.content")}><textarea id="add-text" rows="4" dir="auto" value=${text} onInput=${(event) => setText(event.target.value)} /><//>
      <${Field} id="add-user" label=${say("field.user_id")} hint=${say("memories.add_user")}><input id="add-user" type="text" dir="auto" aria-describedby="add-user-hint" value=${user} onInput=${(event) => setUser(event.target.value)} /><//>
      <div class="form-end"><${Button} quiet onClick=${() => setOpen(false)}>${say("action.cancel")}<//><${Button} type="submit" tone="main" disabled=${!text.trim()}>${say("action.remember")}<//></div>
    </form><//>`}`;
}

/** Conditions under a name, kept in this browser. */
function SavedViews({ query }) {
  const [views, setViews] = useState(remembered("views", {}));
  const keep = (next) => {
    setViews(next);
    remember("views", next);
  };
  const names = Object.keys(views);
  const here = names.find((name) => JSON.stringify(views[name]) === JSON.stringify(query));
  const some = Object.values(query).some(Boolean);
  return html`<div class="saved">
    ${names.length > 0 && html`<label class="unseen" for="saved-views">${say("memories.views")}</label>
      <select id="saved-views" value=${here ?? ""} onChange=${(event) => event.target.value && go("memories", views[event.target.value])}>
        <option value="">${say("memories.views")}</option>${names.map((name) => html`<option key=${name} value=${name} selected=${name === here}>${name}</option>`)}
      </select>`}
    ${some && !here && html`<${Button} small quiet icon="star" onClick=${() => keep({ ...views, [titleOf(query)]: query })}>${say("memories.save_view")}<//>`}
    ${here && html`<${Button} small quiet icon="close" label=${say("memories.drop_view")} onClick=${() => {
      const { [here]: _, ...rest } = views;
      keep(rest);
    }} />`}
  </div>`;
}

const titleOf = (query) =>
  Object.entries(query)
    .filter(([, value]) => value)
    .map(([name, value]) => word(name, value))
    .join(" · ");

