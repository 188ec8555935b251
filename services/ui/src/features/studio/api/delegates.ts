import type { components } from "../../../contracts/api";
import { addressOf } from "../../../lib/address";
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { Versions } from "../../../lib/wire";

type Schemas = components["schemas"];

/** `a2a`: another agent, `openai`: a model, `acp`: a coding agent that runs in the workspace. */
export type DelegateType = "a2a" | "openai" | "acp";

/** Another agent, or a model. What goes with its type alone is empty for the others. */
export interface Delegate {
  name: string;
  type: DelegateType;
  description?: string;
  url?: string;
  secret?: string;
  model?: string;
  system_prompt?: string;
  command?: string;
}

export interface Delegates {
  delegates: readonly Delegate[];
  version: number;
}

function delegatesOf({ delegates, version }: Schemas["DelegatesOfAgent"]): Delegates {
  return { delegates: delegates as unknown as Delegate[], version };
}

/** Whom the agent may hand work to, now or after an event. */
export async function readDelegates(
  agentId: string,
  at: number | null,
  signal: AbortSignal,
): Promise<Delegates> {
  const query = { at: at === null ? null : addressOf(at) };
  const params = { path: { agent_id: agentId }, query };
  return delegatesOf(await answerOf(api.GET("/agents/{agent_id}/delegates", { params, signal })));
}

/** Let there be these, and no others, if they are still what they were at `version`. */
export function writeDelegates(
  agentId: string,
  delegates: readonly Delegate[],
  version: number,
): Promise<Delegates> {
  const params = { path: { agent_id: agentId }, header: once(newKey()) };
  const body = { delegates: delegates.map((one) => ({ ...one })), version };
  return retrying(async () =>
    delegatesOf(await answerOf(api.PUT("/agents/{agent_id}/delegates", { params, body }))),
  );
}

export function readDelegatesVersions(agentId: string, signal: AbortSignal): Promise<Versions> {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.GET("/agents/{agent_id}/delegates/versions", { params, signal }));
}

/** The delegates of an earlier version again. */
export async function revertDelegates(agentId: string, sequence: number): Promise<void> {
  const params = { path: { agent_id: agentId } };
  await answerOf(api.POST("/agents/{agent_id}/delegates/revert", { params, body: { sequence } }));
}

/** What it answers to a short question. Asked once: it may cost something. */
export async function testDelegate(agentId: string, name: string): Promise<string> {
  const params = { path: { agent_id: agentId, name } };
  return (await answerOf(api.POST("/agents/{agent_id}/delegates/{name}/test", { params }))).answer;
}
