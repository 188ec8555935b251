/**
 * The gateway's operations on what an agent has, for the things of every kind.
 *
 * Kinds differ in their paths alone: all take and answer the same, so the types are those of skills. Writes are tried
 * again while that may help.
 */
import { addressOf } from "../../../lib/address";
import { answerOf, api } from "../../../lib/api";
import { isNotFound } from "../../../lib/problems";
import { written } from "../../../lib/retrying";
import { type Members, members } from "../../../lib/shape";
import type { TestRun, Versions, Written } from "../../../lib/wire";
import { listedKinds, type PagedKind } from "../fold/shelves";
import { type Item, itemOf, type Lists } from "../fold/view";

/** Which thing of which agent. Where there is one of a kind, its name is the kind's. */
export interface Place {
  agentId: string;
  kind: PagedKind;
  name: string;
}

/** A thing as it is, or was. */
export interface Thing<Value = unknown> extends Written {
  value: Value;
}

type All = "/agents/{agent_id}/skills";
type One = `${All}/{name}`;

/** The reserved agent that has the settings of all agents. */
export const INSTALLATION = "_system";

const all = ({ page }: PagedKind) => `/agents/{agent_id}/${page.path}` as All;
const one = ({ agentId, kind }: Place) =>
  `${agentId === INSTALLATION ? `/${kind.page.path}` : all(kind)}${kind.only ? "" : "/{name}"}` as One;
const pathOf = ({ agentId, name }: Place) => ({ agent_id: agentId, name });

/** Those of a kind, in short. */
async function readList(agentId: string, kind: PagedKind, signal?: AbortSignal): Promise<Item[]> {
  const params = { path: { agent_id: agentId } };
  const { items } = await answerOf(api.GET(all(kind), { params, ...(signal && { signal }) }));
  const found: readonly (Parameters<typeof itemOf>[0] & { key?: string })[] = items;
  return found.map(({ key, ...rest }) => itemOf({ ...rest, name: key ?? rest.name }));
}

/** All that the agent has by name, in short. */
export async function readLists(agentId: string, signal?: AbortSignal): Promise<Lists> {
  const read = async (kind: PagedKind) => [kind.kind, await readList(agentId, kind, signal)] as const;
  return Object.fromEntries(await Promise.all(listedKinds().map(read)));
}

/** A thing now, or as it was after event `moment`; null: there is none. */
export async function readThing<Value>(
  place: Place,
  moment: number | null,
  signal: AbortSignal,
): Promise<Thing<Value> | null> {
  const { value: member = "definition" } = place.kind.page;
  const params = { path: pathOf(place), query: { at: moment === null ? null : addressOf(moment) } };
  try {
    const found = await answerOf(api.GET(one(place), { params, signal }));
    const { version, sequence, written_at, actor, session_id, call_id } = found;
    const value = (member === null ? found : members(found)[member]) as Value;
    return { version, sequence, written_at, actor, session_id, call_id, value };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** What there is one of, as it is now. */
export async function readOnly<Value>(
  agentId: string,
  kind: PagedKind,
  signal: AbortSignal,
): Promise<Thing<Value>> {
  const found = await readThing<Value>({ agentId, kind, name: kind.kind }, null, signal);
  if (found === null) throw new Error(`The agent is gone, and its ${kind.noun} with it.`);
  return found;
}

/** Versions per page. */
const PAGE = 50;

/** Who changed it and when, newest first. */
export function readVersions(place: Place, cursor: string | null, signal: AbortSignal): Promise<Versions> {
  const params = { path: pathOf(place), query: { cursor, limit: PAGE } };
  return answerOf(api.GET(`${one(place)}/versions`, { params, signal }));
}

/** Make the value that event `sequence` wrote the newest one. */
export function revert(place: Place, sequence: number): Promise<{ version: number }> {
  return written((header) =>
    answerOf(
      api.POST(`${one(place)}:revert`, {
        params: { path: pathOf(place), header },
        body: { sequence },
      }),
    ),
  );
}

export function switchTo(place: Place, enabled: boolean): Promise<unknown> {
  return written((header) =>
    answerOf(
      api.PATCH(`${one(place)}`, {
        params: { path: pathOf(place), header },
        body: { enabled },
      }),
    ),
  );
}

export function remove(place: Place): Promise<unknown> {
  return written((header) => answerOf(api.DELETE(one(place), { params: { path: pathOf(place), header } })));
}

/**
 * Write it anew; refused if `version` is no longer its version (0: there is none). Null: whatever its version is.
 *
 * `value` is what a person wrote: the gateway checks it, and says which of its members is wrong.
 */
export function save(place: Place, value: object, version: number | null): Promise<{ version: number }> {
  const body = { ...value, ...(version !== null && { version }) };
  return written((header) =>
    answerOf(api.PUT(one(place), { params: { path: pathOf(place), header }, body: body as never })),
  );
}

/** Run a tool or a function once, for real; how it ended. */
export function tryOut(place: Place, parameters: unknown): Promise<TestRun> {
  const address = `${one(place)}:test` as "/agents/{agent_id}/tools/{name}:test";
  const params = { path: pathOf(place) };
  const body = { arguments: parameters as Members };
  return written((header) => answerOf(api.POST(address, { params: { ...params, header }, body })));
}
