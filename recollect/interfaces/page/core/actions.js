// What a person does to a memory. Every one of them is a verb, and every one can be taken back from its note.
import { verb } from "./api.js";
import { changes, toast } from "./state.js";
import { say } from "./words.js";

const done = () => changes.set((count) => count + 1);

/** Do it, say so, offer to undo it. What is refused is said, and thrown for the caller to stay where it is. */
export async function act(name, given, told) {
  try {
    const receipt = await verb(name, given);
    toast(say(told), { undo: receipt?.operation ?? null, tone: "good" });
    done();
    return receipt;
  } catch (error) {
    toast(error.message, { tone: "bad" });
    throw error;
  }
}

export const confirm = (id) => act("confirm", { id }, "done.confirmed");
export const approve = (id) => act("approve", { id }, "done.approved");
export const refuse = (id) => act("refuse", { id }, "done.refused");
export const flag = (id, reason) => act("flag", { id, reason }, "done.flagged");
export const forget = (id, reason) => act("delete", { id, reason }, "done.forgotten");
export const erase = (id) => act("delete", { id, hard: true }, "done.erased");
export const edit = (id, version, fields) => act("update", { id, ...fields }, "done.edited");
export const relate = (source, target, label) => act("relate", { source, target, label }, "done.related");
export const answer = (question, changed) => act("answer", { question, changed }, "done.answered");
export const dismiss = (question) => act("dismiss", { question }, "done.dismissed");
export const merge = (keep, other) => act("merge_entities", { keep, other }, "done.merged");
export const split = (name, aliases) => act("split_entity", { name, aliases }, "done.split");
export const conclude = (session) => act("sessions_end", { session_id: session }, "done.concluded");
export const remember = (content, given = {}) => act("add", { content, ...given }, "done.remembered");

/**
 * A correction, by what is wrong with it: it never was so, it is so no longer, part of it is not so, or it is right
 * and was no answer to what was asked.
 */
export function correct(id, choice, { content, reason, query }) {
  const text = content?.trim();
  if (choice === "wrong") {
    return text ? act("update", { id, content: text, reason: reason || "it was wrong" }, "done.corrected") : forget(id, reason || "it was wrong");
  }
  if (choice === "outdated") {
    return text
      ? act("correct", { id, content: text, reason }, "done.corrected")
      : act("update", { id, valid_until: new Date().toISOString(), reason: reason || "it holds no more" }, "done.ended");
  }
  if (choice === "partly") return act("update", { id, content: text, reason: reason || "part of it was wrong" }, "done.corrected");
  return act("feedback", { id, helpful: false, query, reason }, "done.not_for_this");
}

export async function undo(operation) {
  try {
    const receipt = await verb("undo", { operation });
    toast(say("done.undone"), { undo: receipt.operation });
    done();
    return receipt;
  } catch (error) {
    toast(error.message, { tone: "bad" });
    throw error;
  }
}

/**
 * A change of many records, one after the other; `change` says which verb with what. One note takes all of it back.
 * What was done before something was refused stays done, and is offered to be taken back, too.
 */
export async function together(records, change, onDone = () => undefined) {
  const operations = [];
  let refused = null;
  for (const [index, record] of records.entries()) {
    try {
      const receipt = await verb(...change(record));
      if (receipt?.operation) operations.push(receipt.operation);
    } catch (error) {
      refused = error;
      break;
    }
    onDone(index + 1);
  }
  tellTogether(operations, refused);
  if (refused) throw refused;
}

/** Put records into another scope: told anew there, forgotten here. Each step is an operation, and one note undoes all. */
export async function move(records, scope) {
  const operations = [];
  let refused = null;
  for (const record of records) {
    try {
      operations.push((await verb("add", { ...kept(record), ...scope, infer: false })).operation);
      operations.push((await verb("delete", { id: record.id, reason: "moved to another scope" })).operation);
    } catch (error) {
      refused = error;
      break;
    }
  }
  tellTogether(operations.filter(Boolean), refused);
  if (refused) throw refused;
}

const MOVED = ["kind", "category", "importance", "confidence", "tags", "metadata", "valid_from", "valid_until", "source", "tier", "attributes"];

/** Of a record what goes along when it is told again. */
function kept(record) {
  const fields = Object.fromEntries(MOVED.filter((name) => record[name] !== null && record[name] !== undefined).map((name) => [name, record[name]]));
  return { content: record.content ?? record.memory, timestamp: record.event_time, ...fields };
}

function tellTogether(operations, refused) {
  const back = async () => {
    for (const operation of [...operations].reverse()) await verb("undo", { operation });
    toast(say("done.undone"));
    done();
  };
  const text = refused ? say("done.some", { count: operations.length, why: refused.message }) : say("done.together", { count: operations.length });
  toast(text, { undo: operations.length ? back : null, tone: refused ? "bad" : "good", seconds: 15 });
  done();
}
