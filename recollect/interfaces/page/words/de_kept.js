// Deutsch, zu den Ansichten Code, Agenten, Tresor und Protokoll, Einstellungen und Gespräch.
export const DE_KEPT = {
  "nav.chat": "Gespräch",
  "nav.code": "Code",
  "nav.agents": "Agenten",
  "nav.vault": "Tresor und Protokoll",
  "nav.settings": "Einstellungen",
};
