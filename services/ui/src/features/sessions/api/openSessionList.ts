/** The session list: loads it, follows it live, pages and searches. */

import { live as tab } from "../../../lib/live/live";
import { newKey } from "../../../lib/newKey";
import { messageOf } from "../../../lib/problems";
import { repeating } from "../../../lib/repeating";
import { retrying } from "../../../lib/retrying";
import { createStore } from "../../../lib/store";
import type { Session, SessionMatch } from "../../../lib/wire";
import { EMPTY_LIST, type ListView, position, withChanged, withoutErased, withSessions } from "../fold/view";
import { type ListRequests, listRequests } from "./requests";

/** A hidden list goes without live events after this long (ms): browsers allow six connections to one server. */
const HIDDEN_MS = 5_000;
const SEARCH_DELAY_MS = 200;

export type RowAction = "pin" | "unpin" | "archive" | "reopen";

export interface ListState {
  view: ListView;
  loaded: boolean;
  failure: string | null;
  cursor: string | null;
  loadingMore: boolean;
  /** The text searched for, and what was found in which session: null while the search runs. */
  search: { text: string; found: Readonly<Record<string, SessionMatch | null>> | null };
}

export interface SessionListPorts {
  requests: ListRequests;
  live: typeof tab;
  retrying: typeof retrying;
}

export interface OpenSessionList {
  get(): ListState;
  subscribe(listener: () => void): () => void;
  search(text: string): void;
  loadMore(): Promise<void>;
  /** Do it to each of these sessions; what failed is said. */
  act(action: RowAction, ids: readonly string[]): Promise<void>;
  rename(id: string, title: string): Promise<void>;
  /** Delete it for ever; what it fails with is thrown. */
  erase(id: string): Promise<void>;
  reload(): void;
  close(): void;
}

const INITIAL: ListState = {
  view: EMPTY_LIST,
  loaded: false,
  failure: null,
  cursor: null,
  loadingMore: false,
  search: { text: "", found: {} },
};

export function openSessionList(ports: Partial<SessionListPorts> = {}): OpenSessionList {
  const requests = ports.requests ?? listRequests;
  const persist = ports.retrying ?? retrying;
  const state = createStore(INITIAL);
  let searchTimer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const patch = (change: Partial<ListState>) => state.set((current) => ({ ...current, ...change }));
  const add = (sessions: readonly Session[]) =>
    state.set((current) => ({ ...current, view: withSessions(current.view, sessions) }));

  const subscription = (ports.live ?? tab).subscribe(
    { whenHidden: HIDDEN_MS },
    {
      onEvent(event) {
        if (event.rows === null) void load(); // what it changed the gateway couldn't tell
        state.set((current) => {
          const view = withChanged(current.view, event);
          return view === current.view ? current : { ...current, view };
        }, "soon");
      },
    },
  );

  const again = repeating(() => void load());

  async function load(): Promise<void> {
    again.stop();
    try {
      const page = await persist(() => requests.page({}));
      if (closed) return;
      add(page.items);
      patch({ loaded: true, failure: null, cursor: page.next_cursor });
      subscription.followAfter(position(state.get().view));
    } catch (error) {
      if (closed) return;
      patch({ failure: messageOf(error) });
      subscription.followOn();
      again.failed(error);
    }
  }

  async function runSearch(text: string): Promise<void> {
    try {
      const page = await persist(() => requests.page({ q: text }));
      if (state.get().search.text !== text) return;
      add(page.items);
      const found = Object.fromEntries(page.items.map(({ id, found }) => [id, found ?? null]));
      patch({ search: { text, found }, failure: null });
    } catch (error) {
      if (state.get().search.text === text) patch({ search: { text, found: {} }, failure: messageOf(error) });
    }
  }

  function done(action: RowAction, id: string, key: string) {
    if (action === "archive") return requests.archive(id, key);
    if (action === "reopen") return requests.reopen(id, key);
    return requests.pin(id, action === "pin", key);
  }

  void load();

  return {
    get: state.get,
    subscribe: state.subscribe,
    search(text) {
      clearTimeout(searchTimer);
      const wanted = text.trim();
      patch({ search: { text: wanted, found: wanted ? null : {} } });
      if (wanted) searchTimer = setTimeout(() => void runSearch(wanted), SEARCH_DELAY_MS);
    },
    async loadMore() {
      const { cursor, loadingMore } = state.get();
      if (!cursor || loadingMore) return;
      patch({ loadingMore: true });
      try {
        const page = await persist(() => requests.page({ cursor }));
        add(page.items);
        patch({ cursor: page.next_cursor, loadingMore: false });
      } catch (error) {
        patch({ failure: messageOf(error), loadingMore: false });
      }
    },
    async act(action, ids) {
      patch({ failure: null });
      for (const id of ids) {
        const key = newKey();
        try {
          await persist(() => done(action, id, key));
        } catch (error) {
          patch({ failure: messageOf(error) });
        }
      }
    },
    async erase(id) {
      const key = newKey();
      await persist(() => requests.erase(id, key));
      state.set((current) => ({ ...current, view: withoutErased(current.view, id) }));
    },
    async rename(id, title) {
      patch({ failure: null });
      const key = newKey();
      try {
        await persist(() => requests.rename(id, title, key));
      } catch (error) {
        patch({ failure: messageOf(error) });
      }
    },
    reload() {
      patch({ failure: null });
      void load();
    },
    close() {
      closed = true;
      again.stop();
      clearTimeout(searchTimer);
      subscription.close();
    },
  };
}
