/** The gateway's operations on foreign servers of tools (MCP), and on programs that use an agent. */
import type { components } from "../../../contracts/api";
import { answerOf, api } from "../../../lib/api";
import { written } from "../../../lib/retrying";
import type { McpServer } from "../../../lib/wire";

type Schemas = components["schemas"];
export type ProgramRight = Schemas["ProgramRight"];

const of = (agentId: string) => ({ agent_id: agentId });
const server = (agentId: string, name: string) => ({ path: { ...of(agentId), name } });

export async function readMcpServers(agentId: string, signal: AbortSignal): Promise<McpServer[]> {
  const params = { path: of(agentId) };
  return (await answerOf(api.GET("/agents/{agent_id}/mcp-servers", { params, signal }))).items;
}

export const readMcpTools = (agentId: string, name: string, signal: AbortSignal) =>
  answerOf(api.GET("/agents/{agent_id}/mcp-servers/{name}/tools", { params: server(agentId, name), signal }));

/** Connect with it anew; how it is then. */
export const testMcpServer = (agentId: string, name: string) =>
  answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}:test", { params: server(agentId, name) }));

/** What a person says of a server's tools. */
export interface ToldOfTools {
  /** Offer these as they were seen; null: all. */
  accept?: string[] | null;
  refuse?: string[];
  read_only?: Record<string, boolean>;
}

/** Say it of the list as it was seen in this version. */
export function acceptMcpTools(agentId: string, name: string, version: number, told: ToldOfTools) {
  const body = { accept: null, ...told, version };
  const params = server(agentId, name);
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}:accept", { params, body }));
}

export function importMcpServers(agentId: string, servers: Record<string, Record<string, unknown>>) {
  const body = { mcpServers: servers, replace: false };
  const params = { path: of(agentId) };
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers:import", { params, body }));
}

/** The server as it was in a version, also of one that was removed. */
export function restoreMcpServer(agentId: string, name: string, version: number): Promise<McpServer> {
  const params = server(agentId, name);
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}:revert", { params, body: { version } }));
}

/** Where the person logs in for it: the whole address, and whose page that is. */
export const beginMcpLogin = (agentId: string, name: string) =>
  answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}:log-in", { params: server(agentId, name) }));

export const endMcpLogin = (agentId: string, name: string) =>
  answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}:log-out", { params: server(agentId, name) }));

/** What a person allows of one server, or allows no more. */
export function allowMcpServer(
  agentId: string,
  name: string,
  body: { unconfined?: boolean; private?: boolean; sampling?: boolean },
) {
  const params = server(agentId, name);
  return answerOf(api.POST("/agents/{agent_id}/mcp-servers/{name}:allow", { params, body }));
}

/** What a program may do, in the order in which a person is asked; worded as `RIGHT_WORDS` in
 * `agent_contracts/api/program_tokens.py` (a test compares them). */
export const RIGHTS: Record<ProgramRight, string> = {
  read: "read everything of the agent except secrets and settings: chats, files, prompt, notes, state, database, policy, commands, outgoing requests, costs",
  say: "begin chats, say something and send files in them, stop and retry",
  approve: "answer questions and approvals, those of its own calls too",
  fork: "fork sessions",
  tools: "run the exposed tools, by MCP",
};

/** What a program may do, in the order of the form. */
export function rightWords(rights: readonly ProgramRight[]): string {
  const told = (Object.keys(RIGHTS) as ProgramRight[]).filter((one) => rights.includes(one));
  return told.map((one) => RIGHTS[one]).join("; ");
}

export async function readPrograms(agentId: string, signal: AbortSignal) {
  return (await answerOf(api.GET("/program-tokens", { params: { query: of(agentId) }, signal }))).items;
}

/** Let a program in. Its token is in the answer, and never shown again. */
export function letIn(agentId: string, name: string, rights: readonly ProgramRight[]) {
  const body = { name, agent_id: agentId, rights: [...rights] };
  return answerOf(api.POST("/program-tokens", { body }));
}

export const revoke = (name: string) =>
  answerOf(api.DELETE("/program-tokens/{name}", { params: { path: { name } } }));

export const readExposed = (agentId: string, signal: AbortSignal) =>
  answerOf(api.GET("/agents/{agent_id}/exposed-tools", { params: { path: of(agentId) }, signal }));

/** Expose these tools, and no others, if they are still what they were at `version`. */
export const expose = (agentId: string, names: readonly string[], version: number) =>
  written((header) => {
    const params = { path: of(agentId), header };
    return answerOf(
      api.PUT("/agents/{agent_id}/exposed-tools", { params, body: { names: [...names], version } }),
    );
  });
