import type { FromHub, ToHub } from "./hub";

/** The way to whoever leads. */
export interface Line {
  send(said: ToHub): void;
  /** Whoever leads doesn't answer: another takes its place. */
  replace(): void;
  close(): void;
}

export interface LineEnd {
  tab: string;
  /** Somebody leads from now on, who doesn't know yet what this tab wants. */
  onLeader(): void;
  onSaid(said: FromHub): void;
}

export type OpenLine = (end: LineEnd) => Line;
