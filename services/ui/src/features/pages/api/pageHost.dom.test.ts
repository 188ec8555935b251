import { expect, test, vi } from "vitest";
import type { PageError, ToFrame } from "../../../lib/pageMessages";
import type { Sharing } from "../fold/sharing";
import { openPageHost, type PageShown } from "./pageHost";
import type { Page, PageRequests } from "./requests";

const CLOSED = { content: "secret", agentRead: false, agentWrite: false };

/** A page that a pack brought writes to a tab of notes, before a person who answers so. */
function given(
  answer: boolean,
  before: { value: unknown; present: boolean },
  broughtBy: string | null = "protoagent",
) {
  const thrown: string[] = [];
  const written: unknown[] = [];
  const asked: Sharing[] = [];
  const told: ToFrame[] = [];
  const requests = {
    follows: false,
    readState: async () => ({ ...before, sequence: 1 }),
    writeState: async (_key: string, value: unknown) => {
      written.push(value);
      return { value, present: true, sequence: 2 };
    },
  } as unknown as PageRequests;
  const shown = {
    onAlive: () => {},
    onThrown: ({ message }: PageError) => thrown.push(message),
    onShare: async (sharing: Sharing) => {
      asked.push(sharing);
      return answer;
    },
  } as unknown as PageShown;
  const page = { broughtBy } as Page;
  const host = openPageHost("main", page, "light" as never, requests, (one) => told.push(one), shown);
  const watch = async (key = "shared-notes/Todo") => {
    host.receive(JSON.stringify({ kind: "watch", key }));
    await vi.waitFor(() => expect(told.some((one) => one.kind === "state")).toBe(true));
    return told.find((one) => one.kind === "state");
  };
  const write = async (value: unknown, id = 1, key = "shared-notes/Todo") => {
    host.receive(JSON.stringify({ kind: "write", id, key, value }));
    await vi.waitFor(() => expect(told.some((one) => one.kind === "answer" && one.id === id)).toBe(true));
    return told.find((one) => one.kind === "answer" && one.id === id);
  };
  return { watch, write, written, asked, thrown };
}

test("a page turns no switch of the notes on without the person's yes", async () => {
  const { write, written, asked } = given(false, { value: CLOSED, present: true });
  const open = { ...CLOSED, agentRead: true };
  expect(await write(open)).toMatchObject({ ok: false });
  expect(asked).toEqual([{ tab: "Todo", may: "read" }]);
  expect(written).toEqual([]);
});

test("with a yes it is written", async () => {
  const { write, written } = given(true, { value: CLOSED, present: true });
  expect(await write({ ...CLOSED, agentWrite: true })).toMatchObject({ ok: true });
  expect(written).toEqual([{ ...CLOSED, agentWrite: true }]);
});

test("what it turns off, and a new tab, need no yes", async () => {
  const off = given(false, { value: { ...CLOSED, agentRead: true }, present: true });
  expect(await off.write(CLOSED)).toMatchObject({ ok: true });
  const fresh = given(false, { value: null, present: false });
  expect(await fresh.write({ content: "", agentRead: true, agentWrite: true })).toMatchObject({ ok: true });
  expect([...off.asked, ...fresh.asked]).toEqual([]);
});

const READ = { ...CLOSED, agentRead: true };
const WRITTEN = { ...CLOSED, agentWrite: true };

test("a page of the agent's own reads a tab of notes only where the agent may, and is told why not", async () => {
  const shut = given(true, { value: CLOSED, present: true }, null);
  expect(await shut.watch()).toEqual({
    kind: "state",
    key: "shared-notes/Todo",
    value: null,
    present: false,
  });
  expect(shut.thrown).toEqual([
    'The notes in "Todo" are not shared with the agent, so its pages can\'t read them.',
  ]);
  expect(await given(true, { value: READ, present: true }, null).watch()).toMatchObject({ value: READ });
  expect(await given(true, { value: CLOSED, present: true }).watch()).toMatchObject({ value: CLOSED });
  const other = given(true, { value: CLOSED, present: true }, null);
  expect(await other.watch("shared-notes-of-mine")).toMatchObject({ value: CLOSED });
});

test("it writes a tab only where the agent may, sees nothing by it, and makes none", async () => {
  const shut = given(true, { value: READ, present: true }, null);
  expect(await shut.write(WRITTEN)).toMatchObject({
    ok: false,
    message: expect.stringContaining("may not write"),
  });
  const none = given(true, { value: null, present: false }, null);
  expect(await none.write(READ)).toMatchObject({
    ok: false,
    message: expect.stringContaining("Only people"),
  });
  const list = given(true, { value: WRITTEN, present: true }, null);
  expect(await list.write([], 1, "shared-notes")).toMatchObject({ ok: false });
  expect([shut, none, list].flatMap(({ written }) => written)).toEqual([]);
  const open = given(true, { value: WRITTEN, present: true }, null);
  await open.watch();
  expect(await open.write(WRITTEN)).toMatchObject({ ok: true });
  expect(open.thrown.length).toBeGreaterThan(0);
});
