/**
 * What a page in its frame and the shell say to each other. The frame says everything as JSON text: so the shell
 * knows how large it is before it looks at it, and there is nothing in it but plain data.
 */

export type FrameMode = "light" | "dark";

/** What the frame is told. */
export type ToFrame =
  | { kind: "render"; name: string; code: string; props: Record<string, unknown>; mode: FrameMode }
  | { kind: "mode"; mode: FrameMode }
  /** A value of the agent's state as it is now; `present` is false where there is none. */
  | { kind: "state"; key: string; value: unknown; present: boolean }
  | { kind: "answer"; id: number; ok: true; value: unknown }
  | { kind: "answer"; id: number; ok: false; message: string }
  | { kind: "ping" };

/** What went wrong in a page; line and column are those of its author's code, from 1. */
export interface PageError {
  message: string;
  line: number | null;
  column: number | null;
  stack: string;
}

/** What the frame says. */
export type FromFrame =
  | { kind: "ready" }
  | { kind: "rendered" }
  | { kind: "alive" }
  | ({ kind: "thrown" } & PageError)
  | { kind: "watch"; key: string }
  | { kind: "write"; id: number; key: string; value: unknown }
  | { kind: "call"; id: number; name: string; args: Record<string, unknown> }
  | { kind: "say"; id: number; text: string }
  /** Answers the call that waits for this page. */
  | { kind: "act"; id: number; action: string; payload: Record<string, unknown> }
  /** The code of a library of the agent. */
  | { kind: "library"; id: number; name: string };

/** Characters of one message: a state value of 1 MiB, as JSON in JSON. */
export const LONGEST_MESSAGE = 3 * 1024 * 1024;
export const LONGEST_KEY = 256;
export const LONGEST_SAYING = 16_000;
const LONGEST_ACTION = 200;
const LONGEST_WORDS = 4_000;

/** Reads what came out of a frame; null for anything that isn't one of its messages. */
export function parseFromFrame(data: unknown): FromFrame | null {
  if (typeof data !== "string" || data.length > LONGEST_MESSAGE) return null;
  let said: unknown;
  try {
    said = JSON.parse(data);
  } catch {
    return null;
  }
  return isRecord(said) ? read(said) : null;
}

function read(said: Record<string, unknown>): FromFrame | null {
  const { kind, id, key, value, name, args, text, action, payload } = said;
  const asked = typeof id === "number" && Number.isSafeInteger(id);
  const keyed = typeof key === "string" && key.length > 0 && key.length <= LONGEST_KEY;
  switch (kind) {
    case "ready":
    case "rendered":
    case "alive":
      return { kind };
    case "thrown":
      return {
        kind,
        message: words(said.message),
        line: place(said.line),
        column: place(said.column),
        stack: words(said.stack),
      };
    case "watch":
      return keyed ? { kind, key } : null;
    case "write":
      return asked && keyed && value !== undefined ? { kind, id, key, value } : null;
    case "call":
      return asked && typeof name === "string" && name.length <= 64 && isRecord(args)
        ? { kind, id, name, args }
        : null;
    case "say":
      return asked && typeof text === "string" && text.trim() && text.length <= LONGEST_SAYING
        ? { kind, id, text }
        : null;
    case "act":
      return asked && isAction(action) && isRecord(payload) ? { kind, id, action, payload } : null;
    case "library":
      return asked && typeof name === "string" && name.length <= 64 ? { kind, id, name } : null;
    default:
      return null;
  }
}

function isAction(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_ACTION;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function words(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LONGEST_WORDS) : "";
}

function place(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}
