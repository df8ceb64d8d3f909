// A map of tiles: how large a tile is says how much there is of something, how deep its colour is how sure it is.
import { classes, html, useLayoutEffect, useRef, useState } from "../core/dom.js";

const HIGH = 340;
const NARROW = 560; // below so many pixels the map is taller than wide
const LABELLED = 46; // pixels of height from which on a tile has room for words
const LABELLED_WIDE = 92;

/**
 * Divide a rectangle by weights, the largest first, with tiles as near to squares as that allows (squarified).
 * @param {number[]} weights @returns {{x: number, y: number, w: number, h: number}[]}
 */
export function divided(weights, width, height) {
  const whole = weights.reduce((sum, each) => sum + each, 0) || 1;
  const areas = weights.map((each) => (each / whole) * width * height);
  const found = [];
  let room = { x: 0, y: 0, w: width, h: height };
  let row = [];
  const worst = (some) => {
    const sum = some.reduce((total, each) => total + each, 0);
    const side = Math.min(room.w, room.h) || 1;
    return Math.max(...some.map((each) => Math.max((side * side * each) / (sum * sum), (sum * sum) / (side * side * each || 1))));
  };
  const lay = () => {
    const sum = row.reduce((total, each) => total + each, 0);
    const upright = room.w >= room.h;
    const thick = sum / ((upright ? room.h : room.w) || 1);
    let at = upright ? room.y : room.x;
    for (const each of row) {
      const long = each / (thick || 1);
      found.push(upright ? { x: room.x, y: at, w: thick, h: long } : { x: at, y: room.y, w: long, h: thick });
      at += long;
    }
    room = upright ? { ...room, x: room.x + thick, w: room.w - thick } : { ...room, y: room.y + thick, h: room.h - thick };
    row = [];
  };
  for (const area of areas) {
    if (row.length && worst([...row, area]) > worst(row)) lay();
    row.push(area);
  }
  if (row.length) lay();
  return found;
}

/** @param {{tiles: {key: any, weight: number, share: number, title: string, note: string, href: string, told: string}[], label: string}} given */
export function Tiles({ tiles, label }) {
  const box = useRef(null);
  const [wide, setWide] = useState(900);
  useLayoutEffect(() => {
    const seen = () => setWide(box.current.clientWidth || 900);
    seen();
    const sized = new ResizeObserver(seen);
    sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  const high = wide < NARROW ? Math.min(560, Math.max(220, tiles.length * 56)) : HIGH;
  const places = divided(tiles.map((each) => each.weight), wide, high);
  return html`<ul ref=${box} class="tiles" aria-label=${label} style=${{ height: `${high}px` }}>
    ${tiles.map((each, index) => {
      const { x, y, w, h } = places[index];
      return html`<li key=${each.key} class="tile" style=${{ left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` }}>
        <a class=${classes("tile-body", `is-${Math.min(4, Math.floor(each.share * 5))}`)} href=${each.href} title=${each.told} aria-label=${each.told}>
          ${h >= LABELLED && w >= LABELLED_WIDE && html`<span class="tile-title" dir="auto">${each.title}</span><span class="tile-note">${each.note}</span>`}
        </a></li>`;
    })}
  </ul>`;
}
