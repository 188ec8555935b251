/** One open chat: loads it, follows it live, and carries out what the user does in it. */
import { includes, recordOf } from "../../../lib/address";
import type { ApprovalAnswer } from "../../../lib/approvals";
import { live as tab } from "../../../lib/live/live";
import { newKey } from "../../../lib/newKey";
import { isPassing, messageOf, Problem } from "../../../lib/problems";
import { type Repeating, repeating } from "../../../lib/repeating";
import { retrying } from "../../../lib/retrying";
import { hidesMessages } from "../../../lib/rewinding";
import { withRow } from "../../../lib/rows";
import { type Acted, questionKey } from "../../../lib/shown";
import { createStore } from "../../../lib/store";
import type { FoundMessages, LogEvent, Session } from "../../../lib/wire";
import { ANSWERED } from "../../../lib/words";
import type { Thinking } from "../fold/choosing";
import { withAnswer, withDelta } from "../fold/live";
import type { Said } from "../fold/outbox";
import { opened, withChanged, withEarlier } from "../fold/page";
import type { Answer } from "../fold/question";
import type { ChatView } from "../fold/view";
import { type ChatRequests, chatRequests, LARGE_PAGE, PAGE } from "./requests";
import { startSending } from "./sending";
import { type Answering, type ChatState, CLOSED_STATE } from "./state";

/** A hidden chat goes without live events after this long (ms): browsers allow six connections to one server. */
const HIDDEN_MS = 60_000;

/** Events that change which sessions are around this one, or what they used. */
const FAMILY: ReadonlySet<string> = new Set([
  "foldline.session.child_spawned.v1",
  "foldline.session.child_finished.v1",
  "foldline.session.fork_made.v1",
]);

export interface Ports {
  requests: ChatRequests;
  live: typeof tab;
  retrying: typeof retrying;
  newKey: () => string;
}

export interface OpenChat {
  get(): ChatState;
  subscribe(listener: () => void): () => void;
  send(said: Said): void;
  retry(key: string): void;
  discard(key: string): void;
  answer(callId: string, answer: Answer | Acted | ApprovalAnswer): Promise<void>;
  stop(): Promise<void>;
  askAgain(): Promise<void>;
  rename(title: string): Promise<void>;
  think(thinking: Thinking): Promise<void>;
  archive(): Promise<void>;
  reopen(): Promise<void>;
  continueWith(tokenLimit: number): Promise<void>;
  loadEarlier(): Promise<void>;
  /** Load earlier messages until the one at this place is there, or no earlier ones are. */
  loadBackTo(place: number): Promise<void>;
  find(words: string): Promise<FoundMessages>;
  reload(): void;
  dismissNotice(): void;
  close(): void;
}

