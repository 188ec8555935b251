/** The newest frames that came, so that who asks late still gets what followed on what they read. */
import { endOf, includes } from "../address";
import type { Frame } from "./frames";

/** As many are kept: more than come while a page of a chat is read. */
const MOST = 2_000;

export interface Recent {
  /** Forget everything: what comes now follows on event `after` (null: nobody knows on which). */
  begin(after: number | null): void;
  add(frame: Frame): void;
  /** How many frames have come so far. */
  count(): number;
  /** True if every event after `after` that came is still here. */
  reaches(after: number): boolean;
  /** The events after `after`, and the pieces of answers from frame number `from` on, in the order in which they came. */
  since(after: number, from: number): Frame[];
}

export function createRecent(most = MOST): Recent {
  let frames: Frame[] = [];
  let dropped = 0;
  let complete: number | null = null;
  return {
    begin(after) {
      dropped += frames.length;
      frames = [];
      complete = after;
    },
    add(frame) {
      frames.push(frame);
      if (frames.length <= most) return;
      const gone = frames.splice(0, most / 2);
      dropped += gone.length;
      const last = gone.findLast((one) => one.kind === "event");
      if (last) complete = last.sequence;
    },
    count: () => dropped + frames.length,
    reaches: (after) => complete !== null && endOf(after) >= complete,
    since: (after, from) =>
      frames.filter((frame, index) =>
        frame.kind === "event" ? !includes(after, frame.sequence) : dropped + index >= from,
      ),
  };
}
