/** The gateway's operations on what people set: of an agent, or (null) of the installation. */
import type { components } from "../../../contracts/api";
import { answerOf, api } from "../../../lib/api";
import { retrying, written } from "../../../lib/retrying";
import type {
  AdaptedModels,
  ModelTest,
  NextTimes,
  PolicyTrial,
  Reminder,
  Schedule,
  ScheduleDraft,
  ScheduleRuns,
  Settings,
  Spending,
} from "../../../lib/wire";
import { type Draft, plain } from "../fold/policy";
import type { Values } from "../fold/settings";
import type { Level } from "../fold/settingWords";

type Schemas = components["schemas"];
export type AgentPacks = Schemas["PacksOfAgent"];
export type AgentPack = Schemas["PackOfAgent"];
/** What is set, by pack. */
export type SettingsByPack = Readonly<Record<string, Record<string, unknown>>>;

const of = (agentId: string) => ({ agent_id: agentId });

export function readSettings(agentId: string | null, signal: AbortSignal): Promise<Settings> {
  if (agentId === null) return answerOf(api.GET("/settings", { signal }));
  return answerOf(api.GET("/agents/{agent_id}/settings", { params: { path: of(agentId) }, signal }));
}

/** Set several together; `versions` are those that they were read at. */
export function writeSettings(
  agentId: string | null,
  values: Values,
  versions: Record<string, number>,
): Promise<Settings> {
  const body = { values, versions };
  if (agentId === null) return answerOf(api.PATCH("/settings", { body }));
  return answerOf(api.PATCH("/agents/{agent_id}/settings", { params: { path: of(agentId) }, body }));
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
  if (agentId === null) return answerOf(api.POST("/settings:test-model", { body }));
  return answerOf(
    api.POST("/agents/{agent_id}/settings:test-model", { params: { path: of(agentId) }, body }),
  );
}

/** What was spent on models: by all agents, and by one. */
export const readSpending = (agent_id: string | null, signal: AbortSignal): Promise<Spending> =>
  answerOf(api.GET("/spending", { params: { query: { agent_id } }, signal }));

/** What was learned of models: see `AdaptedModels`. */
export const readAdaptations = (signal: AbortSignal): Promise<AdaptedModels> =>
  answerOf(api.GET("/model-adaptations", { signal }));

/** Forget what was learned of one model (null: of all), or only what has this label. */
export function resetAdaptations(name: string | null, label: string | null): Promise<unknown> {
  if (name === null) return answerOf(api.DELETE("/model-adaptations"));
  return answerOf(api.DELETE("/model-adaptations/{name}", { params: { path: { name }, query: { label } } }));
}

/** The packs of tools that an agent may have, the enabled ones first, in their order. */
export const readPacks = (agentId: string, signal: AbortSignal): Promise<AgentPacks> =>
  answerOf(api.GET("/agents/{agent_id}/packs", { params: { path: of(agentId) }, signal }));

/** Enable these packs, in this order, and no others, and set what is set of those in `settings`. */
export const writePacks = (
  agentId: string,
  packs: readonly string[],
  version: number,
  settings: SettingsByPack = {},
): Promise<AgentPacks> =>
  written((header) => {
    const body = { packs: [...packs], version, settings };
    return answerOf(api.PUT("/agents/{agent_id}/packs", { params: { path: of(agentId), header }, body }));
  });

/** The tools whose definitions the model gets with each request. */
export const readPinned = (agentId: string, signal: AbortSignal) =>
  answerOf(api.GET("/agents/{agent_id}/pinned-tools", { params: { path: of(agentId) }, signal }));

/** Pin these tools, and no others, if they are still what they were at `version`. */
export const pinTools = (agentId: string, names: readonly string[], version: number): Promise<unknown> =>
  written((header) => {
    const params = { path: of(agentId), header };
    return answerOf(
      api.PUT("/agents/{agent_id}/pinned-tools", { params, body: { names: [...names], version } }),
    );
  });

/** What a policy would have said of the newest calls. */
export const tryPolicy = (agentId: string, draft: Draft): Promise<PolicyTrial> =>
  answerOf(api.POST("/agents/{agent_id}/policy:try", { params: { path: of(agentId) }, body: plain(draft) }));

/** What a delegate answers to a short question. Asked once: it may cost something. */
export async function testDelegate(agentId: string, name: string): Promise<string> {
  const params = { path: { ...of(agentId), name } };
  return (await answerOf(api.POST("/agents/{agent_id}/delegates/{name}:test", { params }))).answer;
}

/** The logins that a person kept for an agent. */
export async function readSiteLogins(agentId: string, signal: AbortSignal) {
  const params = { path: of(agentId) };
  return (await answerOf(api.GET("/agents/{agent_id}/site-logins", { params, signal }))).items;
}

export const forgetSiteLogin = (agentId: string, site: string) =>
  retrying(() =>
    answerOf(
      api.DELETE("/agents/{agent_id}/site-logins/{site}", { params: { path: { ...of(agentId), site } } }),
    ),
  );

/** The agent's zone, and the version of its own setting of it; 0: it has none. */
export interface Timezone {
  timezone: string;
  version: number;
}

/** All that waits for a time: scheduled tasks, reminders, and the zone that times are in. */
export interface Timed {
  schedules: readonly Schedule[];
  reminders: readonly Reminder[];
  timezone: Timezone;
}

export async function readTimed(agentId: string, signal: AbortSignal): Promise<Timed> {
  const init = { params: { path: of(agentId) }, signal };
  const [{ items: schedules }, { items: reminders }, { items: settings }] = await Promise.all([
    answerOf(api.GET("/agents/{agent_id}/schedules", init)),
    answerOf(api.GET("/agents/{agent_id}/reminders", init)),
    readSettings(agentId, signal),
  ]);
  const zone = settings.find(({ name }) => name === "timezone");
  const timezone = { timezone: String(zone?.value ?? "UTC"), version: zone?.own?.version ?? 0 };
  return { schedules, reminders, timezone };
}

/** Runs per page. */
const RUNS = 20;

/** What became of a task's times, newest first. */
export function readRuns(
  agentId: string,
  scheduleId: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<ScheduleRuns> {
  const params = { path: { ...of(agentId), name: scheduleId }, query: { cursor, limit: RUNS } };
  return answerOf(api.GET("/agents/{agent_id}/schedules/{name}/runs", { params, signal }));
}

/** The next times of a task that isn't stored; refused with the field that is wrong. */
export const readNextTimes = (
  agentId: string,
  body: Record<"at" | "cron" | "timezone", string | null>,
  signal: AbortSignal,
): Promise<NextTimes> =>
  answerOf(api.POST("/agents/{agent_id}/schedules:preview", { params: { path: of(agentId) }, body, signal }));

export const createSchedule = (agentId: string, body: ScheduleDraft): Promise<Schedule> =>
  written((header) =>
    answerOf(api.POST("/agents/{agent_id}/schedules", { params: { path: of(agentId), header }, body })),
  );

/** Pause a task, let it continue, or run it now. */
export const steer = (agentId: string, scheduleId: string, action: "pause" | "resume" | "run") =>
  written((header) => {
    const params = { path: { ...of(agentId), name: scheduleId }, header };
    return answerOf(api.POST(`/agents/{agent_id}/schedules/{name}:${action}`, { params }));
  });

export const cancelReminder = (agentId: string, reminderId: string): Promise<unknown> =>
  written((header) => {
    const params = { path: { ...of(agentId), name: reminderId }, header };
    return answerOf(api.DELETE("/agents/{agent_id}/reminders/{name}", { params }));
  });
