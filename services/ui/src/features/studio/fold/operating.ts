/** Who works on what, and what became of it, in words. */
import { kindNamed } from "../../../lib/kinds";
import type {
  CommandFile,
  CommandRecord,
  EgressRecord,
  Outcome,
  OwnChange,
  Queue,
  Worker,
  WorkOverview,
} from "../../../lib/wire";

const CONSUMERS: Record<string, string> = {
  engine: "Session engines",
  "engine-timers": "Timers of the engine",
  "engine-rewinds": "Rewinds of agents",
  "model-callers": "Model callers",
  "model-probes": "Probes of model servers",
  projector: "The projector",
  "runners-tools": "Tool runners",
  "runners-browser": "Browser pools",
  "runners-mcp": "Hosts of MCP servers",
  "runners-workspace": "Workspaces of commands",
  wakes: "Wakes of other services",
  "scheduler-due": "Reminders and tasks that are due",
  "scheduler-changes": "Changes of schedules",
  "scheduler-endings": "Endings of scheduled runs",
};

/** Who a consumer of the log is; those of other services by their own name. */
export function workName(consumer: string | null): string {
  if (consumer === null) return "The engine itself";
  return CONSUMERS[consumer] ?? consumer;
}

/** The services of which no process answers. */
export const silentServices = (services: WorkOverview["services"]): string[] =>
  Object.keys(services).filter((name) => services[name] === 0);

/** What is not as it should be with a queue; null: nothing. */
export function troubleOf(queue: Queue, workers: readonly Worker[]): string | null {
  const mine = workers.filter((one) => one.consumer === queue.consumer);
  if (queue.waiting > 0 && mine.length > 0 && !mine.some((one) => one.alive))
    return "Everybody who worked on it is silent. What waits is done once its service runs again.";
  if (queue.redelivered > 0)
    return "Some are tried again: their process died, or the first try failed. After five tries they become dead letters.";
  return null;
}

/** What a person found out about a call. */
export function foundOut({ happened }: Outcome): string {
  if (happened === null) return "Unknown";
  return happened ? "It happened" : "It did not happen";
}

/** What a message that became a dead letter was for. */
export function letterWords({ consumer }: { consumer: string }): string {
  return consumer === "" ? "A letter that can't be read" : `Given up by: ${workName(consumer)}`;
}

/** What became of a request. */
export const VERDICTS: Readonly<Record<EgressRecord["verdict"], string>> = {
  sent: "Sent",
  asked: "Needed a yes",
  refused: "Refused",
  blocked: "Blocked",
  failed: "Nobody reached",
};

/** How a command ended. */
export const ENDINGS: Readonly<Record<CommandRecord["ending"], string>> = {
  running: "Runs",
  exited: "Ended",
  timed_out: "Took too long",
  stopped: "Stopped",
  output: "Wrote too much",
  memory: "Took too much memory",
  disk: "Took too much disk",
  lost: "Nobody knows",
};

/** What a command did to a file. */
export const TOUCHES: Readonly<Record<CommandFile["touch"], string>> = {
  opened: "Opened",
  created: "Made",
  changed: "Changed",
  deleted: "Deleted",
};

const DID: Readonly<Record<OwnChange["what"], string>> = {
  made: "Made",
  changed: "Changed",
  deleted: "Deleted",
};

/** The change in one line. */
export function changeWords({ what, kind, label }: OwnChange): string {
  const { noun = kind, only } = kindNamed(kind) ?? {};
  const text = only && kind !== "database";
  return `${text && what === "made" ? "Wrote" : DID[what]} the ${noun}${text ? "" : `${only ? ":" : ""} ${label}`}`;
}
