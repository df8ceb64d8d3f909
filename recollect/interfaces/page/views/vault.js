// What protects the store, who did what in it, and what goes for good.
import { html } from "../core/dom.js";
import { say } from "../core/words.js";
import { Head } from "../parts/controls.js";
import { Tabs } from "../parts/tabs.js";
import { Audit } from "./vault/audit.js";
import { Erasure } from "./vault/erasure.js";
import { Protection } from "./vault/protection.js";
import { Retention } from "./vault/retention.js";

const TABS = { protection: Protection, audit: Audit, erasure: Erasure, retention: Retention };

export function View({ parts, query }) {
  const at = Object.hasOwn(TABS, parts[0] ?? "") ? parts[0] : "protection";
  return html`
    <${Head} title=${say("nav.vault")} lead=${say(`vault.${at}_lead`)} />
    <${Tabs} view="vault" names=${Object.keys(TABS)} at=${at} />
    <${TABS[at]} key=${at} query=${query} />`;
}
