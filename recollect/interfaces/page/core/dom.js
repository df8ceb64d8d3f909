// What a component is made of. Text is always a child, never markup: nothing here sets HTML.
import { Component, h, render } from "../vendor/preact.mjs";
import htm from "../vendor/htm.mjs";

export { Component, render };
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/hooks.mjs";
export const html = htm.bind(h);

/** Names of classes, those that apply. */
export const classes = (...names) => names.filter(Boolean).join(" ");
