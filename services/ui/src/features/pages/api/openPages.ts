/** The list of an agent's pages: read once, then followed. */
import { live } from "../../../lib/live/live";
import { isNotFound } from "../../../lib/problems";
import { repeating } from "../../../lib/repeating";
import { retrying } from "../../../lib/retrying";
import { createStore } from "../../../lib/store";
import { isEntityEvent } from "../../../lib/wire";
import { evolve, noPages, type PagesView, withPages } from "../fold/pageList";
import { pageRequests } from "./requests";

/** Hidden pages go without live events after this long (ms). */
const HIDDEN_MS = 5_000;

export interface OpenPages {
  get(): PagesView;
  subscribe(listener: () => void): () => void;
  close(): void;
}

export function openPages(agentId: string): OpenPages {
  const state = createStore(noPages(agentId));
  // First the events: what happens while the list is read must not be missed.
  const subscription = live.subscribe(
    { agentId, whenHidden: HIDDEN_MS },
    {
      onEvent(event) {
        if (isEntityEvent(event)) state.set((view) => evolve(view, event), "soon");
      },
    },
  );
  subscription.followOn();
  let closed = false;

  const again = repeating(() => void load());

  async function load(): Promise<void> {
    try {
      const read = await retrying(() => pageRequests(agentId).list());
      if (!closed) state.set((view) => withPages(view, read));
    } catch (error) {
      // An agent that doesn't exist has no pages; of anything else the rest of the screen tells.
      if (!isNotFound(error)) console.warn("The pages can't be listed", error);
      if (closed) return;
      state.set((view) => withPages(view, []));
      again.failed(error);
    }
  }

  void load();
  return {
    get: state.get,
    subscribe: state.subscribe,
    close() {
      closed = true;
      again.stop();
      subscription.close();
    },
  };
}
