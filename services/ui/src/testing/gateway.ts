/** A gateway that tests answer for. */
import { vi } from "vitest";

export interface Asked {
  method: string;
  /** Below `/api/v1`, with the query. */
  path: string;
  body: unknown;
  key: string | null;
}

/** Answers each request with what `answer` makes of it; returns what was asked so far. */
export function gatewayAnswering(answer: (asked: Asked) => Response): Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const one = {
      method: request.method,
      path: `${pathname.replace(/^\/api\/v1/, "")}${search}`,
      body: text && request.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text || null,
      key: request.headers.get("idempotency-key"),
    };
    asked.push(one);
    return answer(one);
  });
  return asked;
}
