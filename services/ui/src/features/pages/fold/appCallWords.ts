/** A call of an app, as people are told of it. */
import type { CallOfApp } from "../../../lib/wire";

/** The name that the server itself gives the tool, as far as ours has it. */
export const nameThere = (tool: string): string => tool.slice(tool.indexOf("__") + 2) || tool;

export function howItEnded({ finished_at, error }: CallOfApp): string {
  if (finished_at === null) return "has no answer yet";
  switch (error?.kind) {
    case undefined:
      return "gave its result";
    case "approval_needed":
      return "was not sent: it needed your yes";
    case "refused":
      return "was not sent: the policy doesn't allow it";
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
