/** What a page's function wants to send that a person has to allow first, as the gateway tells it. */
import { Problem } from "../../../lib/problems";

export interface AskedOfPerson {
  name: string;
  method: string;
  host: string;
  rule: string;
  /** What a yes allows; it is sent back as it came. */
  covers: Record<string, unknown>;
}

export type Answer = "once" | "always" | "refuse";

/** Null for a failure of another kind. */
export function askedIn(name: string, error: unknown): AskedOfPerson | null {
  if (!(error instanceof Problem) || error.kind !== "approval_needed") return null;
  const { method, host, rule, covers } = (error.more.asked ?? {}) as Record<string, unknown>;
  if (typeof covers !== "object" || covers === null) return null;
  return {
    name,
    method: String(method),
    host: String(host),
    rule: String(rule),
    covers: covers as Record<string, unknown>,
  };
}
