/** A gateway whose streams of live events the test writes by hand. */
import { vi } from "vitest";
import { event } from "./given";

export interface WrittenStream {
  /** What was asked for, without the address. */
  query: string;
  write(text: string): void;
  end(): void;
  closed(): boolean;
}

/**
 * Answers each request for live events with a stream, or with what `refusals` holds; any other request with what
 * `answer` makes of its address below `/api/v1`.
 */
export function streamsByHand(answer: (path: string) => Response = nobody): {
  streams: WrittenStream[];
  refusals: Response[];
  open: () => WrittenStream[];
} {
  const streams: WrittenStream[] = [];
  const refusals: Response[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname !== "/api/v1/events") return answer(pathname.replace(/^\/api\/v1/, ""));
    const refusal = refusals.shift();
    if (refusal) return refusal;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    // Who has left hears no more: nothing of it is a fault of the test.
    const left = () => {};
    writer.closed.catch(left);
    let closed = false;
    request.signal.addEventListener("abort", () => {
      closed = true;
      writer.abort().catch(left);
    });
    streams.push({
      query: search,
      write: (text) => void writer.write(new TextEncoder().encode(text)).catch(left),
      end() {
        closed = true;
        writer.close().catch(left);
      },
      closed: () => closed,
    });
    return new Response(readable);
  });
  return { streams, refusals, open: () => streams.filter((stream) => !stream.closed()) };
}

function nobody(path: string): never {
  throw new Error(`Nobody answers ${path}`);
}

/** An event as it stands in a stream. */
export function eventFrame(sequence: number, sessionId = "s_1", agentId = "main"): string {
  const data = { ...event(sequence, "turn_started", {}, sessionId), agent_id: agentId };
  return frameOf(data);
}

/** An event as it stands in a stream. */
export function frameOf(told: { sequence: number }): string {
  return `event: event\nid: ${told.sequence}\ndata: ${JSON.stringify(told)}\n\n`;
}

/** A piece of an answer as it stands in a stream. */
export function deltaFrame(text: string, sessionId = "s_1"): string {
  return `event: delta\ndata: ${JSON.stringify({ session_id: sessionId, call_id: "m1", attempt: 1, index: 0, text })}\n\n`;
}
