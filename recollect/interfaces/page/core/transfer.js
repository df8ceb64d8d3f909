// Files in and out of the API, with how far they are. `fetch` does not tell of an upload, so that is the older way.
import { ApiError, Unreachable } from "./api.js";
import { server, session } from "./state.js";

/** Send a file as it is. @param {{headers?: object, onProgress?: (share: number) => void}} more */
export function upload(path, file, { headers = {}, onProgress = () => undefined } = {}) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", path);
    const told = { accept: "application/json", "content-type": "application/octet-stream", ...proof(), ...headers };
    for (const [name, value] of Object.entries(told)) sending.setRequestHeader(name, value);
    sending.upload.addEventListener("progress", (event) => onProgress(event.total ? event.loaded / event.total : 1));
    sending.addEventListener("error", () => {
      server.set("gone");
      reject(new Unreachable("the server does not answer"));
    });
    sending.addEventListener("load", () => {
      const answer = read(sending.responseText);
      if (sending.status < 300) resolve(answer);
      else reject(refused(sending.status, answer));
    });
    sending.send(file);
  });
}

/** What the API sends as a file, whole. @param {{headers?: object, onProgress?: (share: number) => void}} more */
export async function download(path, { headers = {}, onProgress = () => undefined } = {}) {
  const answer = await fetch(path, { headers, credentials: "same-origin" }).catch(() => {
    server.set("gone");
    throw new Unreachable("the server does not answer");
  });
  if (!answer.ok) throw refused(answer.status, read(await answer.text()));
  const whole = Number(answer.headers.get("content-length"));
  const portions = [];
  const reader = answer.body.getReader();
  for (let got = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    portions.push(value);
    got += value.length;
    if (whole) onProgress(got / whole);
  }
  return new Blob(portions, { type: "application/octet-stream" });
}

/** Hand a file to the browser, which asks where to or puts it with the others. */
export function keepAs(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const proof = () => (session.get()?.csrf ? { "x-recollect-csrf": session.get().csrf } : {});

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { detail: text.slice(0, 200) };
  }
}

function refused(status, answer) {
  if (status === 401) session.set((was) => ({ ...(was || {}), signed_in: false, ended: Boolean(was?.signed_in) }));
  return new ApiError(status, answer);
}
