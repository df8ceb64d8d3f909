// Icons drawn here, one path each on a grid of 24: nothing is fetched, and they take the colour of the text beside them.
import { html } from "../core/dom.js";

const PATHS = {
  today: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  memories: "M4 6h16M4 12h16M4 18h10",
  ask: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l4.500 4.500",
  chat: "M4 5h16v11H9l-5 4z",
  people: "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 20c0-3.500 2.500-6 6-6s6 2.500 6 6M16 4.500a3.500 3.500 0 0 1 0 6.500M17.500 14.500c2.200.7 3.500 2.700 3.500 5.500",
  graph: "M6 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM18 11a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM8.400 6.200l7.200 1.700M6.600 8l2 8M16.700 10.700l-6 6.300",
  sessions: "M4 5h12v8H8l-4 3zM20 9v11l-4-3H9",
  knowledge: "M4 5c3-1.500 6-1 8 1 2-2 5-2.500 8-1v14c-3-1.500-6-1-8 1-2-2-5-2.500-8-1zM12 6v14",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16",
  history: "M4 12a8 8 0 1 0 2.500-5.800M4 4v5h5M12 8v4.500l3 2",
  agents: "M7 9h10v9H7zM12 9V5M10 4h4M4 12v3M20 12v3M10 13h.01M14 13h.01",
  vault: "M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM9.500 12l2 2 3.500-4",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  check: "M5 12.500l4.500 4.500L19 7.500",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  flag: "M6 21V4h12l-3 4.500 3 4.500H6",
  forget: "M5 7h14M10 11v6M14 11v6M7 7l1 13h8l1-13M9 7V4h6v3",
  correct: "M4 8h11a5 5 0 0 1 0 10H9M4 8l4-4M4 8l4 4",
  undo: "M4 9h10a6 6 0 0 1 0 12h-3M4 9l5-5M4 9l5 5",
  close: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  plus: "M12 5v14M5 12h14",
  filter: "M4 6h16M7 12h10M10 18h4",
  link: "M10 14a4 4 0 0 0 5.600 0l3-3a4 4 0 0 0-5.600-5.600l-1 1M14 10a4 4 0 0 0-5.600 0l-3 3a4 4 0 0 0 5.600 5.600l1-1",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19",
  dark: "M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500z",
  auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  out: "M14 4H5v16h9M11 12h9M16.500 8.500L20 12l-3.500 3.500",
  keep: "M6 4h12v17l-6-4-6 4z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  refresh: "M20 11a8 8 0 0 0-14.500-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14.500 4l1.500-2M20 20v-5h-5",
  star: "M12 4l2.400 5 5.600.7-4.100 3.800 1.100 5.500-5-2.800-5 2.800 1.100-5.500L4 9.700 9.600 9z",
  key: "M8 14a4 4 0 1 1 3.500-2H21v4M17 12v3M8 14a4 4 0 1 1 0-8",
  upload: "M12 16V4M7 9l5-5 5 5M4 20h16",
  download: "M12 4v12M7 11l5 5 5-5M4 20h16",
  merge: "M6 4v4c0 4 6 4 6 8v4M18 4v4c0 4-6 4-6 8",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.500l3 2",
};

/** @param {{name: string, label?: string}} given Without a label it is decoration. */
export function Icon({ name, label }) {
  return html`<svg class="icon" viewBox="0 0 24 24" role=${label ? "img" : undefined} aria-label=${label} aria-hidden=${label ? undefined : "true"}>
    <path d=${PATHS[name] || PATHS.more} />
  </svg>`;
}
