/** What commands did in the name of an agent's calls. */
import { answerOf, api } from "../../../lib/api";
import type { CommandWorked, WhatRan } from "../../../lib/wire";
import { asLines } from "./levers";

/** Commands per page. */
const COMMANDS = 50;

/** Which commands are looked for; null: any. */
export interface CommandFilter {
  command: string | null;
  file: string | null;
  ending: CommandWorked["ending"] | null;
}

/** Commands that ran, newest first, a page at a time. */
export function readCommands(
  agentId: string,
  filter: CommandFilter,
  cursor: string | null,
  signal?: AbortSignal,
  limit = COMMANDS,
): Promise<WhatRan> {
  const query = { agent_id: agentId, ...filter, cursor, limit };
  return answerOf(api.GET("/commands", { params: { query }, ...(signal && { signal }) }));
}

/** Those that fit, a JSON document a line. */
export function commandsAsLines(agentId: string, filter: CommandFilter): Promise<string> {
  return asLines(async (cursor) => {
    const page = await readCommands(agentId, filter, cursor, undefined, 1_000);
    return { found: page.commands, next: page.next_cursor };
  });
}
