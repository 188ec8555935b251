/** The prompts of an agent's MCP servers. */
import { answerOf, api } from "../../../lib/api";
import type { McpPrompts } from "../../../lib/wire";

/** All of them, and which servers could not be asked; servers are connected with for that. */
export function readPrompts(agentId: string, signal: AbortSignal): Promise<McpPrompts> {
  const params = { path: { agent_id: agentId } };
  return answerOf(api.GET("/agents/{agent_id}/mcp-prompts", { params, signal }));
}
