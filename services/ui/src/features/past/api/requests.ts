/** The gateway's operations on an agent's past as a whole. */
import { answerOf, api, once } from "../../../lib/api";
import type { AgentRewound, BisectCost, BisectionShown, ThingInTime } from "../../../lib/wire";
import type { BisectBody } from "../fold/bisection";

const of = (agentId: string) => ({ agent_id: agentId });

/** The agent's newest bisection; null: it has none yet. */
export async function readBisection(agentId: string, signal: AbortSignal): Promise<BisectionShown | null> {
  const params = { path: of(agentId) };
  return (await answerOf(api.GET("/agents/{agent_id}/bisection", { params, signal }))).bisection;
}

/** What a bisection would take. Nothing is asked of a model. */
export function previewBisect(agentId: string, body: BisectBody): Promise<BisectCost> {
  return answerOf(api.POST("/agents/{agent_id}:bisect-preview", { params: { path: of(agentId) }, body }));
}

export function startBisect(agentId: string, body: BisectBody, key: string): Promise<BisectionShown> {
  const params = { path: of(agentId), header: once(key) };
  return answerOf(api.POST("/agents/{agent_id}:bisect", { params, body }));
}

export function stopBisect(agentId: string): Promise<BisectionShown> {
  return answerOf(api.POST("/agents/{agent_id}/bisection:stop", { params: { path: of(agentId) } }));
}

export async function readRewinds(agentId: string, signal: AbortSignal): Promise<AgentRewound[]> {
  const params = { path: of(agentId) };
  return (await answerOf(api.GET("/agents/{agent_id}/rewinds", { params, signal }))).items;
}

/** What an event made of one thing: right before it, and after it. */
export function readChange(
  agentId: string,
  thing: { kind: string; name: string; sequence: number },
  signal: AbortSignal,
): Promise<ThingInTime> {
  const query = { kind: thing.kind as "state", name: thing.name, at: String(thing.sequence) };
  const params = { path: of(agentId), query };
  return answerOf(api.GET("/agents/{agent_id}/moment/thing", { params, signal }));
}
