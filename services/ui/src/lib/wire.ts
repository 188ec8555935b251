/** What the gateway answers. Times are RFC 3339 in UTC, tokens are counts, sequences of events see `address`. */
import type { components, operations } from "../contracts/api";
import type { EventBodies } from "../contracts/events";
import { placeOf } from "./address";

type Schemas = components["schemas"];

export type SessionStatus = Schemas["SessionSummary"]["status"];
export type TokenUsage = Schemas["TokensUsed"];
export type CallAccounting = Schemas["CallAccounting"];
export type TriedModel = Schemas["TriedModel"];
export type InputReceipt = Schemas["InputReceipt"];
/** What a search found in a session. */
export type SessionMatch = Schemas["SessionMatch"];
export type SessionPage = Schemas["SessionSummaryPage"];

/** A session; what is open in it and its children are there only where a single one was asked for. */
export type Session = Schemas["SessionSummary"] & Partial<Schemas["Session"]>;

export type ToolCall = Schemas["ToolCall"];
export type ToolCallStatus = ToolCall["status"];
/** What an app called, as the log has it. */
export type CallsOfApp = Schemas["CallOfAppPage"];
export type CallOfApp = Schemas["CallOfApp"];
export type Message = Schemas["Message"];
/** A prompt of an MCP server that was said, or is to be. */
export type ChosenPrompt = Schemas["PromptOfMessage"];
export type McpPrompt = Schemas["McpPrompt"];
export type McpPrompts = Schemas["McpPrompts"];
export type FoundMessages = Schemas["FoundMessagePage"];

/** A page of messages, oldest first. `next_cursor` fetches the page before it, `sequence` is how far the page has read. */
export type MessagePage = Omit<Schemas["Messages"], "session">;

export type EventPage = Schemas["EventRecordPage"];

type Envelope = Omit<Schemas["EventRecord"], "type" | "body">;

/** Why the last turn has no end; `retry_at` is when it resumes automatically, at the latest. */
export type FailedTurn = Schemas["FailedTurn"];

export type Child = Schemas["Child"];
export type SessionView = Schemas["SessionView"];
export type FoldedCall = Schemas["FoldedCall"];
export type FoldedMessage = Schemas["FoldedMessage"];
/** What happened, in short: an event, or a call with its result. Its `place` and `endPlace` are numbers: see `address`. */
export type TimelineRow = Schemas["TimelineRow"] & { place: number; endPlace: number | null };
export type Timeline = Omit<Schemas["Timeline"], "items"> & { items: TimelineRow[] };
export type TimelineGroup = NonNullable<
  NonNullable<operations["getTimeline"]["parameters"]["query"]>["group"]
>;
export type RowState = NonNullable<TimelineRow["state"]>;
export type ChangedThing = Schemas["ChangedThing"];
export type Outline = Schemas["Outline"];
export type AgentMark = Schemas["AgentMark"];
export type AgentMoment = Schemas["AgentMoment"];
export type KindThen = Schemas["KindThen"];
export type ThingThen = Schemas["ThingThen"];
export type ThingInTime = Schemas["ThingInTime"];
export type Trace = Schemas["Trace"];
export type Span = Schemas["Span"];
export type ReplayReport = Schemas["ReplayReport"];
export type RewindPreview = Schemas["SessionRewindPreview"];
export type AgentChange = Schemas["SessionChange"];
export type FileChange = Schemas["FileChange"];
/** Things of one kind: all of them, or those of these names. */
export type RewindSelection = Schemas["RewindSelection"];
export type RewindBody = Schemas["RewindSession"];
export type Rewound = Schemas["SessionRewound"];
export type AgentRewindPreview = Schemas["AgentRewindPreview"];
export type RewindableThing = Schemas["RewindableThing"];
export type BisectCost = Schemas["BisectCost"];
export type BisectionShown = Schemas["BisectionShown"];
export type AgentRewound = Schemas["AgentRewound"];
export type ForkedSession = Schemas["ForkedSession"];

