import { afterEach, expect, test, vi } from "vitest";
import type { SessionPage } from "../../../lib/wire";
import { event, session } from "../../../testing/given";
import { liveByHand } from "../../../testing/liveEvents";
import { withRows } from "../../../testing/rows";
import { type OpenSessionList, openSessionList } from "./openSessionList";
import type { ListRequests } from "./requests";

const pageOf = (ids: string[], next_cursor: string | null = null): SessionPage => ({
  items: ids.map((id, index) => session({ id, title: `Chat ${id}`, last_sequence: 10 + index })),
  next_cursor,
});

let list: OpenSessionList | null = null;
afterEach(() => list?.close());

const accepted = async () => ({ event_id: "e_1", sequence: 60 });

async function open(requests: Partial<ListRequests>) {
  const { live, heard } = liveByHand();
  const all: ListRequests = {
    page: vi.fn(async () => pageOf(["s_1", "s_2"])),
    rename: vi.fn(accepted),
    pin: vi.fn(accepted),
    archive: vi.fn(accepted),
    reopen: vi.fn(accepted),
    erase: vi.fn(accepted),
    ...requests,
  };
  const opened = openSessionList({
    requests: all,
    live,
    retrying: (action) => action(),
  });
  list = opened;
  await vi.waitFor(() => expect(opened.get().loaded || opened.get().failure).toBeTruthy());
  return { list: opened, heard: heard(), requests: all };
}

test("it follows on from the newest event of the page it loaded", async () => {
  const { heard } = await open({});
  expect(heard.following).toEqual({ after: 11 });
});

test("a session beyond the loaded pages appears when something happens in it", async () => {
  const { list, heard } = await open({});
  heard.listener.onEvent(withRows(event(20, "turn_started", {}, "s_9"), { session: { status: "running" } }));
  expect(list.get().view.sessions.s_9?.status).toBe("running");
});

test("older sessions are loaded page by page", async () => {
  const pages = [pageOf(["s_1"], "next"), pageOf(["s_0"])];
  const { list } = await open({ page: async () => pages.shift() ?? pageOf([]) });
  await list.loadMore();
  expect(Object.keys(list.get().view.sessions)).toEqual(["s_1", "s_0"]);
  expect(list.get().cursor).toBeNull();
});

test("only the last of several searches counts", async () => {
  const page = vi.fn(async ({ q }: { q?: string }) => pageOf(q ? [`s_${q}`] : []));
  const { list } = await open({ page });
  list.search("te");
  list.search("tea");
  await vi.waitFor(() => expect(list.get().search.found).toEqual({ s_tea: null }));
  expect(page.mock.calls.map(([query]) => query.q)).toEqual([undefined, "tea"]);
  list.search("");
  expect(list.get().search).toEqual({ text: "", found: {} });
});

test("a list that can't be read says so, and still hears what happens", async () => {
  const { list, heard } = await open({ page: async () => Promise.reject(new Error("Postgres is away")) });
  expect(list.get().failure).toBe("Postgres is away");
  expect(heard.following).toEqual({ on: null });
});

test("what is done to several is done to each, and what fails is said without ending the rest", async () => {
  const archive = vi.fn<ListRequests["archive"]>(accepted);
  archive.mockRejectedValueOnce(new Error("The first is away"));
  const { list } = await open({ archive });
  await list.act("archive", ["s_1", "s_2"]);
  expect(archive.mock.calls.map(([id]) => id)).toEqual(["s_1", "s_2"]);
  expect(list.get().failure).toBe("The first is away");
});
