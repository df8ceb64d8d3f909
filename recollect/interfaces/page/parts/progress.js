// How far something is; without a share it is under way and nobody knows how far.
import { html } from "../core/dom.js";
import { percent } from "../core/format.js";

/** @param {{label: string, share: number | null, told?: string}} given */
export function Progress({ label, share, told }) {
  const known = share !== null && share !== undefined;
  return html`<div class="progress">
    <p class="progress-line"><span dir="auto">${label}</span><span class="hint">${told ?? (known ? percent(share) : "")}</span></p>
    <progress max="1" value=${known ? share : undefined} aria-label=${label} />
  </div>`;
}
