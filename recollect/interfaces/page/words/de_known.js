// Deutsch, zu den Ansichten Personen und Dinge, Graph, Sitzungen und Wissen.
export const DE_KNOWN = {
  "nav.people": "Personen und Dinge",
  "nav.graph": "Graph",
  "nav.sessions": "Sitzungen",
  "nav.knowledge": "Wissen",
};
