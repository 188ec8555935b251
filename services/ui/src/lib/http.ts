/** Requests to the gateway, and the two ways in which they fail. */

export const API = "api/v1";

/** The gateway answered, and said no. `kind` is for programs, `message` for people, `more` whatever else it told. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = "Problem";
  }
}

/** The gateway could not be reached: whether the request arrived is not known. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("Foldline can't be reached. Is it running?", { cause });
    this.name = "Unreachable";
  }
}

export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Record<string, string | number | null | undefined>;
  body?: unknown;
  /** Repeating a write with the same key returns its first answer instead of writing again. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** The path of an API address with its query; parts that are null or undefined are left out. */
export function address(path: string, query: RequestOptions["query"] = {}): string {
  const present = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const search = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return `${API}${path}${search ? `?${search}` : ""}`;
}

/** One JSON request. Rejects with `Problem`, `Unreachable`, or an `AbortError` if `signal` fired. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (options.idempotencyKey) headers["idempotency-key"] = options.idempotencyKey;
  const init: RequestInit = { method: options.method ?? "GET", headers, credentials: "same-origin" };
  if (options.body !== undefined) init.body = JSON.stringify(options.body);
  if (options.signal) init.signal = options.signal;
  let response: Response;
  try {
    response = await fetch(address(path, options.query), init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable(error);
  }
  if (!response.ok) throw await problemOf(response);
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable(error);
  }
}

/** Reads a problem document; an answer that is none (a proxy's page, say) still says its status. */
export async function problemOf(response: Response): Promise<Problem> {
  const fallback = `The server answered ${response.status} ${response.statusText}`.trim();
  if (response.status === 401) {
    announceUnauthorized();
    return new Problem(401, "unauthorized", "You are logged out.");
  }
  try {
    const document = (await response.json()) as Record<string, unknown>;
    const kind = typeof document.kind === "string" ? document.kind : "internal";
    const message = [document.detail, document.title].find((text) => typeof text === "string" && text);
    return new Problem(response.status, kind, typeof message === "string" ? message : fallback, document);
  } catch {
    return new Problem(response.status, "internal", fallback);
  }
}

/** True where the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) return true;
  return error instanceof Problem && (error.status >= 500 || error.status === 429);
}

/** What to tell a person about any failure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Listener = () => void;
const unauthorizedListeners = new Set<Listener>();

/** Calls `listener` whenever the gateway refuses for want of a token; returns the way to stop. */
export function onUnauthorized(listener: Listener): () => void {
  unauthorizedListeners.add(listener);
  return () => unauthorizedListeners.delete(listener);
}

function announceUnauthorized(): void {
  for (const listener of unauthorizedListeners) listener();
}
