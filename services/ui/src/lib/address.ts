/**
 * Addresses of events: `12`, or `12.0`, `12.1` … where record 12 of the log holds several.
 *
 * In here an address is a number, so that it sorts and compares like any other: the record, and (i + 1) / 4096 for
 * event i of several. That is exact. A whole number as a moment (*as of*, *after*) means: with everything of that
 * record.
 */
const STEP = 1 / 4096;
const ADDRESS = /^(0|[1-9]\d{0,10})(?:\.(0|[1-9]\d{0,2}))?$/;

/** What the address of an event looks like; 0 is before the first. */
export const isAddress = (text: string): boolean => text !== "0" && ADDRESS.test(text);

/** The number of an address; throws for what is none. */
export function placeOf(address: string): number {
  const [, record, part] = ADDRESS.exec(address) ?? [];
  if (record === undefined) throw new Error(`"${address}" is not an event's address`);
  return Number(record) + (part === undefined ? 0 : (Number(part) + 1) * STEP);
}

/** As people and the gateway write it. */
export function addressOf(place: number): string {
  const record = recordOf(place);
  return place === record ? String(record) : `${record}.${(place - record) / STEP - 1}`;
}

/** The record that an event is in. */
export function recordOf(place: number): number {
  return Math.floor(place);
}

/** True if the event at `place` belongs to what there was at `moment`. */
export function includes(moment: number, place: number): boolean {
  return place <= endOf(moment);
}

/** The later of two moments. */
export function later(one: number, other: number): number {
  return endOf(one) > endOf(other) ? one : other;
}

/** The earlier of two moments. */
export function earlier(one: number, other: number): number {
  return endOf(one) < endOf(other) ? one : other;
}

/** The moment right before an event. */
export function before(place: number): number {
  const record = recordOf(place);
  return place - record > STEP ? place - STEP : record - 1;
}

/** The last place that a moment includes. */
export function endOf(moment: number): number {
  return Number.isInteger(moment) ? moment + 1 - STEP : moment;
}
