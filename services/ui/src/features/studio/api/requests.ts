/** The gateway's operations on what an agent has: reading. */
import { address, Problem, request } from "../../../lib/http";
import type { Agent, Versions, Written } from "../../../lib/wire";
import { isText, LISTS, type Section } from "../fold/sections";
import { type Item, itemOf, type Lists } from "../fold/view";

/** Which thing of which agent. Of a text there is one: its name is its section's. */
export interface Place {
  agentId: string;
  section: Section;
  name: string;
}

/** A thing as it is, or was: `value` is whatever it holds. */
export interface Thing extends Written {
  value: unknown;
}

export const agentPath = (agentId: string) => `/agents/${encodeURIComponent(agentId)}`;

export function pathOf({ agentId, section, name }: Place): string {
  const own = isText(section) ? section : `${section}/${encodeURIComponent(name)}`;
  return `${agentPath(agentId)}/${own}`;
}

/** Where the event behind a version can be read as it stands in the log. */
export function eventAddress(agentId: string, sequence: number): string {
  return address(`${agentPath(agentId)}/events/${sequence}`);
}

export async function readAgents(signal: AbortSignal): Promise<Agent[]> {
  return (await request<{ agents: Agent[] }>("/agents", { signal })).agents;
}

type Listed = Written & { name?: string; key?: string } & Partial<Omit<Item, "name">>;

/** All that the agent has by name, in short. */
export async function readLists(agentId: string, signal?: AbortSignal): Promise<Lists> {
  const read = async (section: string) => {
    const path = `${agentPath(agentId)}/${section}`;
    const answer = await request<Record<string, Listed[]>>(path, signal ? { signal } : {});
    const listed = answer.definitions ?? answer.keys ?? answer.secrets ?? [];
    return listed.map((one) => itemOf({ ...one, name: one.name ?? one.key ?? "" }));
  };
  const lists = await Promise.all(LISTS.map(async (section) => [section, await read(section)]));
  return Object.fromEntries(lists) as Lists;
}

/** A thing now, or as it was after event `at`; null: there is none. */
export async function readThing(place: Place, at: number | null, signal: AbortSignal): Promise<Thing | null> {
  try {
    const found = await request<Written & Record<"text" | "value" | "definition", unknown>>(pathOf(place), {
      query: { at },
      signal,
    });
    const { version, sequence, time, actor, session_id, call_id } = found;
    const value = isText(place.section)
      ? found.text
      : place.section === "state"
        ? found.value
        : found.definition;
    return { version, sequence, time, actor, session_id, call_id, value };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

/** Versions per page. */
const PAGE = 50;

/** Who changed it and when, newest first; `before` an event, or from now back. */
export function readVersions(place: Place, before: number | null, signal?: AbortSignal): Promise<Versions> {
  const query = { before, limit: PAGE };
  return request(`${pathOf(place)}/versions`, signal ? { query, signal } : { query });
}
