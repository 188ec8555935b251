/** What led to what: spans as a tree, each with its place in time. */
import type { IconName } from "../../../components/Icon";
import { placeOf } from "../../../lib/address";
import { endingOf, outcomeWords } from "../../../lib/toolWords";
import type { Span } from "../../../lib/wire";

export interface Bar {
  span: Span;
  depth: number;
  /** Where it begins and how long it is, as parts of the whole (0 to 1). */
  from: number;
  length: number;
  /** ms; null while it goes on. */
  took: number | null;
  children: number;
}

export interface Chart {
  bars: Bar[];
  /** ms that the whole takes, as far as it has come. */
  whole: number;
}

const INPUTS: Record<string, string> = {
  user_message: "You said",
  tool_response: "You answered",
  reminder_due: "A reminder",
  woken: "Another service",
  child_finished: "A sub-session ended",
  continued: "You raised the limit",
  retry_asked: "You asked to try again",
};
const ICONS: Record<Span["kind"], IconName> = {
  input: "person",
  turn: "play",
  model_call: "spark",
  tool_call: "tool",
  session: "child",
};
const MOST_DEEP = 40;

/** The spans as a tree in order; what belongs to one in `closed` is left out. `now` ends what goes on. */
export function chart(spans: readonly Span[], closed: ReadonlySet<string>, now: number): Chart {
  const known = new Set(spans.map(({ id }) => id));
  const below = new Map<string | null, Span[]>();
  for (const span of spans) {
    const parent = span.parent !== null && known.has(span.parent) ? span.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), span]);
  }
  const starts = spans.map((span) => begin(span)).filter((time) => !Number.isNaN(time));
  const ends = spans.map((span) => finish(span, now));
  const first = Math.min(...starts);
  const whole = Math.max(1, Math.max(...ends) - first);
  const bars: Bar[] = [];
  const walk = (parent: string | null, depth: number) => {
    const inOrder = (below.get(parent) ?? []).toSorted((one, other) => placeOf(one.id) - placeOf(other.id));
    for (const span of inOrder) {
      const children = below.get(span.id)?.length ?? 0;
      const from = Math.max(0, begin(span) - first) / whole;
      const length = Math.max(0, finish(span, now) - begin(span)) / whole;
      const took = span.ended_at === null ? null : finish(span, now) - begin(span);
      bars.push({ span, depth, from, length: Math.min(length, 1 - from), took, children });
      if (!closed.has(span.id) && depth < MOST_DEEP) walk(span.id, depth + 1);
    }
  };
  walk(null, 0);
  return { bars, whole: spans.length ? whole : 0 };
}

/** Times (ms) to draw lines at: round ones, from three to six of them, none beyond the whole. */
export function ticks(whole: number): number[] {
  const rough = Math.max(1, whole) / 5;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * ten).find((one) => one >= rough) ?? rough);
  return Array.from({ length: Math.floor(whole / step) + 1 }, (_, index) => index * step);
}

/** The same spans that are closed, without this one if it is among them, else with it. */
export function toggled(closed: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(closed);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** A span in words that begin with what was done. */
export function spanWords({ kind, name, number, state, arguments: args }: Span): string {
  switch (kind) {
    case "input":
      return INPUTS[name] ?? name.replaceAll("_", " ");
    case "turn":
      return "A turn";
    case "model_call":
      return `Asked ${name || "the model"}${number === null ? "" : `, call ${number}`}`;
    case "tool_call":
      return outcomeWords(name, args, endingOf(state));
    case "session":
      return `Sub-session ${name}`.trim();
  }
}

export const spanIcon = ({ kind }: Span): IconName => ICONS[kind];

function begin({ started_at }: Span): number {
  return started_at === null ? Number.NaN : Date.parse(started_at);
}

function finish(span: Span, now: number): number {
  return span.ended_at === null ? Math.max(now, begin(span)) : Date.parse(span.ended_at);
}
