/** The gateway's operations that pages use, in the name of the person before the screen. */
import type { components } from "../../../contracts/api";
import { Problem, request } from "../../../lib/http";
import type { Accepted, Session } from "../../../lib/wire";
import type { PageEntry } from "../fold/pageList";

type Schemas = components["schemas"];

/** A page with its code. */
export interface Page extends PageEntry {
  code: string;
}

/** A value of the agent's state as of event `sequence`. */
export interface Stored {
  value: unknown;
  present: boolean;
  sequence: number;
}

export interface PageRequests {
  list(): Promise<PageEntry[]>;
  page(name: string): Promise<Page>;
  readState(key: string): Promise<Stored>;
  writeState(key: string, value: unknown, idempotencyKey: string): Promise<Stored>;
  call(name: string, args: Record<string, unknown>, idempotencyKey: string): Promise<unknown>;
  /** Into the session, or (null) into a new one: the session's id, and the event from which it can be read. */
  say(sessionId: string | null, text: string, idempotencyKey: string): Promise<Said>;
}

export interface Said {
  id: string;
  last_sequence: number;
}

export function pageRequests(agentId: string): PageRequests {
  const path = `/agents/${encodeURIComponent(agentId)}`;
  const state = (key: string) => `${path}/state/${encodeURIComponent(key)}`;
  return {
    async list() {
      const { definitions } = await request<Schemas["DefinitionNames"]>(`${path}/components`);
      return definitions.map(({ name, description, version, sequence }) => ({
        name,
        description,
        version,
        sequence: sequence ?? 0,
      }));
    },
    async page(name) {
      const found = await request<Schemas["Definition"]>(`${path}/components/${encodeURIComponent(name)}`);
      const { description, code } = found.definition;
      return {
        name: found.name,
        description: String(description ?? ""),
        code: String(code ?? ""),
        version: found.version,
        sequence: found.sequence ?? 0,
      };
    },
    async readState(key) {
      try {
        return stored(await request<Schemas["StateValue"]>(state(key)));
      } catch (error) {
        if (error instanceof Problem && error.kind === "not_found")
          return { value: null, present: false, sequence: 0 };
        throw error;
      }
    },
    async writeState(key, value, idempotencyKey) {
      const body = { value };
      return stored(
        await request<Schemas["StateValue"]>(state(key), { method: "PUT", body, idempotencyKey }),
      );
    },
    async call(name, args, idempotencyKey) {
      const { result } = await request<Schemas["FunctionResult"]>(
        `${path}/functions/${encodeURIComponent(name)}/invoke`,
        { method: "POST", body: { arguments: args }, idempotencyKey },
      );
      return result;
    },
    async say(sessionId, text, idempotencyKey) {
      if (sessionId === null) {
        const body = { message: text, agent_id: agentId };
        return request<Session>("/sessions", { method: "POST", body, idempotencyKey });
      }
      const { sequence } = await request<Accepted>(`/sessions/${encodeURIComponent(sessionId)}/messages`, {
        method: "POST",
        body: { text },
        idempotencyKey,
      });
      return { id: sessionId, last_sequence: sequence };
    },
  };
}

function stored({ value, sequence }: Schemas["StateValue"]): Stored {
  return { value, present: true, sequence: sequence ?? 0 };
}
