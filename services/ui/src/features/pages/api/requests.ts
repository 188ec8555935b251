/** The gateway's operations that pages use, in the name of the person before the screen. */
import type { components } from "../../../contracts/api";
import { answerOf, api, once } from "../../../lib/api";
import { Problem } from "../../../lib/problems";
import type { CallsOfApp } from "../../../lib/wire";
import type { PageEntry } from "../fold/pageList";

type Schemas = components["schemas"];

/** A component with its code, and what it is given. */
export interface Page extends PageEntry {
  code: string;
  props: Readonly<Record<string, unknown>>;
  /** The event as of which its libraries are read; null: as they are now. */
  at: string | null;
  /** The session and the call that wrote this version; null: a person did. */
  by: { sessionId: string; callId: string } | null;
  /** The pack that brought exactly this; null: it is the agent's own. */
  broughtBy: string | null;
}

/** A value of the agent's state as of event `sequence`. */
export interface Stored {
  value: unknown;
  present: boolean;
  sequence: number;
}

export interface PageRequests {
  /** What is read changes, and is followed. */
  follows: boolean;
  list(): Promise<PageEntry[]>;
  /** As it is, or as it was after event `at`. */
  page(name: string, at?: number): Promise<Page>;
  /** The code of a library, as it is or as of event `at`. */
  library(name: string, at: string | null): Promise<string>;
  /** The model call that asked for a tool call, and the event that did; null: it isn't known. */
  causes(by: { sessionId: string; callId: string }): Promise<{ modelCall: string | null; at: string | null }>;
  readState(key: string): Promise<Stored>;
  writeState(key: string, value: unknown, idempotencyKey: string): Promise<Stored>;
  /** `allowed`: what the person before the page said yes to. */
  call(
    name: string,
    args: Record<string, unknown>,
    idempotencyKey: string,
    allowed?: { allow: Record<string, unknown>; always: boolean },
  ): Promise<unknown>;
  /** Into the session, or (null) into a new one: the session's id, and the event from which it can be read. */
  say(sessionId: string | null, text: string, idempotencyKey: string): Promise<Said>;
}

/** A call of a tool by the app that a session's call brought. */
export interface WantedByApp {
  sessionId: string;
  callId: string;
  tool: string;
  args: Record<string, unknown>;
  /** The person before the app said yes to exactly this. */
  approved: boolean;
}

/** What the tool gave. */
export async function callForApp(
  { sessionId, callId, tool, args, approved }: WantedByApp,
  idempotencyKey: string,
): Promise<unknown> {
  const path = { session_id: sessionId, call_id: callId };
  const params = { path, header: once(idempotencyKey) };
  const body = { tool, arguments: args, approved };
  const answer = api.POST("/sessions/{session_id}/calls/{call_id}/app-calls", { params, body });
  return (await answerOf(answer)).result;
}

/** What the app's server has under an address: MCP's `ReadResourceResult`. */
export async function readForApp(
  { sessionId, callId, uri, approved }: { sessionId: string; callId: string; uri: string; approved: boolean },
  idempotencyKey: string,
): Promise<unknown> {
  const path = { session_id: sessionId, call_id: callId };
  const params = { path, header: once(idempotencyKey) };
  const answer = api.POST("/sessions/{session_id}/calls/{call_id}:read-for-app", {
    params,
    body: { uri, approved },
  });
  return (await answerOf(answer)).result;
}

/** Nobody waits any more for what the app has in hand. */
export async function stopAppCalls(sessionId: string, callId: string): Promise<void> {
  const params = { path: { session_id: sessionId, call_id: callId } };
  await answerOf(api.POST("/sessions/{session_id}/calls/{call_id}/app-calls:stop", { params }));
}

/** What the app that a session's call brought has called, newest first, at most `limit`. */
export function readAppCalls(
  sessionId: string,
  callId: string,
  limit: number,
  signal: AbortSignal,
): Promise<CallsOfApp> {
  const params = { path: { session_id: sessionId, call_id: callId }, query: { limit } };
  return answerOf(api.GET("/sessions/{session_id}/calls/{call_id}/app-calls", { params, signal }));
}

export interface Said {
  id: string;
  last_sequence: number;
}

export function pageRequests(agentId: string): PageRequests {
  const agent = { agent_id: agentId };
  return {
    follows: true,
    async list() {
      const { items: definitions } = await answerOf(
        api.GET("/agents/{agent_id}/components", { params: { path: agent } }),
      );
      return definitions.map(({ name, description, version, sequence }) => ({
        name,
        description,
        version,
        sequence: sequence ?? 0,
      }));
    },
    async page(name, at) {
      const found = await answerOf(
        api.GET("/agents/{agent_id}/components/{name}", {
          params: { path: { ...agent, name }, query: { at: at === undefined ? null : String(at) } },
        }),
      );
      const { description, code } = found.definition;
      return {
        name: found.name,
        description: String(description ?? ""),
        code: String(code ?? ""),
        version: found.version,
        sequence: found.sequence ?? 0,
        by: found.session_id && found.call_id ? { sessionId: found.session_id, callId: found.call_id } : null,
        props: {},
        at: null,
        broughtBy: found.brought_by ?? null,
      };
    },
    async library(name, at) {
      const { definition } = await answerOf(
        api.GET("/agents/{agent_id}/libraries/{name}", {
          params: { path: { ...agent, name }, query: { at } },
        }),
      );
      return String(definition.code ?? "");
    },
    async causes({ sessionId, callId }) {
      const params = { path: { session_id: sessionId, call_id: callId } };
      const call = await answerOf(api.GET("/sessions/{session_id}/calls/{call_id}", { params }));
      return { modelCall: call.model_call_id, at: call.result_address ?? call.request_address };
    },
    async readState(key) {
      try {
        return stored(
          await answerOf(api.GET("/agents/{agent_id}/state/{key}", { params: { path: { ...agent, key } } })),
        );
      } catch (error) {
        if (error instanceof Problem && error.kind === "not_found")
          return { value: null, present: false, sequence: 0 };
        throw error;
      }
    },
    async writeState(key, value, idempotencyKey) {
      const params = { path: { ...agent, key }, header: once(idempotencyKey) };
      return stored(await answerOf(api.PUT("/agents/{agent_id}/state/{key}", { params, body: { value } })));
    },
    async call(name, args, idempotencyKey, allowed) {
      const params = { path: { ...agent, name }, header: once(idempotencyKey) };
      const body = { arguments: args, always: false, ...allowed };
      return (await answerOf(api.POST("/agents/{agent_id}/functions/{name}:invoke", { params, body })))
        .result;
    },
    async say(sessionId, text, idempotencyKey) {
      const header = once(idempotencyKey);
      if (sessionId === null) {
        const body = { message: text, agent_id: agentId };
        return answerOf(api.POST("/sessions", { params: { header }, body }));
      }
      const params = { path: { session_id: sessionId }, header };
      const { sequence } = await answerOf(
        api.POST("/sessions/{session_id}/messages", { params, body: { text } }),
      );
      return { id: sessionId, last_sequence: sequence };
    },
  };
}

function stored({ value, sequence }: Schemas["StateValue"]): Stored {
  return { value, present: true, sequence: sequence ?? 0 };
}
