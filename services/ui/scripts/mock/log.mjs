/** An in-memory log and its projection: just enough of the gateway to look at the UI without the rest. */

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
  fold(event, kind);
  for (const listener of listeners) listener({ event });
  return event;
}

function fold({ sequence, session_id: id, time, body }, kind) {
  if (kind === "created") sessions.set(id, fresh(id, time, body));
  const session = sessions.get(id);
  Object.assign(session, { last_sequence: sequence, updated_at: time });
  const call = session.calls.get(body.call_id);
  const end = (change) =>
    call && Object.assign(call, { ...change, result_sequence: sequence, finished_at: time });
  const message = (change) =>
    session.messages.push({
      sequence,
      time,
      text: "",
      model_call_id: null,
      model: null,
      usage: null,
      files: [],
      calls: [],
      refused: null,
      error_kind: null,
      ...change,
    });
  switch (kind) {
    case "user_message": {
      const open = [...session.calls.values()].filter((one) => one.status === "pending");
      if (session.status === "waiting_for_input" && open.length === 1) {
        Object.assign(open[0], { status: "completed", result: { answer: body.text, from_options: false } });
      } else message({ role: "user", text: body.text });
      break;
    }
    case "turn_started":
    case "model_call_requested":
      session.status = "running";
      break;
    case "model_call_completed":
      session.usage.input += body.usage.input;
      session.usage.output += body.usage.output;
      for (const asked of body.tool_calls ?? [])
        session.calls.set(asked.call_id, planned(asked, body.call_id));
      message({
        role: "assistant",
        text: body.text,
        model: body.model,
        usage: body.usage,
        model_call_id: body.call_id,
        calls: (body.tool_calls ?? []).map((asked) => asked.call_id),
      });
      break;
    case "tool_call_requested":
      Object.assign(call, { status: "requested", requested_sequence: sequence, requested_at: time });
      break;
    case "call_claimed":
      Object.assign(call, { status: "running", runner: body.runner });
      break;
    case "tool_call_pending":
      Object.assign(call, { status: "pending", show: body.show, runner: body.runner });
      break;
    case "tool_call_completed":
      end({ status: "completed", attempt: 1, ...body });
      break;
    case "tool_call_failed":
      end({ status: "failed", attempt: 1, ...body });
      break;
    case "tool_call_cancelled":
      end({
        status: "cancelled",
        error: { kind: body.kind ?? "cancelled", message: "Stopped by the user." },
      });
      break;
    case "tool_response":
      end({ status: "completed", result: body.response });
      break;
    case "waiting":
      session.status = "waiting_for_input";
      break;
    case "became_idle":
      session.status = "idle";
      break;
    case "token_limit_hit":
      session.status = "token_limit_reached";
      break;
    case "completed":
      session.status = "completed";
      break;
    case "failed":
      Object.assign(session, { status: "error", error: { kind: body.kind, message: body.message } });
      message({ role: "error", text: body.message, error_kind: body.kind });
      break;
    case "titled":
    case "renamed":
      session.title = body.title;
      break;
  }
}

function fresh(id, time, body) {
  return {
    id,
    agent_id: "main",
    title: null,
    status: "idle",
    model: null,
    parent_id: null,
    depth: 0,
    usage: { input: 0, output: 0, cached_input: 0 },
    error: null,
    created_at: time,
    updated_at: time,
    last_sequence: 0,
    messages: [],
    calls: new Map(),
    ...body,
  };
}

function planned(asked, modelCallId) {
  return {
    model_call_id: modelCallId,
    status: asked.error ? "failed" : "planned",
    effect: "pure",
    runs_on: "tools",
    result: null,
    error: null,
    show: null,
    excerpt: null,
    runner: null,
    attempt: null,
    duration_ms: null,
    requested_sequence: null,
    result_sequence: null,
    requested_at: null,
    finished_at: null,
    ...asked,
  };
}

/** A session as GET answers it. */
export function sessionView({ messages: _messages, calls, ...session }) {
  const children = [...sessions.values()].filter((other) => other.parent_id === session.id);
  return { ...session, open_calls: [...calls.values()].filter((call) => !call.finished_at), children };
}

/** A page of messages, oldest first. */
export function messagePage(session, before, limit) {
  const earlier = session.messages.filter((message) => !before || message.sequence < before);
  const shown = earlier.slice(-limit).map(({ calls, ...message }) => ({
    ...message,
    session_id: session.id,
    tool_calls: calls.map((id) => session.calls.get(id)),
  }));
  return {
    messages: shown,
    before: earlier.length > limit ? shown[0].sequence : null,
    sequence: events.length,
  };
}
