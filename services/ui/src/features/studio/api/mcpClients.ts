/** The gateway's operations on programs that use an agent by MCP, and on the tools that they may run. */
import type { components } from "../../../contracts/api";
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";

export type McpScope = components["schemas"]["McpScope"];
export type McpClient = components["schemas"]["AllowedMcpClient"];

/** In the order in which a person is asked. */
export const SCOPES: Record<McpScope, string> = {
  read: "read its sessions, files and skills",
  ask: "ask it",
  rewind: "fork sessions",
  tools: "run the tools that you expose below",
};

/** What a program may do, in the order of the form. */
export function scopeWords(scopes: readonly McpScope[]): string {
  const told = (Object.keys(SCOPES) as McpScope[]).filter((one) => scopes.includes(one));
  return told.map((one) => (one === "tools" ? "run the exposed tools" : SCOPES[one])).join(", ");
}

export async function readMcpClients(agentId: string, signal: AbortSignal): Promise<readonly McpClient[]> {
  const params = { query: { agent_id: agentId } };
  return (await answerOf(api.GET("/mcp-tokens", { params, signal }))).tokens;
}

/** Let a program in. Its token is in the answer, and never shown again. */
export function letIn(agentId: string, name: string, scopes: readonly McpScope[]) {
  const params = { path: { name } };
  const body = { agent_id: agentId, scopes: [...scopes] };
  return answerOf(api.POST("/mcp-tokens/{name}", { params, body }));
}

export function revoke(name: string) {
  return answerOf(api.DELETE("/mcp-tokens/{name}", { params: { path: { name } } }));
}

export function readExposed(agentId: string, signal: AbortSignal) {
  return answerOf(
    api.GET("/agents/{agent_id}/exposed-tools", { params: { path: { agent_id: agentId } }, signal }),
  );
}

/** Expose these tools, and no others, if they are still what they were at `version`. */
export function expose(agentId: string, names: readonly string[], version: number) {
  const params = { path: { agent_id: agentId }, header: once(newKey()) };
  const body = { names: [...names], version };
  return answerOf(api.PUT("/agents/{agent_id}/exposed-tools", { params, body }));
}
