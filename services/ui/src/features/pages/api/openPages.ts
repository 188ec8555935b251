/** The list of an agent's pages: read once, then followed. */
import { type EntityEvent, onAgentEvent } from "../../../lib/agentEvents";
import { Problem } from "../../../lib/http";
import { retrying } from "../../../lib/retrying";
import { createStore } from "../../../lib/store";
import { evolve, noPages, type PagesView, withPages } from "../fold/pageList";
import { pageRequests } from "./requests";

export interface OpenPages {
  get(): PagesView;
  subscribe(listener: () => void): () => void;
  close(): void;
}

export function openPages(agentId: string): OpenPages {
  const state = createStore(noPages(agentId));
  // First the events: what happens while the list is read must not be missed.
  const stop = onAgentEvent((event: EntityEvent) => state.set((view) => evolve(view, event), "soon"));
  let closed = false;

  async function load(): Promise<void> {
    try {
      const read = await retrying(() => pageRequests(agentId).list());
      if (!closed) state.set((view) => withPages(view, read));
    } catch (error) {
      // An agent that isn't there has no pages; of anything else the rest of the screen tells.
      if (!(error instanceof Problem && error.status === 404))
        console.warn("The pages can't be listed", error);
      if (!closed) state.set((view) => withPages(view, []));
    }
  }

  void load();
  return {
    get: state.get,
    subscribe: state.subscribe,
    close() {
      closed = true;
      stop();
    },
  };
}
