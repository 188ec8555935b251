// Host calls and timers: promises and callbacks that the host ends in a later step.
import { apply, define, E, M, P, stringify, TypeE } from "./intrinsics.js";
import { exactArguments } from "./exact.js";
import { emit, limitError } from "./wire.js";

const pending = new Map(); // id -> [resolve, reject, bytes of arguments]
let pendingBytes = 0;
const timers = new Map(); // id -> [callback, args, ms of an interval, whether it is quiet]
let quiet = 0; // timers that nobody but the code itself waits for
export const limits = { pending: 1000, pending_bytes: 16777216, argument: 4194304, timer: 30000, result: 4194304, logs: 262144 };
let nextId = 1;

/** Whether the host is to end something; a quiet timer counts while the code still runs. */
export const waiting = (running) => M.size(pending) + M.size(timers) - (running ? 0 : quiet) > 0;

export function tooLarge(name) {
  return limitError("argument_size", "ArgumentSizeError", `${name}: arguments of more than ${limits.argument} bytes`);
}

/** Ask the host; a promise of what it answers. `names` are the arguments', for who gives what is not JSON.
 * `began` is told how to give the call up: the host cancels it, and the promise is rejected with a reason. */
export function call(name, args, names = [], began) {
  return new P((resolve, reject) => {
    if (M.size(pending) >= limits.pending)
      throw limitError("pending_calls", "PendingCallsError", `more than ${limits.pending} host calls at a time`);
    const json = exactArguments(name, names, args);
    if (json.length > limits.argument) throw tooLarge(name);
    if (pendingBytes + json.length > limits.pending_bytes)
      throw limitError("pending_calls", "PendingCallsError", `${name}: more than ${limits.pending_bytes} bytes of arguments in host calls at a time`);
    const id = nextId++;
    emit(`["c",${id},${stringify(name)},${json}]`);
    pendingBytes += json.length;
    M.set(pending, id, [resolve, reject, json.length]);
    began?.((reason) => {
      const p = taken(id);
      if (!p) return;
      emit(`["x",${id}]`);
      p[1](reason);
    });
  });
}

function taken(id) {
  const p = M.get(pending, id);
  if (!p) return;
  M.delete(pending, id);
  pendingBytes -= p[2];
  return p;
}

/** The host's answers: [[id, kind, value], …] with kind 0 for a value, 1 for an error, 2 for a timer that is due. */
export function answered(answers, fail) {
  for (let i = 0; i < answers.length; i++) {
    const [id, kind, value] = answers[i];
    if (kind === 2) {
      const t = M.get(timers, id);
      if (!t) continue;
      if (t[2] === undefined) forget(id);
      else emit(`["t",${id},${t[2]}]`);
      try {
        apply(t[0], undefined, t[1]);
      } catch (e) {
        fail(e);
      }
    } else {
      const p = taken(id);
      if (!p) continue;
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

function forget(id) {
  if (M.get(timers, id)?.[3]) quiet--;
  return M.delete(timers, id);
}

function timer(name, callback, ms, args, least) {
  if (typeof callback !== "function") throw new TypeE(`${name}: the callback must be a function`);
  ms = +ms || 0;
  if (ms < least) ms = least;
  if (ms > limits.timer) throw limitError("timer", "TimerError", `${name}: ${ms} ms is more than ${limits.timer}`);
  if (M.size(timers) >= limits.pending) throw limitError("timer", "TimerError", `more than ${limits.pending} timers at a time`);
  const id = nextId++;
  emit(`["t",${id},${ms}]`);
  M.set(timers, id, [callback, args, least ? ms : undefined, false]);
  return id;
}

/** A timer that no run waits for which has nothing else to do. */
export function quietTimer(callback, ms) {
  M.get(timers, timer("AbortSignal.timeout", callback, ms, [], 0))[3] = true;
  quiet++;
}

function clear(id) {
  if (forget(id)) emit(`["x",${+id}]`);
}

define("setTimeout", function setTimeout(callback, ms, ...args) {
  return timer("setTimeout", callback, ms, args, 0);
});
define("setInterval", function setInterval(callback, ms, ...args) {
  return timer("setInterval", callback, ms, args, 1);
});
define("clearTimeout", function clearTimeout(id) {
  clear(id);
});
define("clearInterval", function clearInterval(id) {
  clear(id);
});
