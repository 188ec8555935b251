/** What waits for the person: read, and read again when rows say that it may be different. */
import { later, recordOf } from "../../../lib/address";
import { live as tab } from "../../../lib/live/live";
import { messageOf } from "../../../lib/problems";
import { repeating } from "../../../lib/repeating";
import { retrying } from "../../../lib/retrying";
import { createStore } from "../../../lib/store";
import { type AttentionView, arrived, changedBy } from "../fold/view";
import { mayNotify, notify } from "./notify";
import { moreThings, readAttention } from "./requests";

/** Whoever wants to be told while the page is hidden keeps the connection so long (ms); else it may go soon. */
const TOLD_MS = 12 * 3_600_000;
const HIDDEN_MS = 5_000;
/** Events come in bunches: they are waited for so long (ms). */
const TOGETHER_MS = 300;

export interface AttentionState {
  view: AttentionView | null;
  /** Fetches the next page of things. */
  cursor: string | null;
  failure: string | null;
}

export interface AttentionPorts {
  read: typeof readAttention;
  more: typeof moreThings;
  live: typeof tab;
  notify: typeof notify;
}

export interface OpenAttention {
  get(): AttentionState;
  subscribe(listener: () => void): () => void;
  more(): Promise<void>;
  reload(): void;
  close(): void;
}

export function openAttention(ports: Partial<AttentionPorts> = {}): OpenAttention {
  const read = ports.read ?? readAttention;
  const tell = ports.notify ?? notify;
  const state = createStore<AttentionState>({ view: null, cursor: null, failure: null });
  let reading: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest: number | null = null;
  let closed = false;

  const subscription = (ports.live ?? tab).subscribe(
    { whenHidden: mayNotify() ? TOLD_MS : HIDDEN_MS },
    {
      onEvent(event) {
        const changed = changedBy(event);
        if (changed === null || (newest !== null && later(newest, changed) === newest)) return;
        newest = changed;
        if (timer === undefined) timer = setTimeout(() => void load(), TOGETHER_MS);
      },
    },
  );
  subscription.followOn();
  const again = repeating(() => void load());

  async function load(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    again.stop();
    reading?.abort();
    const own = new AbortController();
    reading = own;
    try {
      const from = newest === null ? null : recordOf(newest);
      const { cursor, ...view } = await retrying(() => read(from, own.signal));
      if (own.signal.aborted || closed) return;
      const before = state.get().view;
      state.set(() => ({ view, cursor, failure: null }));
      if (before) tell(arrived(before, view));
    } catch (error) {
      if (own.signal.aborted || closed) return;
      state.set((current) => ({ ...current, failure: messageOf(error) }));
      again.failed(error);
    }
  }

  void load();

  return {
    get: state.get,
    subscribe: state.subscribe,
    async more() {
      const { cursor, view } = state.get();
      if (!cursor || !view) return;
      const page = await (ports.more ?? moreThings)(cursor);
      state.set((current) => {
        if (current.view !== view) return current; // it was read anew meanwhile
        const things = [...view.things, ...page.items];
        return { ...current, view: { ...view, things }, cursor: page.next_cursor };
      });
    },
    reload: () => void load(),
    close() {
      closed = true;
      clearTimeout(timer);
      again.stop();
      reading?.abort();
      subscription.close();
    },
  };
}