/** Open a session. `minSequence`: an event that the first read must include (a session just created). */
export function openChat(sessionId: string, minSequence?: number, ports: Partial<Ports> = {}): OpenChat {
  const requests = ports.requests ?? chatRequests(sessionId);
  const live = ports.live ?? tab;
  const persist = ports.retrying ?? retrying;
  const key = ports.newKey ?? newKey;
  const state = createStore<ChatState>(CLOSED_STATE);
  const sending = startSending(sessionId, state, requests, key, persist);
  let generation = 0;
  let pageLoading: Promise<void> = Promise.resolve();
  let again: Repeating = repeating(() => void load());

  const patch = (change: Partial<ChatState>) => state.set((current) => ({ ...current, ...change }));
  const fold = (change: (view: ChatView) => ChatView) =>
    state.set((current) => {
      const view = current.view && change(current.view);
      if (view === current.view) return current;
      const stopping = current.stopping && view?.session.status === "running";
      return { ...current, view, stopping };
    }, "soon");

  // It begins before anything is read: what comes of an answer meanwhile is not lost.
  const subscription = live.subscribe(
    { sessionId, watch: [sessionId], whenHidden: HIDDEN_MS },
    {
      onEvent,
      onDelta: (delta) => fold((view) => withDelta(view, delta)),
      onAnswer: (answer) => fold((view) => withAnswer(view, answer)),
      onConnection: (connection, problem) =>
        patch(problem ? { connection, notice: problem.message } : { connection }),
    },
  );

  /** Read the session anew; with `atLeast` everything up to that event. */
  async function load(atLeast?: number): Promise<void> {
    again.stop();
    again = repeating(() => void load(atLeast));
    generation += 1;
    const mine = generation;
    subscription.hold();
    try {
      const { session, ...page } = await persist(() => requests.newest(atLeast));
      if (mine !== generation) return;
      patch({ view: opened(session, page), failure: null });
      sending.settle();
      subscription.followAfter(page.sequence);
    } catch (error) {
      if (mine !== generation) return;
      const kind = error instanceof Problem ? error.kind : "unreachable";
      patch({ failure: { kind, message: messageOf(error), passes: isPassing(error) } });
      again.failed(error);
    }
  }

  function onEvent(event: LogEvent): void {
    if ((hidesMessages(event) || event.rows === null) && isNew(event)) {
      // What it hides and what it shows again, and what the gateway couldn't tell, only the whole history tells.
      void load(recordOf(event.sequence));
      return;
    }
    if (FAMILY.has(event.type) && isNew(event)) void refreshFamily(recordOf(event.sequence));
    fold((view) => withChanged(view, event));
    sending.settle();
  }

  /** `what` names the action, such as "Stopping": a notice says that it failed, and why. */
  async function command(what: string, action: () => Promise<unknown>): Promise<boolean> {
    patch({ notice: null });
    try {
      await persist(action);
      return true;
    } catch (error) {
      patch({ notice: `${what} failed: ${messageOf(error)}` });
      return false;
    }
  }

  function answering(asked: string, change: Answering): void {
    state.set((current) => ({ ...current, answering: { ...current.answering, [asked]: change } }));
  }

  void load(minSequence);

  return {
    get: state.get,
    subscribe: state.subscribe,
    send: sending.send,
    retry: sending.retry,
    discard: sending.discard,
    async answer(callId, answer) {
      const call = state.get().view?.calls[callId];
      const asked = call ? questionKey(call) : callId;
      if (state.get().answering[asked]?.state === "sending") return;
      answering(asked, { answer, state: "sending", problem: null, path: null });
      const idempotencyKey = key();
      try {
        await persist(() => requests.answer(callId, answer, idempotencyKey));
        answering(asked, { answer, state: "accepted", problem: null, path: null });
      } catch (error) {
        const late = error instanceof Problem && error.status === 409;
        const problem = late ? ANSWERED : messageOf(error);
        const path = error instanceof Problem && typeof error.more.path === "string" ? error.more.path : null;
        answering(asked, { answer, state: late ? "accepted" : "failed", problem, path });
        if (late) await refresh(callId);
      }
    },
    async stop() {
      patch({ stopping: true });
      const idempotencyKey = key();
      if (!(await command("Stopping", () => requests.interrupt(idempotencyKey)))) patch({ stopping: false });
    },
    async askAgain() {
      const idempotencyKey = key();
      await command("Asking again", () => requests.retry(idempotencyKey));
    },
    async rename(title) {
      const idempotencyKey = key();
      await command("Renaming", () => requests.rename(title, idempotencyKey));
    },
    async think(thinking) {
      const idempotencyKey = key();
      await command("Changing the thinking", () => requests.think(thinking, idempotencyKey));
    },
    async reopen() {
      const idempotencyKey = key();
      await command("Reopening", () => requests.reopen(idempotencyKey));
    },
    async archive() {
      const idempotencyKey = key();
      await command("Archiving", () => requests.archive(idempotencyKey));
    },
    async continueWith(tokenLimit) {
      const idempotencyKey = key();
      await command("Raising the token limit", () => requests.continueWith(tokenLimit, idempotencyKey));
    },
    async loadEarlier() {
      const { view, earlier } = state.get();
      if (!view || view.before === null || earlier === "loading") return;
      await loadPageBefore(view.before, PAGE);
    },
    async loadBackTo(place) {
      for (;;) {
        const { view, earlier } = state.get();
        const first = view?.messages[0]?.sequence;
        if (!view || view.before === null || first === undefined || first <= place) return;
        if (earlier === "loading") await pageLoading;
        else await loadPageBefore(view.before, LARGE_PAGE);
        if (state.get().earlier === "failed") throw new Error("Earlier messages can't be loaded now.");
      }
    },
    find: (words) => persist(() => requests.find(words)),
    reload() {
      patch({ failure: null });
      void load();
    },
    dismissNotice: () => patch({ notice: null }),
    close() {
      generation += 1;
      again.stop();
      subscription.close();
    },
  };

  function loadPageBefore(before: string, limit: number): Promise<void> {
    patch({ earlier: "loading" });
    pageLoading = (async () => {
      try {
        const page = await persist(() => requests.earlier(before, limit));
        state.set((current) => ({
          ...current,
          earlier: "idle",
          view: current.view?.before === before ? withEarlier(current.view, page) : current.view,
        }));
      } catch (error) {
        patch({ earlier: "failed", notice: messageOf(error) });
      }
    })();
    return pageLoading;
  }

  function isNew(event: LogEvent): boolean {
    return !includes(state.get().view?.session.last_sequence ?? 0, event.sequence);
  }

  /** Read again which sessions are around this one, as of an event that changed it. */
  async function refreshFamily(sequence: number): Promise<void> {
    try {
      const { children, forks, family, usage_with_children } = await persist(() =>
        requests.session(sequence),
      );
      fold((view) => ({
        ...view,
        session: { ...view.session, children, forks, family, usage_with_children } as Session,
      }));
    } catch (error) {
      console.warn(`The sessions around ${sessionId} can't be read`, error);
    }
  }

  /** Read one call again, where an answer came too late to know what became of it. */
  async function refresh(callId: string): Promise<void> {
    try {
      const call = await requests.call(callId);
      fold((view) => ({ ...view, calls: withRow(view.calls, callId, call) }));
    } catch (error) {
      patch({ notice: messageOf(error) });
    }
  }
}
