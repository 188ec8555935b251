/**
 * Live events: one connection for all who want to hear of them, whatever they want.
 *
 * Browsers allow six connections to one server, so all tabs of a browser share one (`shared.ts`). It carries the
 * events of every session and agent, and the pieces of answers of the sessions that are watched; each subscriber
 * hears of its own.
 */
import type { Delta } from "../../contracts/events";
import { addressOf, earlier, includes } from "../address";
import type { Problem } from "../problems";
import type { LiveAnswerSoFar, LogEvent } from "../wire";
import type { Frame } from "./frames";
import { createRecent } from "./recent";
import { type Connect, type Connection, openStream, type Stream } from "./stream";
import { whileVisible } from "./whileVisible";

/** What a subscriber wants to hear of; without a filter, of every event. */
export interface Wish {
  /** Only this session's events. */
  sessionId?: string;
  /** Only this agent's events: those of its sessions, and of what it has. */
  agentId?: string;
  /** Sessions of whose answers to hear the pieces, too, as they stream. */
  watch?: readonly string[];
  /** How long (ms) the page may be hidden before the connection may be let go. */
  whenHidden: number;
}

export interface LiveListener {
  /** Something came that isn't an event: nobody folds it. */
  onSkipped?(event: LogEvent): void;
  onEvent(event: LogEvent): void;
  onDelta?(delta: Delta): void;
  /** It began to listen in the middle of an answer: what came of it before. */
  onAnswer?(answer: LiveAnswerSoFar): void;
  onConnection?(state: Connection, problem?: Problem): void;
}

export interface Subscription {
  /** Hear of every event after `after`, what came meanwhile first; no gap and no repeat. */
  followAfter(after: number): void;
  /** Hear of what comes from now on; `after`: and of what came meanwhile after that event, as far as it is at hand. */
  followOn(after?: number): void;
  /** Hear of nothing until the next `follow…`; what comes meanwhile is not lost. */
  hold(): void;
  close(): void;
}

export interface Live {
  /** Nothing is heard before a `follow…`, but what comes from now on is not lost. */
  subscribe(wish: Wish, listener: LiveListener): Subscription;
}

interface Subscriber {
  wish: Wish;
  listener: LiveListener;
  following: boolean;
  /** Where it follows on at the start; null: wherever. */
  start: number | null;
  /** The last event that it need not hear of any more. */
  heard: number;
  /** The first piece of an answer that is for it. */
  from: number;
  told: Connection | null;
}

/** Those who begin together have read so far, each a little earlier or later: the connection begins with the earliest. */
const TOGETHER_MS = 50;
/** So long those who only listen wait for somebody who has read, and knows from where. */
const ALONE_MS = 1_000;

export function openLive(connect: Connect = whileVisible(openStream)): Live {
  const subscribers = new Set<Subscriber>();
  const recent = createRecent();
  let stream: Stream | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The last event that came; null: none has, and where the connection began is not known. */
  let position: number | null = null;
  let state: Connection = "connecting";
  let problem: Problem | undefined;

  function wants({ wish }: Subscriber, frame: Frame): boolean {
    if (frame.kind === "event") {
      const { session_id, agent_id } = frame.event;
      if (wish.sessionId !== undefined && wish.sessionId !== session_id) return false;
      return wish.agentId === undefined || wish.agentId === agent_id;
    }
    const { session_id } = frame.kind === "delta" ? frame.delta : frame.answer;
    return wish.watch?.includes(session_id) === true;
  }

  function deliver(subscriber: Subscriber, frame: Frame): void {
    const { listener } = subscriber;
    if (frame.kind === "event") {
      if (includes(subscriber.heard, frame.sequence)) return;
      subscriber.heard = frame.sequence;
      if (!wants(subscriber, frame)) return;
      if (frame.event.problem) listener.onSkipped?.(frame.event);
      else listener.onEvent(frame.event);
    } else if (wants(subscriber, frame)) {
      if (frame.kind === "delta") listener.onDelta?.(frame.delta);
      else listener.onAnswer?.(frame.answer);
    }
  }

  /** One listener that fails must not keep an event from the others. */
  function deliverSafely(subscriber: Subscriber, frame: Frame): void {
    try {
      deliver(subscriber, frame);
    } catch (error) {
      reportError(error);
    }
  }

  function onFrame(frame: Frame): void {
    if (frame.kind === "event") {
      if (position !== null && frame.sequence <= position) return;
      position = frame.sequence;
    }
    recent.add(frame);
    for (const subscriber of [...subscribers]) {
      if (subscriber.following) deliverSafely(subscriber, frame);
    }
  }

  function tell(subscriber: Subscriber): void {
    if (subscriber.told === state) return;
    subscriber.told = state;
    subscriber.listener.onConnection?.(state, problem);
  }

  function onConnection(next: Connection, why?: Problem): void {
    state = next;
    problem = why;
    for (const subscriber of [...subscribers]) tell(subscriber);
  }

  function wanted() {
    const watched = [...subscribers].flatMap(({ wish }) => wish.watch ?? []);
    return { after: position === null ? null : addressOf(position), watch: [...new Set(watched)].sort() };
  }

  function start(): void {
    const starts = [...subscribers].map((one) => one.start).filter((one) => one !== null);
    position = starts.length ? starts.reduce(earlier) : null;
    recent.begin(position);
    const patience = () => Math.max(...[...subscribers].map(({ wish }) => wish.whenHidden));
    stream = connect({ wanted, patience, onFrame, onConnection });
  }

  /** Go back to event `after`, or only make the connection anew; who has heard what comes again hears it once. */
  function restart(after?: number): void {
    if (after !== undefined) {
      position = after;
      recent.begin(after);
    }
    if (state === "refused") onConnection("connecting");
    stream?.restart();
  }

  function follow(subscriber: Subscriber, after: number | null, exactly: boolean): void {
    subscriber.following = true;
    subscriber.start = exactly ? after : null;
    if (!stream) {
      subscriber.heard = after ?? 0;
      clearTimeout(timer);
      const known = [...subscribers].some((one) => one.start !== null);
      timer = setTimeout(start, known ? TOGETHER_MS : ALONE_MS);
      return;
    }
    subscriber.heard = after ?? position ?? 0;
    if (exactly && after !== null && !recent.reaches(after)) {
      restart(after);
      return;
    }
    for (const frame of recent.since(subscriber.heard, subscriber.from)) {
      if (subscriber.following) deliverSafely(subscriber, frame);
    }
  }

  function leave(subscriber: Subscriber): void {
    subscribers.delete(subscriber);
    if (subscribers.size) return;
    clearTimeout(timer);
    stream?.close();
    stream = null;
    position = null;
    state = "connecting";
    problem = undefined;
  }

  return {
    subscribe(wish, listener) {
      const subscriber: Subscriber = {
        ...{ wish, listener, following: false, start: null, heard: 0, told: null },
        from: recent.count(),
      };
      subscribers.add(subscriber);
      // Only a new connection gets what an answer came to so far, and the rows of a session that was not watched.
      if (stream && wish.watch?.length) recent.begin(position);
      if (stream && (wish.watch?.length || state === "refused")) restart();
      tell(subscriber);
      return {
        followAfter: (after) => follow(subscriber, after, true),
        followOn: (after) => follow(subscriber, after ?? null, false),
        hold() {
          subscriber.following = false;
          subscriber.start = null;
          subscriber.from = recent.count();
        },
        close: () => leave(subscriber),
      };
    },
  };
}
