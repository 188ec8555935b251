import { expect, test, vi } from "vitest";
import type { ToFrame } from "../../../lib/pageMessages";
import type { Sharing } from "../fold/sharing";
import { openPageHost, type PageShown } from "./pageHost";
import type { Page, PageRequests } from "./requests";

const CLOSED = { content: "secret", agentRead: false, agentWrite: false };

/** A page that writes to a tab of notes, before a person who answers so. */
function given(answer: boolean, before: { value: unknown; present: boolean }) {
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
    onThrown: () => {},
    onShare: async (sharing: Sharing) => {
      asked.push(sharing);
      return answer;
    },
  } as unknown as PageShown;
  const host = openPageHost("main", {} as Page, "light" as never, requests, (one) => told.push(one), shown);
  const write = async (value: unknown, id = 1) => {
    host.receive(JSON.stringify({ kind: "write", id, key: "shared-notes/Todo", value }));
    await vi.waitFor(() => expect(told.some((one) => one.kind === "answer" && one.id === id)).toBe(true));
    return told.find((one) => one.kind === "answer" && one.id === id);
  };
  return { write, written, asked };
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
