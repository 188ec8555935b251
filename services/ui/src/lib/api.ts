/** The gateway's operations, typed by its OpenAPI document. */
import createClient, { type Middleware } from "openapi-fetch";
import type { paths } from "../contracts/api";
import { hearAge } from "./age";
import { problemOf, Unreachable } from "./problems";
import { hearFailure } from "./storage";

const ROOT = "/api/v1";
const PROBE_MS = 10_000;

/** The operations by their address below the root. */
type Paths = {
  [Path in keyof paths as Path extends `${typeof ROOT}${infer Below}` ? Below : never]: paths[Path];
};

/** Beside the document, wherever a reverse proxy has put it; a shared worker is named for its document's place. */
const BASE = new URL(`.${ROOT}`, "document" in globalThis ? document.baseURI : self.name).href;

const failures: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) {
      const problem = await problemOf(response);
      hearFailure(problem);
      throw problem;
    }
    hearAge(response.headers);
  },
  onError({ request, error }) {
    if (!request.signal.aborted) return new Unreachable(error);
  },
};

/** Asks the gateway. What is not a success rejects: with `Problem`, `Unreachable`, or an `AbortError`. */
export const api = createClient<Paths>({
  baseUrl: BASE,
  credentials: "same-origin",
  headers: { accept: "application/json" },
  fetch: (request) => fetch(request),
});
api.use(failures);

type Asked<Answer> = Promise<{ data?: Answer; error?: unknown; response: Response }>;

/** What an operation answers. An answer that breaks off or is not JSON counts as `Unreachable`. */
export async function answerOf<Answer>(asked: Asked<Answer>): Promise<Exclude<Answer, undefined>> {
  const { data } = await asked.catch((error: unknown) => {
    throw error instanceof SyntaxError || error instanceof TypeError ? new Unreachable(error) : error;
  });
  if (data === undefined) throw new Unreachable(new Error("The answer is empty"));
  return data as Exclude<Answer, undefined>;
}

/** What the gateway lacks to do its work, in words, by the name of what that is. */
export async function readProblems(): Promise<Record<string, string>> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const response = await fetch(new URL("./readyz", document.baseURI), { cache: "no-store", signal });
  const { checks }: { checks: Record<string, string> } = await response.json();
  return Object.fromEntries(Object.entries(checks).filter(([, told]) => told !== "ok"));
}

/** The header under which a repeated write returns its first answer instead of writing again. */
export function once(key: string): { "Idempotency-Key": string } {
  return { "Idempotency-Key": key };
}

/** The address of something to open in a tab of its own. `query` leaves out what is null. */
export function address(path: string, query: Record<string, string | number | null> = {}): string {
  const present = Object.entries(query).filter(([, value]) => value !== null);
  const search = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return `${ROOT.slice(1)}${path}${search ? `?${search}` : ""}`;
}
