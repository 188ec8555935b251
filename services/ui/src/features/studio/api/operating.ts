/** The gateway's operations on what agents did, and for those who look after a Foldline. */
import { answerOf, api } from "../../../lib/api";
import { retrying, written } from "../../../lib/retrying";
import type {
  Agent,
  AgentRewound,
  DeadLetters,
  DeadMessage,
  Outcome,
  OwnChange,
  OwnChanges,
  WorkOverview,
} from "../../../lib/wire";
import type { DoneList } from "../fold/lists";

/** Rows per page, letters per page, and as many rows as are saved at once. */
const PAGE = 50;
const LETTERS = 100;
export const MOST_SAVED = 10_000;
/** Outcomes that are listed, the newest. */
export const OUTCOMES = 200;

const viewersZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export async function readAgents(signal: AbortSignal): Promise<Agent[]> {
  return (await answerOf(api.GET("/agents", { signal }))).items;
}

export const createAgent = (name: string, starters: boolean) =>
  written((header) => answerOf(api.POST("/agents", { params: { header }, body: { name, starters } })));

export const renameAgent = (agent_id: string, name: string) =>
  written((header) =>
    answerOf(api.PATCH("/agents/{agent_id}", { params: { path: { agent_id }, header }, body: { name } })),
  );

export const deleteAgent = (agent_id: string) =>
  written((header) => answerOf(api.DELETE("/agents/{agent_id}", { params: { path: { agent_id }, header } })));

/** What each agent's model calls took in the last 30 days: tokens, and what is known of their cost. */
export async function readTokens(signal: AbortSignal) {
  const params = { query: { timezone: viewersZone() } };
  const { items: costs } = await answerOf(api.GET("/costs", { params, signal }));
  const found = new Map<string, { tokens: number; micros: number }>();
  for (const { agent_id, usage } of costs) {
    const { tokens, micros } = found.get(agent_id) ?? { tokens: 0, micros: 0 };
    found.set(agent_id, {
      tokens: tokens + usage.tokens,
      micros: micros + (usage.cost_micros ?? 0),
    });
  }
  return found;
}

/** What the agent's model calls took in the last days, by day as this browser has it. */
export const readCosts = (agent_id: string, signal: AbortSignal) =>
  answerOf(api.GET("/costs", { params: { query: { agent_id, timezone: viewersZone() } }, signal }));

/** What the agent has used of its quotas. */
export const readUsage = (agent_id: string, signal: AbortSignal) =>
  answerOf(api.GET("/agents/{agent_id}/usage", { params: { path: { agent_id } }, signal }));

/** What the log holds of the agent, by part: counted anew each time. */
export const readSpace = (agent_id: string, signal: AbortSignal) =>
  answerOf(api.GET("/agents/{agent_id}/space", { params: { path: { agent_id } }, signal }));

/** Messages that could not be handled, newest first. */
export const readLetters = (cursor: string | null, signal: AbortSignal): Promise<DeadLetters> =>
  answerOf(api.GET("/dead-letters", { params: { query: { cursor, limit: LETTERS } }, signal }));

export const readLetter = (number: number, signal: AbortSignal): Promise<DeadMessage> =>
  answerOf(api.GET("/dead-letters/{number}", { params: { path: { number } }, signal }));

/** Have the message handled again; what came of it. Asked once: a repeat may find the letter gone. */
export async function retryLetter(number: number): Promise<string> {
  return (await answerOf(api.POST("/dead-letters/{number}:retry", { params: { path: { number } } }))).done;
}

export async function discardLetter(number: number): Promise<string> {
  return (await answerOf(api.DELETE("/dead-letters/{number}", { params: { path: { number } } }))).done;
}

/** Calls of which nobody knows whether they did their work; with `settled`, those too of which a person said so. */
export async function readOutcomes(agent_id: string, settled: boolean, signal: AbortSignal) {
  const query = { agent_id, settled, limit: OUTCOMES };
  return (await answerOf(api.GET("/outcomes", { params: { query }, signal }))).items;
}

/** Say what became of a call. */
export const settle = ({ session_id, call_id }: Outcome, happened: boolean, note: string) =>
  written((header) => {
    const params = { path: { session_id, call_id }, header };
    return answerOf(
      api.POST("/outcomes/{session_id}/{call_id}:settle", { params, body: { happened, note } }),
    );
  });

export const readWorking = (signal: AbortSignal): Promise<WorkOverview> =>
  answerOf(api.GET("/runners", { signal }));

/** Where a page of rows begins, and how many it has at most. */
export interface Wanted {
  cursor: string | null;
  signal?: AbortSignal;
  limit?: number;
}

const paged = ({ cursor, limit = PAGE }: Wanted) => ({ cursor, limit });
const asked = ({ signal }: Wanted) => ({ ...(signal && { signal }) });

/** A page of a list of what was done in an agent's name, newest first; null in the filter: any. */
export async function readList<Row>(
  { name }: Pick<DoneList, "name">,
  agent_id: string,
  filter: Readonly<Record<string, string | null>>,
  wanted: Wanted,
): Promise<{ rows: readonly Row[]; next: string | null }> {
  // All lists are asked in the same way; each is read as its own declaration says.
  const params = { query: { agent_id, ...filter, ...paged(wanted) } as { agent_id: string } };
  const page = await answerOf(api.GET(`/${name}` as "/commands", { params, ...asked(wanted) }));
  return { rows: page.items as readonly unknown[] as readonly Row[], next: page.next_cursor };
}

/** What an agent made, changed and deleted of its own, newest first; of one kind, or (null) of all. */
export function readOwnChanges(
  agent_id: string,
  { kind }: { kind: string | null },
  wanted: Wanted,
): Promise<OwnChanges> {
  const params = { path: { agent_id }, query: { kind, ...paged(wanted) } };
  return answerOf(api.GET("/agents/{agent_id}/changes", { params, ...asked(wanted) }));
}

/** Make the thing what it was right before the change. */
export const undoChange = (agent_id: string, { address }: OwnChange): Promise<AgentRewound> =>
  written((header) => {
    const params = { path: { agent_id, address }, header };
    return answerOf(api.POST("/agents/{agent_id}/changes/{address}:undo", { params }));
  });

/** All pages of a list, as far as the newest `MOST_SAVED`, a JSON document a line. */
export async function asLines(
  read: (wanted: Wanted) => Promise<{ rows: readonly unknown[]; next: string | null }>,
): Promise<string> {
  const lines: string[] = [];
  let cursor: string | null = null;
  do {
    const { rows, next } = await retrying(() => read({ cursor, limit: 1_000 }));
    lines.push(...rows.map((one) => `${JSON.stringify(one)}\n`));
    cursor = next;
  } while (cursor !== null && lines.length < MOST_SAVED);
  return lines.join("");
}
