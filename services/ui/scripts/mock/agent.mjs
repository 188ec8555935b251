/** A scripted agent: what happens after a message. "ask", "progress", "slow", "fail" and "markdown" play their own parts. */
import { append, delta, sessions } from "./log.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const MARKDOWN = `Here is **GFM**: ~~old~~ new, \`inline\`, a [link](https://example.com) and a table.

| city | people | note |
|---|---:|---|
| Oslo | 717,710 | capital |
| Bergen | 291,940 | rain |

- [x] folded
- [ ] unfolded

\`\`\`python
def evolve(state: Session, event: Event) -> Session:
    """Total and pure."""
    match event:
        case Created(title=title):
            return state.replace(title=title or "New", count=42)  # a comment that is rather long, so that it scrolls
\`\`\`

> Everything that happened is an event.

1. One
2. Two`;

const running = new Map();

/** Cut off what a session is doing. */
export function interrupt(id) {
  const session = sessions.get(id);
  const state = running.get(id);
  if (!state) return;
  state.stopped = true;
  for (const call of Object.values(session.calls)) {
    if (!call.finished_at) append(id, "tool_call_cancelled", { call_id: call.call_id });
  }
  append(id, "became_idle", { reason: "interrupted", cancelled_model_call: state.call });
  running.delete(id);
}

/** Wake a session: it works until it is idle, waits or fails. */
export async function wake(id) {
  if (running.has(id)) return;
  const state = { stopped: false, call: null };
  running.set(id, state);
  const { session, calls } = sessions.get(id);
  const last = () => sessions.get(id).messages.findLast((message) => message.role === "user")?.text ?? "";
  if (session.status === "idle") append(id, "turn_started", {});
  if (!session.title) append(id, "titled", { title: last().slice(0, 60) });
  const text = last().toLowerCase();
  const said = async (answer, calls = []) => !state.stopped && (await model(id, state, answer, calls));
  if (text.includes("fail")) {
    await said("", [["unreachable"]]);
    if (!state.stopped)
      append(id, "failed", { kind: "unreachable", message: "Connection refused: http://127.0.0.1:11434" });
    running.delete(id);
    return;
  }
  if (text.includes("ask") && !Object.keys(calls).length) {
    await said("One question, with buttons.", [
      [
        "ask_user",
        {
          question: "Which of these would you **rewind**?",
          options: ["A typo", "A Monday", "A whole conversation"],
        },
      ],
    ]);
    running.delete(id);
    return;
  }
  if (text.includes("progress")) {
    await said("", [
      ["send_message", { text: "**1 of 2** Starting: three calls in one turn." }],
      ["set_state", { key: "demo/progress", value: { done: 1, of: 2 } }],
      ["get_state", { key: "demo/runs" }],
    ]);
    await said("", [["flaky", { n: 3 }]]);
  }
  await said(
    text.includes("markdown") || text.includes("progress")
      ? MARKDOWN
      : `You said: *${last()}*. ${"And so on. ".repeat(12)}`,
  );
  if (!state.stopped) append(id, "became_idle", { reason: "answered" });
  running.delete(id);
}

async function model(id, state, answer, asked) {
  const call_id = `m${String(sessions.get(id).session.last_sequence).padStart(6, "0")}`;
  state.call = call_id;
  append(id, "model_call_requested", { call_id });
  if (asked[0]?.[0] === "unreachable") {
    await sleep(600);
    append(id, "model_call_failed", {
      call_id,
      kind: "unreachable",
      message: "Connection refused",
      model: "ollama/llama",
    });
    return;
  }
  await sleep(500);
  const pieces = answer.match(/[\s\S]{1,8}/g) ?? [];
  for (const [index, piece] of pieces.entries()) {
    if (state.stopped) return;
    delta(id, call_id, 1, index, piece);
    await sleep(30);
  }
  if (state.stopped) return;
  const tool_calls = asked.map(([tool, args], index) => ({
    call_id: `${call_id}-0${index}`,
    provider_id: "x",
    tool,
    arguments: args,
    pauses: tool === "ask_user",
  }));
  append(id, "model_call_completed", {
    call_id,
    text: answer,
    model: "demo",
    context: "0".repeat(64),
    latency_ms: 700,
    usage: { input: 900, output: Math.ceil(answer.length / 4) },
    tool_calls,
  });
  state.call = null;
  for (const call of tool_calls) {
    const { call_id: callId, tool, arguments: args } = call;
    append(id, "tool_call_requested", {
      call_id: callId,
      tool,
      arguments: args,
      runs_on: "tools",
      effect: "pure",
    });
  }
  for (const { call_id: callId, tool, arguments: args } of tool_calls) {
    await sleep(700);
    if (state.stopped) return;
    const runner = "runner-1";
    if (tool === "ask_user") {
      append(id, "tool_call_pending", {
        call_id: callId,
        show: { kind: "ask_user", options: null, ...args },
        runner,
      });
      append(id, "waiting", { calls: [callId] });
    } else if (tool === "flaky") {
      const error = {
        kind: "upstream",
        message: "The server at example.com answered 503.",
        path: "/n",
        retryable: true,
      };
      append(id, "tool_call_failed", { call_id: callId, error, runner, duration_ms: 1240, attempt: 2 });
    } else {
      append(id, "tool_call_completed", {
        call_id: callId,
        result: { ok: true },
        runner,
        duration_ms: 12,
        attempt: 1,
      });
    }
  }
}
