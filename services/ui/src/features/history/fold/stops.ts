/** Where a scrubber stops: each event of a session, in order, and after them *now*. */
import { placeOf } from "../../../lib/address";
import type { AgentMark, Outline } from "../../../lib/wire";

export interface Stops {
  /** Places of events, in order. */
  events: readonly number[];
  /** Indices in `events` at which turns begin. */
  turns: readonly number[];
  /** Indices at which the agent had just changed. */
  changes: readonly { index: number; mark: AgentMark }[];
  /** Events before the first, of a session too long to stop at each. */
  leftOut: number;
  /** The address after which newer ones are asked for. */
  last: string | null;
}

export const NO_STOPS: Stops = { events: [], turns: [], changes: [], leftOut: 0, last: null };

export function stopsOf({ events, turns, changes, left_out }: Outline): Stops {
  const places = events.map(placeOf);
  return {
    events: places,
    turns: turns.map((turn) => indexAt(places, placeOf(turn))),
    changes: changes
      .map((mark) => ({ index: indexAt(places, placeOf(mark.address)), mark }))
      .filter(({ index }) => index >= 0)
      .reverse(),
    leftOut: left_out,
    last: events.at(-1) ?? null,
  };
}

/** The stops with what came since. */
export function withLater(stops: Stops, outline: Outline): Stops {
  if (!outline.events.length && !outline.changes.length) return stops;
  const known = new Set(stops.changes.map(({ mark }) => mark.address));
  const places = [...stops.events, ...outline.events.map(placeOf)];
  const newer = outline.changes.filter((mark) => !known.has(mark.address)).reverse();
  return {
    events: places,
    turns: [...stops.turns, ...outline.turns.map((turn) => indexAt(places, placeOf(turn)))],
    changes: [
      ...stops.changes,
      ...newer.map((mark) => ({ index: indexAt(places, placeOf(mark.address)), mark })),
    ],
    leftOut: stops.leftOut,
    last: outline.events.at(-1) ?? stops.last,
  };
}

/** The index of the last event at or before a place; -1: it is before all. */
export function indexAt(places: readonly number[], place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The stop of a moment; null (now) is the one after the last event. */
export function indexOf(stops: Stops, at: number | null): number {
  if (at === null) return stops.events.length;
  // A whole number is a moment with all of its record.
  return Math.max(0, indexAt(stops.events, Number.isInteger(at) ? at + 1 - 1 / 4096 : at));
}

/** The moment at a stop; null: now. */
export function momentAt(stops: Stops, index: number): number | null {
  if (index >= stops.events.length) return null;
  return stops.events[Math.max(0, index)] ?? null;
}

/** The stop where the turn before, or after, begins. */
export function turnBeside(stops: Stops, index: number, way: -1 | 1): number {
  const found =
    way < 0 ? stops.turns.findLast((turn) => turn < index) : stops.turns.find((turn) => turn > index);
  return found ?? (way < 0 ? 0 : stops.events.length);
}

/** Which turn a stop is in, from 1; 0: before the first. */
export function turnAt(stops: Stops, index: number): number {
  return stops.turns.findLastIndex((turn) => turn <= index) + 1;
}

/** Of the whole, this part lies on either side of a pointer that is meant to be on a mark. */
const REACH = 1 / 200;

/** The changes of the agent at a stop; where stops lie close together, those beside it too. */
export function changesNear({ events, changes }: Stops, index: number): Stops["changes"] {
  const reach = events.length * REACH;
  return changes.filter((one) => Math.abs(one.index - index) <= reach);
}

/** How a key moves the scrubber; null: it doesn't. */
export function moved(stops: Stops, index: number, key: string): number | null {
  const last = stops.events.length;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, index - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(last, index + 1);
    case "PageDown":
      return turnBeside(stops, index, -1);
    case "PageUp":
      return turnBeside(stops, index, 1);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
