/**
 * An in-memory log: just enough of the gateway to look at the UI without the rest. What its events mean to a session
 * is the chat's own fold: `sessions` has the view of each.
 */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const FOLD = fileURLToPath(new URL("../../src/features/chat/fold/", import.meta.url));
const [{ evolve }, { opened }] = await Promise.all(
  ["evolve.ts", "page.ts"].map(async (name) => (await runnerImport(FOLD + name)).module),
);

const listeners = new Set();
export const events = [];
export const sessions = new Map();

const ids = { s: 0, e: 0 };
export const newId = (prefix) => `${prefix}_mock${String(++ids[prefix]).padStart(6, "0")}`;

export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function delta(sessionId, callId, attempt, index, text, tool = null) {
  const frame = { session_id: sessionId, call_id: callId, attempt, index, text, tool };
  for (const listener of listeners) listener({ delta: frame });
}

/** Append one event and fold it; `time` may lie in the past for seeds. */
export function append(sessionId, kind, body, { actor = "service", time = new Date().toISOString() } = {}) {
  const event = {
    sequence: events.length + 1,
    session_id: sessionId,
    agent_id: "main",
    type: `foldline.session.${kind}.v1`,
    time,
    actor,
    causation: null,
    event_id: newId("e"),
    body,
  };
  events.push(event);
  fold(event);
  for (const listener of listeners) listener({ event });
  return event;
}

function fold(event) {
  const { session_id: id, sequence, time, body } = event;
  const known = sessions.get(id) ?? opened(fresh(id, time, body), { messages: [], before: null, sequence });
  sessions.set(id, evolve(known, event));
}

function fresh(id, time, body) {
  return {
    ...{ id, agent_id: "main", title: null, status: "idle", model: null, parent_id: null, depth: 0 },
    ...{ usage: { input: 0, output: 0, cached_input: 0 }, error: null },
    ...{ created_at: time, active_at: time, updated_at: time, last_sequence: 0, ...body },
  };
}

/** A session as GET answers it. */
export function sessionView({ session, calls }) {
  const children = [...sessions.values()]
    .map((view) => view.session)
    .filter(({ parent_id }) => parent_id === session.id);
  return {
    ...session,
    open_calls: Object.values(calls).filter((call) => !call.finished_at),
    children,
    forks: [],
  };
}

/** A page of messages, oldest first. */
export function messagePage({ session, messages, calls }, before, limit) {
  const earlier = messages.filter((message) => !before || message.sequence < before);
  const shown = earlier
    .slice(-limit)
    .map(({ sessionId, modelCallId, hiddenBy, calls: asked, ...message }) => ({
      ...message,
      ...{ session_id: sessionId, model_call_id: modelCallId, hidden_by: hiddenBy },
      ...{ files: [], refused: null, error_kind: null, tool_calls: asked.map((id) => calls[id]) },
    }));
  return {
    messages: shown,
    before: earlier.length > limit ? shown[0].sequence : null,
    sequence: Math.max(events.length, session.last_sequence),
  };
}
