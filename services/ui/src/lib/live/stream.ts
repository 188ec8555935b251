/**
 * One connection to the gateway's live events: made, noticed when it dies, and made again.
 *
 * It reads the stream with fetch, not EventSource: only so are a refusal's status and the heartbeats visible,
 * and a connection that died silently (a laptop that slept) is noticed.
 */
import { api } from "../api";
import { backOff } from "../backOff";
import { Problem, Unreachable } from "../problems";
import { type Frame, frameReader } from "./frames";

export type Connection = "connecting" | "live" | "interrupted" | "paused" | "refused";

export interface StreamOwner {
  /** Where the next connection begins (null: with what happens from then on), and whose answers it streams. */
  wanted(): { after: string | null; watch: string[] };
  /** How long (ms) the page may be hidden before the connection is let go; it resumes when the page is shown. */
  patience(): number;
  onFrame(frame: Frame): void;
  onConnection(state: Connection, problem?: Problem): void;
}

/** Makes a connection for its owner. */
export type Connect = (owner: StreamOwner) => Stream;

export interface Stream {
  /** Connect now, in place of whatever connection is there: what is wanted has changed. */
  restart(): void;
  close(): void;
}

/** The gateway sends a heartbeat each 15 s: three missed ones mean that the connection is dead. */
export const SILENCE_MS = 45_000;

/** Connects, and keeps connected until it is closed. */
export function openStream(owner: StreamOwner): Stream {
  let attempt = 0;
  let connection: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function read(mine: AbortController): Promise<void> {
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), SILENCE_MS);
    };
    heard();
    try {
      const { data } = await api.GET("/events", {
        params: { query: { ...owner.wanted(), rows: true } },
        headers: { accept: "text/event-stream" },
        cache: "no-store",
        parseAs: "stream",
        signal: mine.signal,
      });
      if (!data) throw new Unreachable(new Error("The stream has no body"));
      if (connection !== mine) return;
      owner.onConnection("live");
      // What is heard may make another connection: then the rest of this one counts no more.
      const feed = frameReader(
        (frame) => connection === mine && owner.onFrame(frame),
        (flaw) => reportError(flaw),
      );
      const reader = data.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || connection !== mine) return;
        heard();
        attempt = 0;
        feed(value);
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
      owner.onConnection("refused", problem);
      return;
    }
    owner.onConnection("interrupted", problem);
    timer = setTimeout(connect, backOff(attempt, Math.random()));
    attempt += 1;
  }

  /** Whoever looks now need not wait for the next try. */
  function onVisibility(): void {
    if (document.visibilityState === "visible" && !connection) begin();
  }

  function begin(): void {
    attempt = 0;
    owner.onConnection("connecting");
    void connect();
  }

  // A shared worker has no document.
  const page = "document" in globalThis ? document : null;
  page?.addEventListener("visibilitychange", onVisibility);
  addEventListener("online", begin);
  begin();

  return {
    restart() {
      attempt = 0;
      void connect();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      page?.removeEventListener("visibilitychange", onVisibility);
      removeEventListener("online", begin);
      connection?.abort();
      connection = null;
    },
  };
}
