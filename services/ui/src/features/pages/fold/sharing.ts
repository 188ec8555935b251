/**
 * The switches of the notebook: what the agent may do with a tab of notes is for people to say. A page may show them
 * and turn them off; whether it may turn one on, the person before it is asked in the shell, where it can't press.
 *
 * They bind the agent's own pages, too: such a page may do no more with the notes than the agent itself. Only that
 * which a pack brought, and nobody changed, is people's.
 */

/** As in agent_contracts/entities/notebook.py. */
const NOTEBOOK = "shared-notes";
const TAB = `${NOTEBOOK}/`;
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

/** Whether a key of the state is the notebook's. */
export const isOfNotebook = (key: string): boolean => key === NOTEBOOK || key.startsWith(TAB);

/** Why a page of the agent's own may not read this value; null: it may. */
export function hidden(key: string, value: unknown): string | null {
  if (!key.startsWith(TAB) || isOn(value, "agentRead")) return null;
  return `The notes in "${key.slice(TAB.length)}" are not shared with the agent, so its pages can't read them.`;
}

/** Why a page of the agent's own may not write where this is now (undefined: nothing); null: it may. */
export function closed(key: string, before: unknown): string | null {
  if (!isOfNotebook(key) || (key.startsWith(TAB) && isOn(before, "agentWrite"))) return null;
  if (key === NOTEBOOK || before === undefined) return "Only people make and remove tabs of notes.";
  return `The agent may not write the notes in "${key.slice(TAB.length)}", so its pages can't.`;
}

const isOn = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && (value as Record<string, unknown>)[name] === true;
