/** Where material from outside came from: what nobody who talks here wrote. */
import type { components } from "../contracts/api";
import { placeOf, recordOf } from "./address";

export type OutsideSource = components["schemas"]["ProvenanceSource"];

/** As events have it: what is as always isn't there. */
export interface StoredSource extends Pick<OutsideSource, "kind"> {
  name?: string;
  at?: string | null;
  session?: string | null;
  count?: number;
  last?: string | null;
}

const KINDS: Record<OutsideSource["kind"], string> = {
  web: "the web",
  file: "a file",
  mcp: "a server of tools",
  wake: "another service",
  peer: "another agent",
  page: "a page of the agent's",
  clipboard: "the clipboard",
};

const SEVERAL: Record<OutsideSource["kind"], string> = {
  web: "other sites",
  file: "other files",
  mcp: "other servers of tools",
  wake: "other services",
  peer: "other agents",
  page: "other pages",
  clipboard: "the clipboard",
};

/** All of them as the API has them; what a call brought itself came by its request. */
export function sourcesOf(
  stored: readonly StoredSource[] | null | undefined,
  session: string | null,
  request: string | null,
): OutsideSource[] {
  const place = request === null ? null : String(recordOf(placeOf(request)));
  return (stored ?? []).map(({ kind, name = "", at = null, session: of = null, count = 1, last = null }) => ({
    kind,
    name,
    ...(at === null ? { first_address: place, session_id: session } : { first_address: at, session_id: of }),
    count,
    last_address: last,
  }));
}

/** In words, such as `example.com (the web)`. */
export function sourceWords({ kind, name, count }: OutsideSource): string {
  if (name === "") return count > 1 ? `${count} ${SEVERAL[kind]}` : KINDS[kind];
  return `${name} (${KINDS[kind]})`;
}
