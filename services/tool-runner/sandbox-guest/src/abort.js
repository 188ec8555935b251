// AbortController and AbortSignal. A signal's own timer keeps no run alive that has nothing else to wait for.
import { apply, define, G, TypeE } from "./intrinsics.js";
import { limits, quietTimer } from "./calls.js";
import { Event, EventTarget } from "./events.js";

const Exception = G.DOMException;
const SECRET = {};
let raise; // aborts a signal: set by the class, which alone reaches its parts

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  #then = new Set(); // what the prelude does on abort, before any listener
  onabort = null;
  static {
    raise = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? new Exception("This operation was aborted", "AbortError") : reason;
      const first = [...signal.#then];
      signal.#then.clear();
      for (const done of first) done(signal.#reason);
      const event = new Event("abort");
      if (typeof signal.onabort === "function") apply(signal.onabort, signal, [event]);
      signal.dispatchEvent(event);
    };
  }
  constructor(secret) {
    if (secret !== SECRET) throw new TypeE("Illegal constructor: take new AbortController().signal");
    super();
  }
  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  get [Symbol.toStringTag]() {
    return "AbortSignal";
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  static abort(reason) {
    const signal = new AbortSignal(SECRET);
    raise(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const wait = +ms;
    if (!(wait >= 0)) throw new TypeE("AbortSignal.timeout: milliseconds are needed");
    const signal = new AbortSignal(SECRET);
    // A longer one than the run may last never comes.
    if (wait <= limits.timer) quietTimer(() => raise(signal, new Exception("The operation timed out", "TimeoutError")), wait);
    return signal;
  }
  static any(signals) {
    const all = [...signals], signal = new AbortSignal(SECRET);
    for (const one of all) if (!(one instanceof AbortSignal)) throw new TypeE("AbortSignal.any: AbortSignals are needed");
    const over = all.find((one) => one.aborted);
    if (over) raise(signal, over.reason);
    else for (const one of all) whenAborted(one, (reason) => raise(signal, reason));
    return signal;
  }
  /** For the prelude: do something on abort; what takes it back. Only reached as `whenAborted`. */
  static then(signal, done) {
    signal.#then.add(done);
    return () => signal.#then.delete(done);
  }
}
const whenAborted = AbortSignal.then;
delete AbortSignal.then;

export function abortedBy(signal, done) {
  return whenAborted(signal, done);
}

class AbortController {
  #signal = new AbortSignal(SECRET);
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    raise(this.#signal, reason);
  }
  get [Symbol.toStringTag]() {
    return "AbortController";
  }
}

define("AbortSignal", AbortSignal);
define("AbortController", AbortController);
