/** Sends the outbox in order, and keeps it over a reload. */
import { recall, remember } from "../../../lib/browserStorage";
import { isPassing, messageOf, Problem } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import type { Store } from "../../../lib/store";
import { changed, delivered, type Outgoing, outgoing, type Said } from "../fold/outbox";
import type { ChatRequests } from "./requests";
import type { ChatState } from "./state";

/** So many tries last half a minute: longer than a gateway needs to start again. */
const TRIES = 8;

export interface Sending {
  send(said: Said): void;
  retry(key: string): void;
  discard(key: string): void;
  /** Drop what the log has, and remember what is left. */
  settle(): void;
}

export function startSending(
  sessionId: string,
  state: Store<ChatState>,
  requests: ChatRequests,
  newKey: () => string,
  send: typeof retrying = retrying,
): Sending {
  const prefix = `foldline.outbox.${sessionId}.`;
  let tail: Promise<void> = Promise.resolve();

  function update(change: (outbox: readonly Outgoing[]) => readonly Outgoing[]): void {
    const before = state.get().outbox;
    const after = change(before);
    if (after === before) return;
    state.set((current) => ({ ...current, outbox: after }));
    // Each message is kept under its own name: a chat opened again meanwhile keeps its own.
    for (const { key } of before) remember(sessionStorage, prefix + key, null);
    for (const entry of after) remember(sessionStorage, prefix + entry.key, JSON.stringify(entry));
  }

  /** One after the other, so that messages arrive in the order in which they were written. */
  function enqueue(entry: Outgoing): void {
    tail = tail.then(async () => {
      try {
        const { sequence } = await send(() => requests.send(entry, entry.key), TRIES);
        update((outbox) => changed(outbox, entry.key, { state: "accepted", sequence }));
        settle();
      } catch (error) {
        // Logged out: it goes by itself once the user is back.
        if (error instanceof Problem && error.status === 401) return;
        const problem = isPassing(error)
          ? `${messageOf(error)} Nothing is lost: try again.`
          : messageOf(error);
        update((outbox) => changed(outbox, entry.key, { state: "failed", problem }));
      }
    });
  }

  function settle(): void {
    const { view } = state.get();
    if (view) update((outbox) => delivered(outbox, view));
  }

  const kept = recalled(prefix);
  if (kept.length) {
    state.set((current) => ({ ...current, outbox: kept }));
    for (const entry of kept) if (entry.state === "sending") enqueue(entry);
  }

  return {
    send(said) {
      const entry = outgoing(newKey(), said, state.get().view?.session.last_sequence ?? 0, Date.now());
      update((outbox) => [...outbox, entry]);
      enqueue(entry);
    },
    retry(key) {
      const entry = state
        .get()
        .outbox.find((candidate) => candidate.key === key && candidate.state === "failed");
      if (!entry) return;
      update((outbox) => changed(outbox, key, { state: "sending", problem: null }));
      enqueue(entry);
    },
    discard(key) {
      update((outbox) => changed(outbox, key, null));
    },
    settle,
  };
}

function recalled(prefix: string): Outgoing[] {
  try {
    return Object.keys(sessionStorage)
      .filter((name) => name.startsWith(prefix))
      .map((name) => JSON.parse(recall(sessionStorage, name)) as Outgoing)
      .sort((one, other) => one.at - other.at);
  } catch (error) {
    console.warn("Unsent messages could not be read back", error);
    return [];
  }
}
