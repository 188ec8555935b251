/** What people read of things that wait. */
import type { IconName } from "../../../components/Icon";
import { chatHref, studioHref } from "../../../lib/route";
import { nameOf } from "../../../lib/toolWords";
import type { InboxWake, WaitingThing } from "./view";

type Kind = WaitingThing["kind"];

const WORDS: Readonly<Record<Kind, string>> = {
  question: "Asks you",
  approval: "Needs your approval",
  call: "Waits for you",
  limit: "Token limit reached",
  failure: "The last turn failed",
  outcome: "Unknown outcome",
  quarantine: "Tool in quarantine",
  late: "Arrived late",
};

const ICONS: Readonly<Record<Kind, IconName>> = {
  question: "question",
  approval: "key",
  call: "clock",
  limit: "pause",
  failure: "warning",
  outcome: "eye",
  quarantine: "tool",
  late: "clock",
};

export const iconOf = ({ kind }: WaitingThing): IconName => ICONS[kind];

/** Calls of built-in tools that wait, as the person meets them. */
const CALLS: Readonly<Record<string, string>> = {
  render_blocks: "Waiting for your answer to what it shows",
  ask_human: "Asks you",
  request_user_input: "Asks you to fill in a form",
  render_and_wait: "Waiting for you on a page",
  browser_hand_over: "Asks you to take over its browser",
};

/** What it is, with the tool where that is the agent's own, or what failed. */
export function whatItIs({ kind, tool }: WaitingThing): string {
  if (tool === null || kind === "question") return WORDS[kind];
  return (kind === "call" && CALLS[nameOf(tool)]) || `${WORDS[kind]}: ${tool}`;
}

/** Its chat; a tool is edited in the studio. */
export function placeOf({ kind, agent_id, session_id, tool }: WaitingThing): string {
  return kind === "quarantine" && tool ? studioHref(agent_id, "tools", tool) : chatHref(session_id);
}

export function headlineOf({ title }: WaitingThing): string {
  return title ?? "New chat";
}

/** What the thing is about; a limit has figures alone. */
export function aboutOf({ kind, text }: WaitingThing): string {
  return kind === "limit" ? `It used ${text} tokens. Raise the limit to continue.` : text;
}

/** Who left a wake: its service, and what it calls the event. */
export function leftBy({ source, wake_type }: InboxWake): string {
  return wake_type ? `${source} (${wake_type})` : source;
}

const SHOWN = 1500;

/** What a wake says, without the end of a very long one: its chat shows that. */
export function beginningOf({ message }: InboxWake): string {
  return message.length > SHOWN ? `${message.slice(0, SHOWN)}…` : message;
}

/** One line for a notification about what has come. */
export function notice(
  things: readonly WaitingThing[],
  wakes: readonly InboxWake[],
): { title: string; body: string } {
  const all = things.length + wakes.length;
  const [thing] = things;
  const [wake] = wakes;
  if (all === 1 && thing)
    return { title: headlineOf(thing), body: `${whatItIs(thing)}\n${aboutOf(thing)}`.trim() };
  if (all === 1 && wake) return { title: `${leftBy(wake)} left a message`, body: wake.message.slice(0, 200) };
  return { title: "Foldline", body: `${all} things wait for you` };
}
