// Host calls and timers: promises and callbacks that the host ends in a later step.
import { apply, define, E, M, P, stringify, TypeE } from "./intrinsics.js";
import { exactArguments } from "./exact.js";
import { emit, limitError } from "./wire.js";

const pending = new Map(); // id -> [resolve, reject, bytes of arguments]
let pendingBytes = 0;
const timers = new Map(); // id -> [callback, args]
export const limits = { pending: 1000, pending_bytes: 16777216, argument: 4194304, timer: 30000, result: 4194304, logs: 262144 };
let nextId = 1;

export const waiting = () => M.size(pending) + M.size(timers) > 0;

/** Ask the host; a promise of what it answers. `names` are the arguments', for who gives what is not JSON. */
export function call(name, args, names = []) {
  return new P((resolve, reject) => {
    if (M.size(pending) >= limits.pending)
      throw limitError("pending_calls", "PendingCallsError", `more than ${limits.pending} host calls at a time`);
    const json = exactArguments(name, names, args);
    if (json.length > limits.argument)
      throw limitError("argument_size", "ArgumentSizeError", `${name}: arguments of more than ${limits.argument} bytes`);
    if (pendingBytes + json.length > limits.pending_bytes)
      throw limitError("pending_calls", "PendingCallsError", `${name}: more than ${limits.pending_bytes} bytes of arguments in host calls at a time`);
    const id = nextId++;
    emit(`["c",${id},${stringify(name)},${json}]`);
    pendingBytes += json.length;
    M.set(pending, id, [resolve, reject, json.length]);
  });
}

/** The host's answers: [[id, kind, value], …] with kind 0 for a value, 1 for an error, 2 for a timer that is due. */
export function answered(answers, fail) {
  for (let i = 0; i < answers.length; i++) {
    const [id, kind, value] = answers[i];
    if (kind === 2) {
      const t = M.get(timers, id);
      if (!t) continue;
      M.delete(timers, id);
      try {
        apply(t[0], undefined, t[1]);
      } catch (e) {
        fail(e);
      }
    } else {
      const p = M.get(pending, id);
      if (!p) continue;
      M.delete(pending, id);
      pendingBytes -= p[2];
      if (kind === 0) p[0](value);
      else p[1](hostError(value));
    }
  }
}

function hostError({ name, message, code, kind }) {
  const e = kind ? limitError(kind, name, message) : new E(message);
  if (!kind) define("name", name ?? "Error", e);
  if (code !== undefined) e.code = code;
  return e;
}

define("setTimeout", function setTimeout(callback, ms, ...args) {
  if (typeof callback !== "function") throw new TypeE("setTimeout: the callback must be a function");
  ms = +ms || 0;
  if (ms < 0) ms = 0;
  if (ms > limits.timer) throw limitError("timer", "TimerError", `setTimeout: ${ms} ms is more than ${limits.timer}`);
  if (M.size(timers) >= limits.pending) throw limitError("timer", "TimerError", `more than ${limits.pending} timers at a time`);
  const id = nextId++;
  emit(`["t",${id},${ms}]`);
  M.set(timers, id, [callback, args]);
  return id;
});
define("clearTimeout", function clearTimeout(id) {
  if (M.delete(timers, id)) emit(`["x",${+id}]`);
});
