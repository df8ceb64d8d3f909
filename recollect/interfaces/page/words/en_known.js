// English, of the views People and things, Graph, Sessions and Knowledge.
export const EN_KNOWN = {
  "nav.people": "People and things",
  "nav.graph": "Graph",
  "nav.sessions": "Sessions",
  "nav.knowledge": "Knowledge",
};
