/** The two ways in which a request to the gateway fails, and what to tell a person about them. */

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

/** Reads a problem document; an answer of another kind (a proxy's page, say) still says its status. */
export async function problemOf(response: Response): Promise<Problem> {
  const fallback = `The server answered ${response.status} ${response.statusText}`.trim();
  if (response.status === 401) {
    announceUnauthorized();
    return new Problem(401, "unauthorized", "You are logged out.");
  }
  try {
    const document: Record<string, unknown> = await response.json();
    const kind = typeof document.kind === "string" ? document.kind : "internal";
    const message = [document.detail, document.title].find((text) => typeof text === "string" && text);
    return new Problem(response.status, kind, typeof message === "string" ? message : fallback, document);
  } catch {
    return new Problem(response.status, "internal", fallback);
  }
}

/** A problem as plain data, which other tabs can be told. */
export type PlainProblem = Pick<Problem, "status" | "kind" | "message" | "more">;

export function plainProblem({ status, kind, message, more }: Problem): PlainProblem {
  return { status, kind, message, more };
}

/** The problem that another tab met. */
export function problemFrom({ status, kind, message, more }: PlainProblem): Problem {
  if (status === 401) announceUnauthorized();
  return new Problem(status, kind, message, more);
}

/** True where the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) return true;
  return error instanceof Problem && (error.status >= 500 || error.status === 429);
}

/** True where the gateway knows nothing of that name. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
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
