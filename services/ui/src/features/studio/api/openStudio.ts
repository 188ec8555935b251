/** What an agent has, read and then followed live. */
import { live as tab } from "../../../lib/live/live";
import type { Connection } from "../../../lib/live/stream";
import { messageOf } from "../../../lib/problems";
import { repeating } from "../../../lib/repeating";
import { retrying } from "../../../lib/retrying";
import { createStore } from "../../../lib/store";
import type { LogEvent } from "../../../lib/wire";
import { EMPTY, evolve, fromLists, type StudioView } from "../fold/view";
import { readLists } from "./things";

/** A hidden page goes without live events after this long (ms): browsers allow six connections to one server. */
const HIDDEN_MS = 5_000;

export interface StudioState {
  view: StudioView;
  loaded: boolean;
  failure: string | null;
  connection: Connection;
  /** How often everything was read: what is shown of one thing is read again with it. */
  reads: number;
}

export interface StudioPorts {
  readLists: typeof readLists;
  live: typeof tab;
  retrying: typeof retrying;
}

export interface OpenStudio {
  get(): StudioState;
  subscribe(listener: () => void): () => void;
  reload(): void;
  close(): void;
}

const INITIAL: StudioState = {
  view: EMPTY,
  loaded: false,
  failure: null,
  connection: "connecting",
  reads: 0,
};

/**
 * Opens what an agent has. First it listens, then it reads the lists: what happens while they are read is folded
 * over them, so nothing is missed, and each new connection reads them again.
 */
export function openStudio(agentId: string, ports: Partial<StudioPorts> = {}): OpenStudio {
  const lists = ports.readLists ?? readLists;
  const persist = ports.retrying ?? retrying;
  const state = createStore(INITIAL);
  let reading: AbortController | null = null;
  let meanwhile: LogEvent[] = [];

  const patch = (change: Partial<StudioState>) => state.set((current) => ({ ...current, ...change }));

  const again = repeating(() => void load());

  async function load(): Promise<void> {
    reading?.abort();
    const mine = new AbortController();
    reading = mine;
    meanwhile = [];
    again.stop();
    try {
      const found = await persist(() => lists(agentId, mine.signal));
      if (reading !== mine) return;
      reading = null;
      const view = meanwhile.reduce(evolve, fromLists(found));
      state.set((current) => ({ ...current, view, loaded: true, failure: null, reads: current.reads + 1 }));
    } catch (error) {
      if (reading !== mine) return;
      patch({ failure: messageOf(error) });
      again.failed(error);
    }
  }

  const subscription = (ports.live ?? tab).subscribe(
    { agentId, whenHidden: HIDDEN_MS },
    {
      onEvent(event) {
        if (reading) meanwhile.push(event);
        state.set((current) => {
          const view = evolve(current.view, event);
          return view === current.view ? current : { ...current, view };
        }, "soon");
      },
      onConnection(connection, problem) {
        patch({ connection, ...(connection === "refused" && problem ? { failure: problem.message } : {}) });
        if (connection === "live") void load();
      },
    },
  );
  subscription.followOn();

  return {
    get: state.get,
    subscribe: state.subscribe,
    reload() {
      patch({ failure: null });
      void load();
    },
    close() {
      again.stop();
      reading?.abort();
      reading = null;
      subscription.close();
    },
  };
}
