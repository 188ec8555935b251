/** The gateway's operations for those who look after a Foldline: what failed, what is unknown, and who works. */
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { DeadLetters, DeadMessage, Left, Outcome, WhatLeft, Working } from "../../../lib/wire";

/** Letters per page. */
const LETTERS = 100;
/** Requests per page, and as many as are saved at once. */
const LEFT = 100;
export const MOST_SAVED = 10_000;
/** Outcomes that are listed, the newest. */
export const OUTCOMES = 200;

/** Messages that could not be handled, newest first; `before`: older than that letter. */
export function readLetters(before: number | null, signal?: AbortSignal): Promise<DeadLetters> {
  const params = { query: { before, limit: LETTERS } };
  return answerOf(api.GET("/dead-letters", { params, ...(signal && { signal }) }));
}

export function readLetter(number: number, signal: AbortSignal): Promise<DeadMessage> {
  return answerOf(api.GET("/dead-letters/{number}", { params: { path: { number } }, signal }));
}

/** Have the message handled again; what came of it. Asked once: a repeat may find the letter gone. */
export async function retryLetter(number: number): Promise<string> {
  return (await answerOf(api.POST("/dead-letters/{number}/retry", { params: { path: { number } } }))).done;
}

export async function discardLetter(number: number): Promise<string> {
  return (await answerOf(api.DELETE("/dead-letters/{number}", { params: { path: { number } } }))).done;
}

/** Calls of which nobody knows whether they did their work; with `settled`, those too of which a person said so. */
export async function readOutcomes(
  agentId: string,
  settled: boolean,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const query = { agent_id: agentId, settled, limit: OUTCOMES };
  return (await answerOf(api.GET("/outcomes", { params: { query }, signal }))).outcomes;
}

/** Say what became of a call. */
export function settle({ session_id, call_id }: Outcome, happened: boolean, note: string): Promise<unknown> {
  const params = { path: { session_id, call_id }, header: once(newKey()) };
  return retrying(() =>
    answerOf(api.POST("/outcomes/{session_id}/{call_id}", { params, body: { happened, note } })),
  );
}

/** Which of the requests that left are looked for; null: any. A host stands for those below it too. */
export interface LeftFilter {
  host: string | null;
  verdict: Left["verdict"] | null;
}

/** Requests that left in the name of an agent's calls, newest first, a page at a time. */
export function readLeft(
  agentId: string,
  { host, verdict }: LeftFilter,
  cursor: string | null,
  signal?: AbortSignal,
  limit = LEFT,
): Promise<WhatLeft> {
  const query = { agent_id: agentId, host, verdict, cursor, limit };
  return answerOf(api.GET("/egress", { params: { query }, ...(signal && { signal }) }));
}

/** Those that fit, a JSON document a line. */
export function leftAsLines(agentId: string, filter: LeftFilter): Promise<string> {
  return asLines(async (cursor) => {
    const page = await readLeft(agentId, filter, cursor, undefined, 1_000);
    return { found: page.requests, next: page.next_cursor };
  });
}

/** All pages of a list, as far as the newest `MOST_SAVED`, a JSON document a line. */
export async function asLines(
  read: (cursor: string | null) => Promise<{ found: readonly unknown[]; next: string | null }>,
): Promise<string> {
  const lines: string[] = [];
  let cursor: string | null = null;
  do {
    const { found, next } = await read(cursor);
    lines.push(...found.map((one) => `${JSON.stringify(one)}\n`));
    cursor = next;
  } while (cursor !== null && lines.length < MOST_SAVED);
  return lines.join("");
}

export function readWorking(signal: AbortSignal): Promise<Working> {
  return answerOf(api.GET("/runners", { signal }));
}
