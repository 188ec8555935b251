/** The gateway's operations on foreign servers of tools (MCP). */
import type { components } from "../../../contracts/api";
import { answerOf, api } from "../../../lib/api";
import type { McpServer } from "../../../lib/wire";

type Schemas = components["schemas"];
export type McpState = Schemas["McpStateView"];
export type McpTools = Schemas["McpToolsOfServer"];

export async function readMcpServers(agentId: string, signal: AbortSignal): Promise<McpServer[]> {
  const params = { path: { agent_id: agentId } };
  return (await answerOf(api.GET("/agents/{agent_id}/mcp-servers", { params, signal }))).servers;
}

export function readMcpTools(agentId: string, name: string, signal: AbortSignal): Promise<McpTools> {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.GET("/agents/{agent_id}/mcp-servers/{name}/tools", { params, signal }));
}

/** Connect with it anew; how it is then. */
export function testMcpServer(agentId: string, name: string): Promise<McpState> {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}/test", { params }));
}

/** Offer these tools as they were seen in this version of the list; null: all. */
export function acceptMcpTools(
  agentId: string,
  name: string,
  version: number,
  told: { accept?: string[] | null; refuse?: string[]; read_only?: Record<string, boolean> },
): Promise<McpServer> {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(
    api.POST("/agents/{agent_id}/mcp-servers/{name}/accept", {
      params,
      body: { accept: null, ...told, version },
    }),
  );
}

/** Another program or address, switched on or off: whatever differs from how it is kept. */
export function writeMcpServer(
  agentId: string,
  name: string,
  server: Pick<McpServer, "transport" | "enabled" | "timeout_s" | "sampling" | "version">,
): Promise<McpServer> {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(
    api.PUT("/agents/{agent_id}/mcp-servers/{name}", {
      params,
      body: { ...server, transport: { ...server.transport } },
    }),
  );
}

export function importMcpServers(agentId: string, servers: Record<string, Record<string, unknown>>) {
  const params = { path: { agent_id: agentId } };
  return answerOf(
    api.POST("/agents/{agent_id}/mcp-servers/import", {
      params,
      body: { mcpServers: servers, replace: false },
    }),
  );
}

export function removeMcpServer(agentId: string, name: string) {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.DELETE("/agents/{agent_id}/mcp-servers/{name}", { params }));
}

/** The server as it was in a version, also of one that was removed. */
export function restoreMcpServer(agentId: string, name: string, version: number): Promise<McpServer> {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}/revert", { params, body: { version } }));
}

/** Where the person logs in for it: the whole address, and whose page that is. */
export function beginMcpLogin(agentId: string, name: string): Promise<Schemas["McpLoginBegun"]> {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}/login", { params }));
}

export function endMcpLogin(agentId: string, name: string) {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.DELETE("/agents/{agent_id}/mcp-servers/{name}/login", { params }));
}

/** What a person allows of one server, or allows no more. */
export function allowMcpServer(
  agentId: string,
  name: string,
  body: { unconfined?: boolean; private?: boolean; sampling?: boolean },
): Promise<McpServer> {
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}/allow", { params, body }));
}
