// A list of any length of which only what is on screen is drawn. Rows are of one height; arrow keys, j and k move.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../core/dom.js";

const BEYOND = 6; // rows drawn above and below what is seen
const NEAR_END = 12; // rows before the end at which more is asked for

/**
 * @param {{items: any[], height: number, row: (item: any, state: object) => any, onOpen: (item: any) => void,
 *   onMore?: () => void, label: string, selected?: string, total?: number}} given
 */
export function List({ items, height, row, onOpen, onMore, label, selected, total }) {
  const box = useRef(null);
  const [view, setView] = useState({ top: 0, high: 800 });
  const [at, setAt] = useState(0);
  const now = useRef(0); // the same at once, for keys that come quicker than the list is drawn
  const wanted = useRef(false);
  useLayoutEffect(() => {
    const seen = () => setView({ top: box.current.scrollTop, high: box.current.clientHeight });
    seen();
    const sized = new ResizeObserver(seen);
    sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / height) - BEYOND);
  const last = Math.min(items.length, Math.ceil((view.top + view.high) / height) + BEYOND);
  useEffect(() => {
    if (last > items.length - NEAR_END) onMore?.();
  }, [last, items.length]);
  const focusRow = () => {
    const row = box.current.querySelector(`[data-index="${now.current}"]`);
    wanted.current = !row;
    (row ?? box.current).focus({ preventScroll: true }); // until the row is drawn the list keeps the keys
  };
  useEffect(() => {
    if (wanted.current) focusRow();
  }, [at, first, last]);
  const move = (index) => {
    const next = (now.current = Math.max(0, Math.min(items.length - 1, index)));
    const top = next * height;
    if (top < box.current.scrollTop) box.current.scrollTop = top;
    if (top + height > box.current.scrollTop + view.high) box.current.scrollTop = top + height - view.high;
    setAt(next);
    focusRow();
  };
  const pressed = (event) => {
    const page = Math.max(1, Math.floor(view.high / height) - 1);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) move(now.current + steps[event.key]);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(items.length - 1);
    else return;
    event.preventDefault();
  };
  const drawn = items.slice(first, last).map((item, offset) => {
    const index = first + offset;
    const state = { index, selected: selected !== undefined && item.id === selected, tabindex: index === at ? 0 : -1 };
    return html`<li key=${item.id ?? index} class="list-row" style=${{ top: `${index * height}px`, height: `${height}px` }}
      aria-setsize=${total ?? items.length} aria-posinset=${index + 1} onFocusIn=${() => setAt((now.current = index))}>${row(item, { ...state, open: () => onOpen(item) })}</li>`;
  });
  return html`<div class="list" ref=${box} tabindex="-1" onScroll=${() => setView({ top: box.current.scrollTop, high: box.current.clientHeight })} onKeyDown=${pressed}>
    <ul aria-label=${label} style=${{ height: `${items.length * height}px` }}>${drawn}</ul>
  </div>`;
}
