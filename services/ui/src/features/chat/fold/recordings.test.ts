/** Recorded sessions of the whole product: the rows of a moment must be drawn as the API's page of that moment is. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogEvent, logEvent, MessagePage, Session } from "../../../lib/wire";
import { event } from "../../../testing/given";
import { withRows } from "../../../testing/rows";
import { opened, withChanged } from "./page";
import { transcript } from "./transcript";

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

/** The event after which a later page was read, with the rows that it shows. */
function becoming({ session, items: messages, sequence }: Page): LogEvent {
  const { children: _, forks: __, family: ___, ...row } = session;
  const said = messages.filter((one) => one.session_id === session.id);
  const told = event(sequence, "titled", { title: "" }, session.id);
  return withRows(told, { session: row, messages: said, calls: said.flatMap((one) => one.tool_calls) });
}

test("there are recordings, and people looked at them in the middle", () => {
  expect(stories.length).toBeGreaterThanOrEqual(12);
  const pages = stories.flatMap(({ sessions }) => sessions.map(([, { pages: one }]) => one.length));
  expect(Math.max(...pages)).toBeGreaterThan(2);
});

describe.each(stories)("$name", ({ sessions }) => {
  test.each(sessions)(
    "%s: the rows of a later page, put onto an earlier one, are what it shows",
    (_, seen) => {
      for (const [index, { session, ...page }] of seen.pages.entries()) {
        for (const later of seen.pages.slice(index)) {
          const between = seen.events.filter(
            ({ sequence }) => sequence > page.sequence && sequence <= later.sequence,
          );
          // The chat reads itself anew where messages are hidden, or come back.
          if (between.some((event) => event.type === "foldline.session.rewound.v1")) break;
          const { session: then, ...next } = later;
          const { children = [], forks = [], family = [] } = then; // read again where one is added
          const put = withChanged(opened({ ...session, children, forks, family }, page), becoming(later));
          const read = opened(then, next);
          expect(transcript(put, [])).toEqual(transcript(read, []));
          expect(put.session.usage).toEqual(read.session.usage);
        }
      }
    },
  );
});
