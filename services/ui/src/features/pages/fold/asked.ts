/** What a page's function wants to send that a person has to allow first, as the gateway tells it. */
import { Problem } from "../../../lib/problems";
import { type Requested, requestedIn } from "../../../lib/requested";

export interface AskedOfPerson {
  name: string;
  host: string;
  requested: Requested | null;
  rule: string;
  /** What a yes allows; it is sent back as it came. */
  covers: Record<string, unknown>;
}

export type Answer = "once" | "always" | "refuse";

/** Null for a failure of another kind. */
export function askedIn(name: string, error: unknown): AskedOfPerson | null {
  if (!(error instanceof Problem) || error.kind !== "approval_needed") return null;
  const asked = (error.more.asked ?? {}) as Record<string, unknown>;
  const { host, rule, covers } = asked;
  if (typeof covers !== "object" || covers === null) return null;
  return {
    name,
    host: String(host),
    requested: requestedIn(asked),
    rule: String(rule),
    covers: covers as Record<string, unknown>,
  };
}
