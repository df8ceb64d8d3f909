// Answers of the API inside a component: loading, refused, there; asked again when something changes.
import { useCallback, useEffect, useRef, useState } from "./dom.js";
import { refine } from "./router.js";
import { changes, isOwner, server } from "./state.js";

/**
 * Ask when `deps` change. While a new answer is on its way the one before stays, so nothing flickers.
 * @param {(signal: AbortSignal) => Promise<any>} question
 */
export function useAnswer(question, deps, { live = false } = {}) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  const [turn, setTurn] = useState(0);
  const asked = useRef(question);
  asked.current = question;
  useEffect(() => {
    const ending = new AbortController();
    setState((was) => ({ ...was, loading: true }));
    Promise.resolve()
      .then(() => asked.current(ending.signal))
      .then((data) => !ending.signal.aborted && setState({ data, error: null, loading: false }))
      .catch((error) => {
        if (!ending.signal.aborted) setState((was) => ({ data: was.data, error, loading: false }));
      });
    return () => ending.abort();
  }, [...deps, turn]);
  const again = useCallback(() => setTurn((was) => was + 1), []);
  useEffect(() => (live ? whenChanged(again) : undefined), [live]);
  useEffect(() => whenBack(again), []);
  return { ...state, again };
}

const SETTLE_MS = 400;

/** Call back after changes in the store, once for a burst of them. */
export function whenChanged(callback) {
  let waiting = null;
  const stop = changes.watch(() => {
    clearTimeout(waiting);
    waiting = setTimeout(callback, SETTLE_MS);
  });
  return () => {
    clearTimeout(waiting);
    stop();
  };
}

function whenBack(callback) {
  let was = server.get();
  return server.watch((now) => {
    if (was === "gone" && now === "here") setTimeout(callback, 0);
    was = now;
  });
}

/** The owner looks at the whole store; a token at what it holds. */
export const everywhere = () => (isOwner() ? { reach: "all" } : {});

/** A value that changes once its source has rested. */
export function useRested(value, ms = 220) {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const waiting = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(waiting);
  }, [value, ms]);
  return rested;
}

/** A box for words that stand in the address, whichever of the two changes: what is typed, and what is asked once it rests. */
export function useWords(inAddress = "", ms = 220) {
  const [typed, setTyped] = useState(inAddress);
  const words = useRested(typed.trim(), ms);
  useEffect(() => {
    if (inAddress !== words) refine({ q: words });
  }, [words]);
  useEffect(() => {
    if (inAddress !== words) setTyped(inAddress);
  }, [inAddress]);
  return [typed, setTyped, words];
}
