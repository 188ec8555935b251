/** Sessions that are there from the start: a long one, a failed one, one that waits, children, an archived one. */
import { append, newId } from "./log.mjs";

const HOUR = 3_600_000;
let clock = 0;
const at = (hoursAgo) => {
  clock = Date.now() - hoursAgo * HOUR;
};
const put = (id, kind, body, actor) => {
  clock += 1500;
  return append(id, kind, body, { actor, time: new Date(clock).toISOString() });
};

function session(title, hoursAgo, extra = {}) {
  at(hoursAgo);
  const id = newId("s");
  put(id, "created", { agent_id: "main", token_limit: 100_000, ...extra });
  put(id, "titled", { title });
  return id;
}

let calls = 0;
function turn(id, question, answer, tools = []) {
  put(id, "user_message", { text: question }, "user");
  put(id, "turn_started", {});
  const call_id = `m${String(++calls).padStart(6, "0")}`;
  put(id, "model_call_requested", { call_id });
  const tool_calls = tools.map(([tool, args], index) => ({
    call_id: `${call_id}-0${index}`,
    provider_id: "x",
    tool,
    arguments: args,
  }));
  const usage = { input: 800, output: 120 };
  put(id, "model_call_completed", {
    call_id,
    text: answer,
    usage,
    model: "demo",
    context: "",
    latency_ms: 1,
    tool_calls,
  });
  for (const call of tool_calls) {
    put(id, "tool_call_requested", { ...call, runs_on: "tools", effect: "pure" });
  }
  return tool_calls;
}

export function seed() {
  const old = session("Notes on event sourcing", 24 * 40);
  turn(old, "What is a fold?", "A function from a state and an event to the next state.");
  put(old, "became_idle", {});
  put(old, "archived", {}, "user");
  put(old, "completed", { reason: "archived" });

  const long = session(
    "A long conversation about many things, with a title that does not fit in the list",
    30,
  );
  for (let n = 1; n <= 70; n += 1) {
    turn(
      long,
      `Question number ${n}?`,
      `Answer number ${n}. ${"Some words to fill a line or two. ".repeat((n % 5) + 1)}`,
    );
    put(long, "became_idle", {});
  }

  const failed = session("Summarise the quarterly report", 26);
  put(failed, "user_message", { text: "Summarise the quarterly report" }, "user");
  put(failed, "turn_started", {});
  put(failed, "model_call_requested", { call_id: "m900001" });
  put(failed, "failed", { kind: "authentication", message: "Invalid API key: the provider answered 401." });

  const parent = session("Research tea with two helpers", 3);
  turn(parent, "Research tea with two helpers", "Two helpers, each in a session of its own.");
  put(parent, "became_idle", {});
  for (const side of ["for", "against"]) {
    const child = session(`Find what speaks ${side} tea`, 2.9, { parent_id: parent, depth: 1 });
    turn(child, `Find what speaks ${side} tea.`, "Found nothing new.");
    put(child, "became_idle", {});
  }

  const waiting = session("Book a table", 1);
  const [asked] = turn(waiting, "Book a table for Friday", "I can do that.", [
    ["ask_user", { question: "For how many people, and what time?" }],
  ]);
  const show = {
    kind: "ask_user",
    question: "For how many people, and what time?",
    options: ["Two at seven", "Four at eight"],
  };
  put(waiting, "tool_call_pending", { call_id: asked.call_id, show, runner: "runner-1" });
  put(waiting, "waiting", { calls: [asked.call_id] });

  const limit = session("Translate a book", 0.6, { token_limit: 900 });
  turn(limit, "Translate this book", "Chapter one…");
  put(limit, "token_limit_hit", { used: 920, limit: 900 });
}
