/** Calls that run only with a person's yes: what is asked, and how it is answered. */
import { isSeen } from "./jsonText";
import { type Requested, requestedIn } from "./requested";
import { goesOn } from "./shown";
import type { ToolCall } from "./wire";

export type Decision = "once" | "session" | "commands" | "always" | "refuse";

export interface ApprovalAnswer {
  decision: Decision;
  arguments?: Record<string, unknown>;
  reason?: string;
}

export interface Source {
  kind: string;
  name: string;
  address: string;
}

/**
 * `covers`: what a longer yes allows; null: there is only *once*. `commands`: a yes can be for all commands of the chat. `ran`: its run was stopped by what it would send,
 * `requested`, or by what its code `asks` another tool for; or it is `held` there and goes on with the answer.
 */
export interface Approval {
  rule: string;
  covers: Readonly<Record<string, string>> | null;
  commands: boolean;
  outside: readonly Source[];
  before: Readonly<Record<string, unknown>> | null;
  ran: boolean;
  requested: Requested | null;
  asks: Asks | null;
  held: boolean;
}

/** What a call's code wanted another tool to do. */
export interface Asks {
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
}

/** True for a call that waits, or waited, for a yes. */
export const isApproval = (call: ToolCall): boolean => call.show?.kind === "approval";

/** What a call that waits for a yes says. */
export function approvalOf(call: ToolCall): Approval {
  const { rule, covers, commands, outside, before, asks } = call.show ?? {};
  return {
    rule: typeof rule === "string" ? rule : "",
    covers: (covers as Approval["covers"]) ?? null,
    commands: typeof commands === "object" && commands !== null,
    outside: Array.isArray(outside) ? (outside as Source[]) : [],
    before: (before as Approval["before"]) ?? null,
    ran: call.request_address !== null,
    requested: requestedIn(call.show ?? {}),
    asks: (asks as Approval["asks"]) ?? null,
    held: goesOn(call),
  };
}

/**
 * A call's command as it is typed, and its other arguments. Null for a call without one, and for a command of which
 * something can't be seen as it is.
 */
export function commandIn(
  args: Readonly<Record<string, unknown>>,
): { command: string; others: Readonly<Record<string, unknown>> | null } | null {
  const { command, ...others } = args;
  if (typeof command !== "string" || command.trim() === "" || !isSeen(command)) return null;
  return { command, others: Object.keys(others).length > 0 ? others : null };
}

const YES: readonly Decision[] = ["once", "session", "commands", "always"];

/** The answer as it was recorded. What isn't plainly a yes is a no. */
export function decisionIn(response: unknown): ApprovalAnswer {
  const given = (
    typeof response === "object" && response !== null ? response : {}
  ) as Partial<ApprovalAnswer>;
  const yes = YES.some((decision) => decision === given.decision);
  return yes || given.decision === "refuse" ? (given as ApprovalAnswer) : { decision: "refuse" };
}

/** In words, what a longer yes would allow. A pattern's `\*` is the character itself. */
export function coverWords(covers: Readonly<Record<string, string>>): string {
  const plain = (text: string) => text.replace(/\\(.)/g, "$1");
  const { tool = "", host, scheme, method, server, command } = covers;
  if (server) return `${plain(tool)} of ${plain(server)}`;
  if (host)
    return `${plain(tool)}: ${method ? `${plain(method)} to ` : ""}${scheme ? `${plain(scheme)}://` : ""}${plain(host)}`;
  return command ? `${plain(tool)}: ${plain(command)}` : `every call of ${plain(tool)}`;
}
