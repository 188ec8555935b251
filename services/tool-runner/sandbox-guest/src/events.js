// Event and EventTarget, as far as AbortSignal and people's own objects need them: no tree, so no phases.
import { apply, define, E, TypeE } from "./intrinsics.js";
import { log } from "./console.js";
import { text } from "./wire.js";

class Event {
  #type;
  #cancelable;
  defaultPrevented = false;
  target = null;
  currentTarget = null;
  constructor(type, { cancelable = false } = {}) {
    if (type === undefined) throw new TypeE("Event: a type is needed");
    this.#type = text(type);
    this.#cancelable = !!cancelable;
  }
  get type() {
    return this.#type;
  }
  get cancelable() {
    return this.#cancelable;
  }
  preventDefault() {
    if (this.#cancelable) this.defaultPrevented = true;
  }
  stopImmediatePropagation() {
    this.stopped = true;
  }
  stopPropagation() {}
}

export class EventTarget {
  #listeners = [];
  addEventListener(type, listener, options) {
    if (listener === null || listener === undefined) return;
    const { once = false, signal } = typeof options === "object" && options !== null ? options : {};
    if (signal?.aborted) return;
    type = text(type);
    for (let i = 0; i < this.#listeners.length; i++)
      if (this.#listeners[i].type === type && this.#listeners[i].listener === listener) return;
    this.#listeners = [...this.#listeners, { type, listener, once }];
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
  }
  removeEventListener(type, listener) {
    type = text(type);
    this.#listeners = this.#listeners.filter((one) => one.type !== type || one.listener !== listener);
  }
  dispatchEvent(event) {
    if (!(event instanceof Event)) throw new TypeE("dispatchEvent: an Event is needed");
    event.target = event.currentTarget = this;
    for (const one of this.#listeners) {
      if (one.type !== event.type || event.stopped || !this.#listeners.includes(one)) continue;
      if (one.once) this.removeEventListener(one.type, one.listener);
      try {
        if (typeof one.listener === "function") apply(one.listener, this, [event]);
        else one.listener.handleEvent(event);
      } catch (e) {
        log("error", `a listener of ${event.type} threw: ${e instanceof E ? `${e.name}: ${e.message}` : text(e)}`);
      }
    }
    event.currentTarget = null;
    return !event.defaultPrevented;
  }
}

define("Event", Event);
define("EventTarget", EventTarget);
export { Event };
