/** The gateway's operations on what an agent has: changing it. Each is tried again while that may help. */
import { type RequestOptions, request } from "../../../lib/http";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import { agentPath, type Place, pathOf } from "./requests";

function write<T>(path: string, options: RequestOptions): Promise<T> {
  const idempotencyKey = newKey();
  return retrying(() => request<T>(path, { ...options, idempotencyKey }));
}

/** Make the value that event `sequence` wrote the newest one. */
export function revert(place: Place, sequence: number): Promise<{ version: number }> {
  return write(`${pathOf(place)}/revert`, { method: "POST", body: { sequence } });
}

export function switchTo(place: Place, enabled: boolean): Promise<unknown> {
  return write(`${pathOf(place)}/enabled`, { method: "PUT", body: { enabled } });
}

export function remove(place: Place): Promise<unknown> {
  return write(pathOf(place), { method: "DELETE" });
}

/** Write it anew; refused if `version` is no longer its version (0: there is none). */
export function save(place: Place, members: Record<string, unknown>, version: number): Promise<unknown> {
  return write(pathOf(place), { method: "PUT", body: { ...members, version } });
}

/** Call a function; what it returned. */
export async function invoke(place: Place, parameters: unknown): Promise<unknown> {
  const body = { arguments: parameters };
  return (await write<{ result: unknown }>(`${pathOf(place)}/invoke`, { method: "POST", body })).result;
}

export interface SecretInput {
  value: string;
  hosts: string[];
  reveal: boolean;
}

/** Store a secret in place of the one before. */
export function saveSecret(agentId: string, name: string, secret: SecretInput): Promise<unknown> {
  const path = `${agentPath(agentId)}/secrets/${encodeURIComponent(name)}`;
  return retrying(() => request(path, { method: "PUT", body: secret }));
}
