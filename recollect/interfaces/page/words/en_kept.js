// English, of the views Code, Agents, Vault and audit, Settings and Chat.
export const EN_KEPT = {
  "nav.chat": "Chat",
  "nav.code": "Code",
  "nav.agents": "Agents",
  "nav.vault": "Vault and audit",
  "nav.settings": "Settings",
};
