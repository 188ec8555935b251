/** Live events that the test writes. */
import type { Live, LiveListener, Wish } from "../lib/live/openLive";

/** Where a subscriber follows: after an event for certain, from now on, or nowhere. */
type Following = { after: number } | { on: number | null } | "nowhere";

export interface Heard {
  wish: Wish;
  listener: LiveListener;
  following: Following;
  closed: boolean;
}

/** A port whose only subscriber is `heard()`. */
export function liveByHand(): { live: Live; heard: () => Heard } {
  const all: Heard[] = [];
  const live: Live = {
    subscribe(wish, listener) {
      const heard: Heard = { wish, listener, following: "nowhere", closed: false };
      all.push(heard);
      return {
        followAfter(after) {
          heard.following = { after };
        },
        followOn(after) {
          heard.following = { on: after ?? null };
        },
        hold() {
          heard.following = "nowhere";
        },
        close() {
          heard.closed = true;
        },
      };
    },
  };
  return {
    live,
    heard() {
      const [only, ...more] = all;
      if (!only || more.length) throw new Error(`${all.length} have subscribed`);
      return only;
    },
  };
}
