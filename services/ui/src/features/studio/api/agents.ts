/** The gateway's operations on agents themselves. */
import { answerOf, api } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";

export function createAgent(name: string, starters: boolean) {
  const params = { header: { "Idempotency-Key": newKey() } };
  return answerOf(api.POST("/agents", { params, body: { name, starters } }));
}

export function renameAgent(agentId: string, name: string) {
  const params = { path: { agent_id: agentId }, header: { "Idempotency-Key": newKey() } };
  return answerOf(api.PATCH("/agents/{agent_id}", { params, body: { name } }));
}

export function deleteAgent(agentId: string) {
  const params = { path: { agent_id: agentId }, header: { "Idempotency-Key": newKey() } };
  return answerOf(api.DELETE("/agents/{agent_id}", { params }));
}

/** What each agent's model calls took in the last 30 days: tokens, and what is known of their cost. */
export async function readTokens(
  signal: AbortSignal,
): Promise<Map<string, { tokens: number; micros: number }>> {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { costs } = await answerOf(api.GET("/costs", { params: { query: { timezone } }, signal }));
  const found = new Map<string, { tokens: number; micros: number }>();
  for (const { agent_id: agentId, usage } of costs) {
    const before = found.get(agentId) ?? { tokens: 0, micros: 0 };
    found.set(agentId, {
      tokens: before.tokens + usage.input + usage.output,
      micros: before.micros + (usage.cost_micros ?? 0),
    });
  }
  return found;
}