/** A file that came with a message, as it was then. */
export type SentFile = Schemas["SentFile"];
/** What is known of a file. */
export type FileFacts = Schemas["StoredFile"];
export type FilePage = Schemas["FilePage"];
export type Agent = Schemas["Agent"];
export type Settings = Schemas["Settings"];
export type Setting = Schemas["Setting"];
export type Spending = Schemas["Spending"];
export type AdaptedModels = Schemas["AdaptedModelPage"];
export type ModelTest = Schemas["ModelTest"];
/** A task that runs in a fresh session at each of its times. */
export type Schedule = Schemas["Schedule"];
export type ScheduleRun = Schemas["ScheduleRun"];
export type ScheduleRuns = Schemas["ScheduleRunPage"];
/** What a person asks for; what is left out has its usual value. */
export type NextTimes = Schemas["NextTimes"];
export type ScheduleDraft = Schemas["NewSchedule"];
export type Reminder = Schemas["Reminder"];
/** Who wrote a version of something that an agent has, and when. */
export type Written = Omit<Schemas["StateKey"], "key">;
export type Version = Schemas["Version"];
export type Versions = Schemas["VersionPage"];

/** A message that could not be handled; and with what it says. */
export type DeadLetter = Schemas["DeadLetter"];
export type DeadMessage = Schemas["DeadMessage"];
export type DeadLetters = Schemas["DeadLetters"];
/** A call of which nobody knows, or knew, whether it did its work. */
export type Outcome = Schemas["Outcome"];
/** Requests that left in the name of calls, or were kept from it. */
export type EgressRecord = Schemas["EgressRecord"];
export type CommandRecord = Schemas["CommandRecord"];
export type CommandFile = Schemas["CommandFile"];
/** Something that an agent changed of itself. */
export type McpServer = Schemas["McpServerOfAgent"];
export type McpTool = Schemas["McpToolOfServer"];
export type OwnChange = Schemas["OwnChange"];
export type OwnChanges = Schemas["OwnChangePage"];
/** What an agent may do, asks for, and may not. */
export type Policy = Schemas["PolicyOfAgent"];
export type PolicyRule = Schemas["Rule"];
export type PolicyTrial = Schemas["PolicyTrial"];
/** Who works, how much waits, and what is offered. */
export type WorkOverview = Schemas["WorkOverview"];
export type Worker = Schemas["Worker"];
export type Queue = Schemas["Queue"];
/** An agent's database. */
export type DatabaseTable = Schemas["DatabaseTable"];
export type DatabaseRows = Schemas["DatabaseRows"];
/** How a test run ended. */
export type TestRun = Schemas["TestRun"];

/** What a streaming answer came to before the stream of events began. */
export type LiveAnswerSoFar = Schemas["LiveAnswer"];

/** An event of the log: `type` tells which body it has. Types that this version doesn't know also arrive. */
export type LogEvent = {
  [Type in keyof EventBodies]: Envelope & { type: Type; body: EventBodies[Type]; rows?: RowChange[] | null };
}[keyof EventBodies];

/**
 * An event as the gateway sends it. The schema says of a body only that it is an object; the type tells which. Its
 * `sequence` becomes where it stands among all events, those of its own record too: see `address`.
 */
export function logEvent(event: Schemas["EventRecord"]): LogEvent {
  return { ...event, sequence: placeOf(event.address) } as LogEvent;
}

/** A row of the timeline, likewise. */
export function timelineRow(row: Schemas["TimelineRow"]): TimelineRow {
  return { ...row, place: placeOf(row.address), endPlace: row.end === null ? null : placeOf(row.end) };
}

/** An event of what an agent has: one of its things was written or deleted. */
export type EntityEvent = Extract<LogEvent, { type: `foldline.agent.entity_${string}` }>;

export function isEntityEvent(event: LogEvent): event is EntityEvent {
  return (
    event.type === "foldline.agent.entity_written.v1" || event.type === "foldline.agent.entity_deleted.v1"
  );
}

/** A session without those around it, which only the API tells. */
export type SessionRow = Schemas["SessionSummary"] &
  Pick<
    Schemas["Session"],
    "queued" | "open_model_call" | "cut_model_call" | "newest_model_call" | "attention"
  >;

export type RowChange =
  | { table: "sessions"; key: [session: string]; row: SessionRow }
  | { table: "messages"; key: [session: string, address: string]; row: Message }
  | { table: "tool_calls"; key: [session: string, call: string]; row: ToolCall };
