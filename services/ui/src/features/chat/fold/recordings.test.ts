/** Recorded sessions of the whole product: what the chat folds must be what the API tells of the same moment. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { logEvent, type MessagePage, type Session, type ToolCall } from "../../../lib/wire";
import { evolve } from "./evolve";
import { opened } from "./page";
import type { ChatView } from "./view";

const RECORDED = resolve(import.meta.dirname, "../../../../../../tests/recorded");

type Page = MessagePage & { session: Session };

/** What people saw of a session: see tests/recorded/README.md. */
interface Seen {
  events: Parameters<typeof logEvent>[0][];
  pages: Page[];
}

const stories = readdirSync(RECORDED, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !["blobs", "__pycache__"].includes(entry.name))
  .map(({ name }) => {
    const text = readFileSync(join(RECORDED, name, "seen.json"), "utf8");
    return { name, sessions: Object.entries(JSON.parse(text) as Record<string, Seen>) };
  });

/** What a view shows of a call. The fold has words of its own for a call that was cancelled. */
function call(one: ToolCall | undefined) {
  if (!one?.error) return one;
  const { kind, message, path = null, retryable = false } = one.error;
  return { ...one, error: { kind, path, retryable, message: one.status === "cancelled" ? "" : message } };
}

/** What a person sees of a view. */
function shown({ session, messages, calls, refused }: ChatView) {
  const { status, title, usage, error, failed_turn = null, token_limit } = session;
  return {
    ...{ status, title, error: error?.kind ?? null, failed_turn, token_limit },
    tokens: [usage.input, usage.output, usage.cached_input ?? 0],
    messages: messages.map((message) => ({
      ...{ sequence: message.sequence, role: message.role, text: message.text, model: message.model },
      ...{ modelCallId: message.modelCallId, shadows: message.shadows, source: message.source },
      calls: message.calls.map((id) => call(calls[id])),
    })),
    refused: [...refused].sort((one, other) => one - other),
  };
}

test("there are recordings, and people looked at them in the middle", () => {
  expect(stories.length).toBeGreaterThanOrEqual(12);
  const pages = stories.flatMap(({ sessions }) => sessions.map(([, { pages: one }]) => one.length));
  expect(Math.max(...pages)).toBeGreaterThan(2);
});

describe.each(stories)("$name", ({ sessions }) => {
  test.each(sessions)(
    "%s: from each page to the next, the events make what the next one shows",
    (_, seen) => {
      for (const [index, { session, ...page }] of seen.pages.entries()) {
        const begun = opened(session, page);
        for (const { session: later, ...next } of seen.pages.slice(index)) {
          const between = seen.events.filter(
            ({ sequence }) => sequence > page.sequence && sequence <= next.sequence,
          );
          // The chat reads itself anew where messages are hidden, or come back.
          if (between.some((event) => event.type === "foldline.session.rewound.v1")) break;
          expect(shown(between.map(logEvent).reduce(evolve, begun))).toEqual(shown(opened(later, next)));
        }
      }
    },
  );
});
