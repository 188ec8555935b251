/** The gateway's operations on settings: an agent's own, or (null) those of the installation. */
import { answerOf, api } from "../../../lib/api";
import type { AdaptedModels, ModelTest, Settings, Spending, Versions } from "../../../lib/wire";
import type { Values } from "../fold/settings";
import type { Level } from "../fold/settingWords";

export function readSettings(agentId: string | null, signal: AbortSignal): Promise<Settings> {
  if (agentId === null) return answerOf(api.GET("/settings", { signal }));
  const params = { path: { agent_id: agentId } };
  return answerOf(api.GET("/agents/{agent_id}/settings", { params, signal }));
}

/** Set several together; `versions` are those that they were read at. */
export function writeSettings(
  agentId: string | null,
  values: Values,
  versions: Record<string, number>,
): Promise<Settings> {
  const body = { values, versions };
  if (agentId === null) return answerOf(api.PUT("/settings", { body }));
  const params = { path: { agent_id: agentId } };
  return answerOf(api.PUT("/agents/{agent_id}/settings", { params, body }));
}

/** `answer`: one short call; `checks`: what the model can do, by some eight calls; `list`: what its server has. */
export type TestWants = "answer" | "checks" | "list";

/** Test a model, by the settings as they would be with `values`. */
export function testModel(
  agentId: string | null,
  level: Level,
  values: Values,
  wants: TestWants = "answer",
): Promise<ModelTest> {
  const body = { level, values, wants };
  if (agentId === null) return answerOf(api.POST("/settings/test-model", { body }));
  const params = { path: { agent_id: agentId } };
  return answerOf(api.POST("/agents/{agent_id}/settings/test-model", { params, body }));
}

export function readSettingVersions(
  agentId: string | null,
  name: string,
  signal: AbortSignal,
): Promise<Versions> {
  if (agentId === null) {
    return answerOf(api.GET("/settings/{name}/versions", { params: { path: { name } }, signal }));
  }
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.GET("/agents/{agent_id}/settings/{name}/versions", { params, signal }));
}

/** Give a setting the value of an earlier version again. */
export function revertSetting(agentId: string | null, name: string, sequence: number): Promise<Settings> {
  const body = { sequence };
  if (agentId === null) {
    return answerOf(api.POST("/settings/{name}/revert", { params: { path: { name } }, body }));
  }
  const params = { path: { agent_id: agentId, name } };
  return answerOf(api.POST("/agents/{agent_id}/settings/{name}/revert", { params, body }));
}

/** What was spent on models: by all agents, and by one. */
export function readSpending(agentId: string | null, signal: AbortSignal): Promise<Spending> {
  return answerOf(api.GET("/spending", { params: { query: { agent_id: agentId } }, signal }));
}

/** What was learned of models: see `AdaptedModels`. */
export function readAdaptations(signal: AbortSignal): Promise<AdaptedModels> {
  return answerOf(api.GET("/model-adaptations", { signal }));
}

/** Forget what was learned of one model (null: of all), or only what has this label. */
export function resetAdaptations(name: string | null, label: string | null): Promise<unknown> {
  if (name === null) return answerOf(api.DELETE("/model-adaptations"));
  const params = { path: { name }, query: { label } };
  return answerOf(api.DELETE("/model-adaptations/{name}", { params }));
}
