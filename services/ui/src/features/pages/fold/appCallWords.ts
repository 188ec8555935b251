/** A call of an app, as people are told of it. */
import type { CallOfApp } from "../../../lib/wire";

/** The name that the server itself gives the tool, as far as ours has it. */
export function nameThere(tool: string): string {
  const end = tool.indexOf("__");
  return end < 0 ? tool : tool.slice(end + 2);
}

/** No call of a server may take longer. */
const LONGEST_MS = 20 * 60_000;

/** False also where the host died that had it: then nobody ends it, unless it is asked for again. */
export const isInHand = ({ requested_at: at, finished_at }: CallOfApp, now: number): boolean =>
  finished_at === null && now - Date.parse(at) < LONGEST_MS;

export function howItEnded(call: CallOfApp, now: number): string {
  if (isInHand(call, now)) return "has no answer yet";
  switch (call.finished_at === null ? "outcome_unknown" : call.error?.kind) {
    case undefined:
      return "gave its result";
    case "approval_needed":
      return "was not sent: it needed your yes";
    case "refused":
      return "was not sent: the policy doesn't allow it";
    case "cancelled":
      return "was stopped before it was sent";
    case "outcome_unknown":
      return "may have run, or not: nobody knows";
    default:
      return "failed";
  }
}

/** What the policy said, and what the person did. */
export function judgedWords({ verdict, rule, approved }: CallOfApp): string {
  if (verdict === "ask" && approved) return `You allowed it once (${rule})`;
  const said = { allow: "Allowed", ask: "Asked", deny: "Denied" }[verdict];
  return `${said}: ${rule}`;
}
