/**
 * The live event stream: connects, resumes where it was, and says how it is doing.
 *
 * It reads the stream with fetch, not EventSource: only so are a refusal's status and the heartbeats visible,
 * and a connection that died silently (a laptop that slept) is noticed.
 */
import type { Delta } from "../contracts/events";
import { address, Problem, problemOf } from "./http";
import { eventParser, type ServerSentEvent } from "./serverSentEvents";
import type { LiveAnswerSoFar, LogEvent } from "./wire";

export type Connection = "connecting" | "live" | "interrupted" | "paused" | "refused";

export interface FeedListener {
  onEvent(event: LogEvent): void;
  onDelta(delta: Delta): void;
  /** The stream began in the middle of an answer: what came of it before. */
  onAnswer?(answer: LiveAnswerSoFar): void;
  onConnection(state: Connection, problem?: Problem): void;
}

export interface FeedOptions {
  /** Only this session's events; all sessions' without it. */
  sessionId?: string;
  /** Only this agent's events: those of its sessions, and of what it has. */
  agentId?: string;
  /** The log sequence after which to begin; null: with what happens from each connection on. */
  after: number | null;
  /** How long (ms) the page may be hidden before the stream is let go; it resumes when the page is shown. */
  pauseWhenHidden?: number;
}

/** The gateway sends a heartbeat each 15 s: three missed ones mean that the connection is dead. */
export const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 15_000;

/** How long to wait before try number `attempt` (from 0): doubling, capped, with `spread` in 0…1 as jitter. */
export function backOff(attempt: number, spread: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return longest / 2 + (longest / 2) * spread;
}

/** Opens the feed; the returned function closes it for good. */
export function openFeed(options: FeedOptions, listener: FeedListener): () => void {
  let after = options.after;
  let attempt = 0;
  let connection: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  function deliver(message: ServerSentEvent): void {
    if (message.event === "delta") {
      listener.onDelta(JSON.parse(message.data) as Delta);
    } else if (message.event === "answer") {
      listener.onAnswer?.(JSON.parse(message.data) as LiveAnswerSoFar);
    } else if (message.event === "event") {
      const sequence = Number(message.id);
      if (after !== null && sequence <= after) return;
      after = sequence;
      listener.onEvent(JSON.parse(message.data) as LogEvent);
    }
  }

  /** One event that can't be read must not stop those after it: it is reported, and the stream goes on. */
  function deliverSafely(message: ServerSentEvent): void {
    try {
      deliver(message);
    } catch (error) {
      reportError(error);
    }
  }

  async function read(mine: AbortController): Promise<void> {
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), SILENCE_MS);
    };
    heard();
    try {
      const query = { session_id: options.sessionId, agent_id: options.agentId, after };
      const response = await fetch(address("/events", query), {
        headers: { accept: "text/event-stream" },
        credentials: "same-origin",
        cache: "no-store",
        signal: mine.signal,
      });
      if (!response.ok || !response.body) throw await problemOf(response);
      listener.onConnection("live");
      const parse = eventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || connection !== mine) return;
        heard();
        attempt = 0;
        for (const message of parse(value)) deliverSafely(message);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  async function connect(): Promise<void> {
    clearTimeout(timer);
    connection?.abort();
    const mine = new AbortController();
    connection = mine;
    let problem: Problem | undefined;
    try {
      await read(mine);
    } catch (error) {
      // Anything but a refusal is a connection that broke: it is made again.
      problem = error instanceof Problem ? error : undefined;
    }
    mine.abort();
    if (closed || connection !== mine) return;
    connection = null;
    if (problem && problem.status < 500 && problem.status !== 429) {
      listener.onConnection("refused", problem);
      return;
    }
    listener.onConnection("interrupted", problem);
    timer = setTimeout(connect, backOff(attempt, Math.random()));
    attempt += 1;
  }

  function pause(): void {
    clearTimeout(timer);
    const open = connection;
    connection = null;
    open?.abort();
    listener.onConnection("paused");
  }

  function onVisibility(): void {
    clearTimeout(hiddenTimer);
    if (document.visibilityState === "hidden") {
      if (options.pauseWhenHidden !== undefined) hiddenTimer = setTimeout(pause, options.pauseWhenHidden);
    } else if (!connection) {
      onOnline();
    }
  }

  function onOnline(): void {
    attempt = 0;
    listener.onConnection("connecting");
    void connect();
  }

  document.addEventListener("visibilitychange", onVisibility);
  window.addEventListener("online", onOnline);
  listener.onConnection("connecting");
  void connect();

  return () => {
    closed = true;
    clearTimeout(timer);
    clearTimeout(hiddenTimer);
    document.removeEventListener("visibilitychange", onVisibility);
    window.removeEventListener("online", onOnline);
    connection?.abort();
    connection = null;
  };
}
