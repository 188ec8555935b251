/**
 * The switches of the notebook: what the agent may do with a tab of notes is for people to say. A page may show them
 * and turn them off; whether it may turn one on, the person before it is asked in the shell, where it can't press.
 */

/** As in agent_contracts/entities/notebook.py. */
const TAB = "shared-notes/";
const SWITCHES = { agentRead: "read", agentWrite: "write" } as const;

/** A page wants to let the agent do this with a tab. */
export interface Sharing {
  tab: string;
  may: string;
}

/** What a write of a page would let the agent do that it may not yet; null: nothing. */
export function sharedBy(key: string, before: unknown, after: unknown): Sharing | null {
  if (!key.startsWith(TAB)) return null;
  const may = Object.entries(SWITCHES)
    .filter(([name]) => isOn(after, name) && !isOn(before, name))
    .map(([, word]) => word);
  return may.length ? { tab: key.slice(TAB.length), may: may.join(" and ") } : null;
}

/** Whether a key of the state is a tab of the notebook. */
export const isTab = (key: string): boolean => key.startsWith(TAB);

const isOn = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && (value as Record<string, unknown>)[name] === true;
