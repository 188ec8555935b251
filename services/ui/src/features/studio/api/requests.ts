/** The gateway's operations on what an agent has: reading. */
import { addressOf } from "../../../lib/address";
import { answerOf, api } from "../../../lib/api";
import { isNotFound } from "../../../lib/problems";
import type { Agent, Versions, Written } from "../../../lib/wire";
import type { ListSection, Section } from "../fold/sections";
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

export async function readAgents(signal: AbortSignal): Promise<Agent[]> {
  return (await answerOf(api.GET("/agents", { signal }))).agents;
}

/** What the agent has used of its quotas. */
export function readUsage(agentId: string, signal: AbortSignal) {
  return answerOf(api.GET("/agents/{agent_id}/usage", { params: { path: { agent_id: agentId } }, signal }));
}

/** What the agent's model calls took in the last days, by day as this browser has it. */
export function readCosts(agentId: string, signal: AbortSignal) {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return answerOf(api.GET("/costs", { params: { query: { agent_id: agentId, timezone } }, signal }));
}

/** The tools whose definitions the model gets with each request. */
export function readPinned(agentId: string, signal: AbortSignal) {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.GET("/agents/{agent_id}/pinned-tools", { params, signal }));
}

/** Those of a section, in short. */
async function readList(agentId: string, section: ListSection, signal?: AbortSignal): Promise<Item[]> {
  const init = { params: { path: { agent_id: agentId } }, ...(signal && { signal }) };
  switch (section) {
    case "state": {
      const { keys } = await answerOf(api.GET("/agents/{agent_id}/state", init));
      return keys.map(({ key, ...one }) => itemOf({ ...one, name: key }));
    }
    case "secrets":
      return (await answerOf(api.GET("/agents/{agent_id}/secrets", init))).secrets.map(itemOf);
    default:
      return (await answerOf(api.GET(`/agents/{agent_id}/${section}`, init))).definitions.map(itemOf);
  }
}

/** All that the agent has by name, in short. */
export async function readLists(agentId: string, signal?: AbortSignal): Promise<Lists> {
  const read = (section: ListSection) => readList(agentId, section, signal);
  const [tools, functions, libraries, components, skills, playbooks, state, secrets] = await Promise.all([
    read("tools"),
    read("functions"),
    read("libraries"),
    read("components"),
    read("skills"),
    read("playbooks"),
    read("state"),
    read("secrets"),
  ]);
  return { tools, functions, libraries, components, skills, playbooks, state, secrets };
}

async function readValue({ agentId, section, name }: Place, at: number | null, signal: AbortSignal) {
  const agent = { agent_id: agentId };
  const query = { at: at === null ? null : addressOf(at) };
  switch (section) {
    case "prompt":
    case "notes": {
      const params = { path: agent, query };
      const { text, ...written } = await answerOf(
        api.GET(`/agents/{agent_id}/${section}`, { params, signal }),
      );
      return { ...written, value: text };
    }
    case "state":
      return answerOf(
        api.GET("/agents/{agent_id}/state/{key}", {
          params: { path: { ...agent, key: name }, query },
          signal,
        }),
      );
    case "secrets":
      throw new Error("The value of a secret can't be read");
    default: {
      const params = { path: { ...agent, name }, query };
      const { definition, ...written } = await answerOf(
        api.GET(`/agents/{agent_id}/${section}/{name}`, { params, signal }),
      );
      return { ...written, value: definition };
    }
  }
}

/** A thing now, or as it was after event `at`; null: there is none. */
export async function readThing(place: Place, at: number | null, signal: AbortSignal): Promise<Thing | null> {
  try {
    const found = await readValue(place, at, signal);
    const { version, sequence, time, actor, session_id, call_id, value } = found;
    return { version, sequence, time, actor, session_id, call_id, value };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Versions per page. */
const PAGE = 50;

/** Who changed it and when, newest first; `before` an event, or from now back. */
export function readVersions(place: Place, before: number | null, signal?: AbortSignal): Promise<Versions> {
  const { agentId, section, name } = place;
  const agent = { agent_id: agentId };
  const rest = { ...(signal && { signal }) };
  const query = { before, limit: PAGE };
  switch (section) {
    case "prompt":
    case "notes":
      return answerOf(
        api.GET(`/agents/{agent_id}/${section}/versions`, { params: { path: agent, query }, ...rest }),
      );
    case "state": {
      const params = { path: { ...agent, key: name }, query };
      return answerOf(api.GET("/agents/{agent_id}/state/{key}/versions", { params, ...rest }));
    }
    case "secrets":
      throw new Error("A secret has no versions to read");
    default: {
      const params = { path: { ...agent, name }, query };
      return answerOf(api.GET(`/agents/{agent_id}/${section}/{name}/versions`, { params, ...rest }));
    }
  }
}
