// How the store is set up: every setting, the models, the clients that use it, and files in and out.
import { html } from "../core/dom.js";
import { say } from "../core/words.js";
import { Head } from "../parts/controls.js";
import { Tabs } from "../parts/tabs.js";
import { Clients } from "./settings/clients.js";
import { Models } from "./settings/models.js";
import { Transfer } from "./settings/transfer.js";
import { Values } from "./settings/values.js";

const TABS = { values: Values, models: Models, clients: Clients, transfer: Transfer };

export function View({ parts, query }) {
  const at = Object.hasOwn(TABS, parts[0] ?? "") ? parts[0] : "values";
  return html`
    <${Head} title=${say("nav.settings")} lead=${say(`settings.${at}_lead`)} />
    <${Tabs} view="settings" names=${Object.keys(TABS)} at=${at} />
    <${TABS[at]} key=${at} query=${query} />`;
}
