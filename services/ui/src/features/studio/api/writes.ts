/** The gateway's operations on what an agent has: changing it. Each is tried again while that may help. */
import type { components } from "../../../contracts/api";
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { Members } from "../../../lib/shape";
import type { TestRun } from "../../../lib/wire";
import type { Place } from "./requests";

type Schemas = components["schemas"];

/** Try under one key, so that a repeat never writes a second time. */
function written<T>(write: (header: ReturnType<typeof once>) => Promise<T>): Promise<T> {
  const header = once(newKey());
  return retrying(() => write(header));
}

/** Make the value that event `sequence` wrote the newest one. */
export function revert({ agentId, section, name }: Place, sequence: number): Promise<{ version: number }> {
  const agent = { agent_id: agentId };
  const body = { sequence };
  return written(async (header) => {
    switch (section) {
      case "prompt":
      case "notes":
        return answerOf(
          api.POST(`/agents/{agent_id}/${section}/revert`, { params: { path: agent, header }, body }),
        );
      case "state": {
        const params = { path: { ...agent, key: name }, header };
        return answerOf(api.POST("/agents/{agent_id}/state/{key}/revert", { params, body }));
      }
      case "secrets":
        throw new Error("A secret has no versions to go back to");
      default: {
        const params = { path: { ...agent, name }, header };
        return answerOf(api.POST(`/agents/{agent_id}/${section}/{name}/revert`, { params, body }));
      }
    }
  });
}

export function switchTo({ agentId, section, name }: Place, enabled: boolean): Promise<unknown> {
  if (section !== "tools" && section !== "functions" && section !== "skills")
    throw new Error(`What is in ${section} can't be switched off`);
  const path = { agent_id: agentId, name };
  return written((header) =>
    answerOf(
      api.PUT(`/agents/{agent_id}/${section}/{name}/enabled`, {
        params: { path, header },
        body: { enabled },
      }),
    ),
  );
}

/** Pin these tools, and no others, if they are still what they were at `version`. */
export function pinTools(agentId: string, names: readonly string[], version: number): Promise<unknown> {
  const path = { agent_id: agentId };
  const body = { names: [...names], version };
  return written((header) =>
    answerOf(api.PUT("/agents/{agent_id}/pinned-tools", { params: { path, header }, body })),
  );
}

export function remove({ agentId, section, name }: Place): Promise<unknown> {
  const agent = { agent_id: agentId };
  return written(async (header) => {
    switch (section) {
      case "prompt":
      case "notes":
        throw new Error(`The ${section} can be emptied, but not deleted`);
      case "state":
        return answerOf(
          api.DELETE("/agents/{agent_id}/state/{key}", { params: { path: { ...agent, key: name }, header } }),
        );
      case "secrets":
        return answerOf(
          api.DELETE("/agents/{agent_id}/secrets/{name}", { params: { path: { ...agent, name } } }),
        );
      default:
        return answerOf(
          api.DELETE(`/agents/{agent_id}/${section}/{name}`, {
            params: { path: { ...agent, name }, header },
          }),
        );
    }
  });
}

/**
 * Write it anew; refused if `version` is no longer its version (0: there is none).
 *
 * `members` are what a person wrote: the gateway checks them, and says which of them is wrong.
 */
export function save({ agentId, section, name }: Place, members: Members, version: number): Promise<unknown> {
  const agent = { agent_id: agentId };
  const body: Members = { ...members, version };
  return written(async (header) => {
    const params = { path: { ...agent, name }, header };
    switch (section) {
      case "prompt":
      case "notes":
        return answerOf(
          api.PUT(`/agents/{agent_id}/${section}`, {
            params: { path: agent, header },
            body: body as Schemas["WriteText"],
          }),
        );
      case "state":
        return answerOf(
          api.PUT("/agents/{agent_id}/state/{key}", {
            params: { path: { ...agent, key: name }, header },
            body: body as Schemas["WriteState"],
          }),
        );
      case "secrets":
        throw new Error("A secret is written with its hosts");
      case "tools":
      case "functions":
        return answerOf(
          api.PUT(`/agents/{agent_id}/${section}/{name}`, { params, body: body as Schemas["WriteTool"] }),
        );
      case "libraries":
        return answerOf(
          api.PUT("/agents/{agent_id}/libraries/{name}", { params, body: body as Schemas["WriteLibrary"] }),
        );
      case "components":
        return answerOf(
          api.PUT("/agents/{agent_id}/components/{name}", {
            params,
            body: body as Schemas["WriteComponent"],
          }),
        );
      case "skills":
        return answerOf(
          api.PUT("/agents/{agent_id}/skills/{name}", { params, body: body as Schemas["WriteSkill"] }),
        );
      case "playbooks":
        return answerOf(
          api.PUT("/agents/{agent_id}/playbooks/{name}", { params, body: body as Schemas["WritePlaybook"] }),
        );
      default:
        return section satisfies never;
    }
  });
}

/** Run a tool or a function once, for real; how it ended. */
export function tryOut(
  { agentId, section, name }: Place & { section: "tools" | "functions" },
  parameters: unknown,
): Promise<TestRun> {
  const params = { path: { agent_id: agentId, name } };
  const body = { arguments: parameters as Members };
  return written((header) =>
    answerOf(
      api.POST(`/agents/{agent_id}/${section}/{name}/test-runs`, { params: { ...params, header }, body }),
    ),
  );
}

export interface SecretInput {
  value: string;
  hosts: string[];
  reveal: boolean;
}

/** Store a secret in place of the one before. */
export function saveSecret(agentId: string, name: string, secret: SecretInput): Promise<unknown> {
  const params = { path: { agent_id: agentId, name } };
  return retrying(() => answerOf(api.PUT("/agents/{agent_id}/secrets/{name}", { params, body: secret })));
}
