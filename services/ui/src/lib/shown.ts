/** What an agent puts before a person by a call that waits for them, and how they answer. */
import type { ReactNode } from "react";
import type { ToolCall } from "./wire";

/** What was done, and whatever belongs to it. */
export type Acted = { action: string } & Record<string, unknown>;

/** An answer on its way; `path` (a JSON Pointer into it) is what was wrong with one that was refused. */
export interface Answered {
  state: "sending" | "accepted" | "failed";
  problem: string | null;
  path: string | null;
}

export interface Shown {
  call: ToolCall;
  sessionId: string;
  agentId: string;
  answering: Answered | undefined;
  onAnswer(answer: Acted): void;
  /** It is looked at as it was then: what is done in it changes nothing. */
  past?: boolean;
}

/** The code of a component as somebody writes it, with props that fit its schema. */
export interface Draft {
  agentId: string;
  name: string;
  code: string;
  props: Readonly<Record<string, unknown>>;
}

/** Runs it: the shell knows who can. */
export type DrawDraft = (draft: Draft) => ReactNode;

/** Draws it: the shell knows who can. */
export type Draw = (shown: Shown) => ReactNode;

export const DISMISSED: Acted = { action: "dismiss" };

export const DECLINED: Acted = { action: "decline" };

/** What an agent said in the middle of its work, by a call; null for any other call, and where that failed. */
export const saidIn = ({ tool, error, arguments: { text } }: ToolCall): string | null =>
  tool === "send_message" && !error && typeof text === "string" ? text : null;

/** What a foreign server asks for in the middle of a call. */
const isServersQuestion = (call: ToolCall): boolean => call.show?.kind === "mcp_input";

/** True for a run that is held where it needs a yes: it goes on with the answer, whichever it is. */
const isHeld = (call: ToolCall): boolean =>
  call.show?.kind === "approval" && typeof call.show.round === "number";

/** True for a call that isn't over with its answer: it goes on with that. */
export const goesOn = (call: ToolCall): boolean =>
  isServersQuestion(call) || call.show?.kind === "mcp_task" || isHeld(call);

/** How many times a call has paused and gone on. */
export const roundOf = (call: ToolCall): number =>
  goesOn(call) && typeof call.show?.round === "number" ? call.show.round : 0;

/** What a call asks now, told from what it asked before and has its answer to. */
export const questionKey = (call: ToolCall): string => {
  const round = roundOf(call);
  return round > 0 ? `${call.call_id}.${round}` : call.call_id;
};

/** True for a call that waits for nobody: a foreign server works on it. */
export const isWorkedOn = (call: ToolCall): boolean =>
  call.show?.kind === "mcp_task" && call.status === "pending";

/** True for a call whose steps of fields are drawn in the chat. A server's question is, until it is answered. */
export const isSteps = (call: ToolCall): boolean =>
  call.show?.kind === "user_input" || (isServersQuestion(call) && call.status === "pending");

/** True for a call whose blocks, or steps of fields, are drawn in the chat. */
export const isBlocks = (call: ToolCall): boolean => call.show?.kind === "render_blocks" || isSteps(call);

/** True for a call whose component stands in the canvas. */
export const isComponent = (call: ToolCall): boolean => call.show?.kind === "render_and_wait";

/** What is shown by a call, as people call it. */
export function titleOf(call: ToolCall): string {
  const { title, component } = call.show ?? {};
  if (typeof title === "string" && title) return title;
  if (typeof component === "string") return component;
  return isComponent(call) ? "Component" : "What the agent shows";
}

/** The version of a stored component that a call was pinned to. */
export function versionOf({ show }: ToolCall): string | undefined {
  return typeof show?.version === "number" ? `version ${show.version}` : undefined;
}

/** What answered a call; null as long as nothing did. */
export function actedOn(call: ToolCall): Acted | null {
  const { result } = call;
  if (call.status !== "completed" || typeof result !== "object" || result === null) return null;
  return typeof (result as { action?: unknown }).action === "string" ? (result as Acted) : null;
}

/** True while it can be answered from here. */
export function isAnswerable({ call, answering }: Pick<Shown, "call" | "answering">): boolean {
  return call.status === "pending" && answering?.state !== "sending" && answering?.state !== "accepted";
}
