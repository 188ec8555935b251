/** What happened, in words, for people who don't know the types of events. */
import type { IconName } from "../../../components/Icon";
import { shortThingWords } from "../../../lib/kinds";
import { plainLine } from "../../../lib/plainText";
import { endingOf, nameOf, outcomeWords, resultWords, spoken } from "../../../lib/toolWords";
import type { TimelineRow } from "../../../lib/wire";

const WORDS: Record<string, [words: string, icon: IconName]> = {
  created: ["Began the chat", "plus"],
  user_message: ["You said", "person"],
  tool_response: ["You answered", "person"],
  reminder_due: ["Was reminded", "bell"],
  timer_due: ["A time was over", "clock"],
  woken: ["Was woken by another service", "external"],
  outcome_settled: ["You settled the outcome of a call", "person"],
  child_finished: ["A sub-session ended", "child"],
  continued: ["You raised the limit", "person"],
  thinking_changed: ["You changed how much the model thinks", "person"],
  interrupted: ["You stopped it", "stop"],
  archived: ["You archived the chat", "archive"],
  reopened: ["You reopened the chat", "archive"],
  renamed: ["Renamed the chat", "pencil"],
  rewind_requested: ["You asked to go back", "rewind"],
  retry_asked: ["You asked to try again", "retry"],
  turn_started: ["Began a turn", "play"],
  call_claimed: ["A runner took the call", "tool"],
  waiting: ["Began to wait", "clock"],
  became_idle: ["Ended the turn", "check"],
  token_limit_hit: ["Reached the token limit", "warning"],
  completed: ["Ended the chat", "check"],
  failed: ["Ended with an error", "warning"],
  turn_failed: ["Could not finish the turn", "warning"],
  tool_quarantined: ["Put a tool into quarantine", "warning"],
  messages_shadowed: ["Summed up earlier messages", "down"],
  input_refused: ["Refused a message", "ban"],
  child_spawned: ["Began a sub-session", "child"],
  forked_from: ["Forked from another chat", "fork"],
  fork_made: ["Was forked", "fork"],
  rewound: ["Went back", "rewind"],
  titled: ["Named the chat", "pencil"],
  pinned: ["Changed whether the chat is pinned", "pin"],
  feedback: ["You rated an answer", "thumbUp"],
};
const RATED: Record<string, string> = {
  up: "You rated an answer as good",
  down: "You rated an answer as bad",
  none: "You took back a rating",
};
const DECIDED: Record<string, (tool: string) => string> = {
  once: (tool) => `You allowed ${tool} once`,
  session: (tool) => `You allowed ${tool} for this chat`,
  commands: () => "You allowed commands in this chat",
  always: (tool) => `You allowed ${tool} from now on`,
  refuse: (tool) => `You refused ${tool}`,
};
/** Rows between those that people look for: drawn low. */
const QUIET = new Set([
  "created",
  "turn_started",
  "became_idle",
  "titled",
  "waiting",
  "timer_due",
  "call_claimed",
]);
const BAD = new Set(["turn_failed", "tool_quarantined", "failed", "input_refused", "token_limit_hit"]);

/** How a row stands out. Each has one colour, everywhere. */
export type Tone = "failed" | "pending" | "running" | "plain";

/** What happened, beginning with a verb; a type that this version doesn't know by its own name. */
export function happened(row: TimelineRow): string {
  if (row.problem !== null) return "Skipped something that is not an event";
  if (isToolCall(row)) return outcomeWords(row.tool ?? "", row.arguments, endingOf(row.state));
  if (isModelCall(row)) return modelWords(row);
  const tool = nameOf(row.tool ?? "");
  if (row.type === "tool_call_pending") return `Asked for your yes: ${tool}`;
  if (row.decision !== null) return (DECIDED[row.decision] ?? DECIDED.refuse)?.(tool) ?? "";
  if (row.type === "feedback") return RATED[row.rating ?? "none"] ?? "";
  if (row.type === "waiting" && row.asked.length > 0) return `Began to wait for ${tools(row.asked)}`;
  return WORDS[row.type]?.[0] ?? row.type.replaceAll("_", " ");
}

/** So many tools are named. */
const NAMED = 4;

function modelWords({ state, answer, asked }: TimelineRow): string {
  if (state === "running") return "Asks the model";
  if (state === "failed") return "The model call failed";
  if (state === "cancelled") return "Stopped asking the model";
  if (asked.length === 0) return "Answered";
  return answer.trim() ? `Answered, and decided to run ${tools(asked)}` : `Decided to run ${tools(asked)}`;
}

/** The tools, each once: "fetch_url (3 times), set_state". */
function tools(asked: readonly string[]): string {
  const names = [...new Set(asked)];
  const words = names.slice(0, NAMED).map((name) => {
    const times = asked.filter((one) => one === name).length;
    return times > 1 ? `${name} (${times} times)` : name;
  });
  return words.join(", ") + (names.length > NAMED ? ` and ${names.length - NAMED} more` : "");
}

/** What it was about, in one line; empty where there is nothing to add. */
export function about(row: TimelineRow): string {
  const { type, text, answer, problem } = row;
  if (problem !== null) return problem;
  if (isModelCall(row)) return plainLine(answer) || `model call ${row.number ?? ""}`;
  if (isToolCall(row)) return toldAlready(row) ? "" : resultWords(answer);
  if (row.decision !== null || type === "tool_call_pending")
    return text || spoken(row.tool ?? "", row.arguments)[1];
  if (type === "rewound" || type === "rewind_requested") return `to event ${text}`;
  return resultWords(plainLine(text));
}

/** What a call gave is the name of what it was called with: the row has that. */
function toldAlready(row: TimelineRow): boolean {
  return happened(row).endsWith(` ${resultWords(row.answer)}`);
}

/** What a row changed of the agent, each thing once, in words. */
export function changedWords({ changed }: TimelineRow): string[] {
  return [...new Set(changed.map((one) => shortThingWords(one.kind, one.name)))];
}

export function icon(row: TimelineRow): IconName {
  if (row.problem !== null) return "warning";
  if (isToolCall(row)) return row.state === "pending" ? "question" : toolIcon(row.tool ?? "");
  if (isModelCall(row)) return "spark";
  if (row.type === "tool_call_pending") return "key";
  if (row.type === "feedback" && row.rating === "down") return "thumbDown";
  return WORDS[row.type]?.[1] ?? "more";
}

function toolIcon(tool: string): IconName {
  if (/^(web_|fetch_url|browser_)/.test(tool)) return "globe";
  if (/^(file_|pdf_|image_|spreadsheet_|promote_file)/.test(tool)) return "file";
  if (/^(db_)/.test(tool)) return "database";
  if (/session/.test(tool)) return "child";
  if (/reminder|schedule/.test(tool)) return "clock";
  return "tool";
}

export function tone({ type, state, problem }: TimelineRow): Tone {
  if (problem !== null || BAD.has(type) || state === "failed") return "failed";
  if (state === "pending") return "pending";
  return state === "running" ? "running" : "plain";
}

/** True for what merely lies between other things. */
export const isQuiet = (row: TimelineRow): boolean => row.problem === null && QUIET.has(row.type);
export const isToolCall = ({ type, tool }: TimelineRow): boolean =>
  type.startsWith("tool_call_") && type !== "tool_call_pending" && tool !== null;
export const isModelCall = ({ type }: TimelineRow): boolean => type.startsWith("model_call_");

/** As of which event a row is looked at: when all of it has happened. */
export const momentOf = ({ place, endPlace }: TimelineRow): number => Math.max(place, endPlace ?? 0);
