/** What comes through the live stream: events of the log, and the pieces of answers that are being written. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { Delta } from "../../contracts/events";
import { placeOf } from "../address";
import type { LiveAnswerSoFar, LogEvent } from "../wire";

export type Frame =
  | { kind: "event"; sequence: number; event: LogEvent }
  | { kind: "delta"; delta: Delta }
  /** The stream began in the middle of an answer: what came of it before. */
  | { kind: "answer"; answer: LiveAnswerSoFar };

/** Cuts a text stream into frames: feed it chunks as they come. `onFlaw` hears of what can't be read. */
export function frameReader(
  onFrame: (frame: Frame) => unknown,
  onFlaw: (flaw: unknown) => void,
): (chunk: string) => void {
  const parser = createParser({
    onEvent(message) {
      // One message that can't be read must not stop those after it.
      let frame: Frame | null;
      try {
        frame = read(message);
      } catch (flaw) {
        onFlaw(flaw);
        return;
      }
      if (frame) onFrame(frame);
    },
  });
  return (chunk) => parser.feed(chunk);
}

/** The frame of a message; null for kinds that this version doesn't know. */
function read({ event: kind, id, data }: EventSourceMessage): Frame | null {
  switch (kind) {
    case "event": {
      const sequence = placeOf(id ?? "");
      return { kind, sequence, event: { ...JSON.parse(data), sequence } };
    }
    case "delta":
      return { kind, delta: JSON.parse(data) };
    case "answer":
      return { kind, answer: JSON.parse(data) };
    default:
      return null;
  }
}
