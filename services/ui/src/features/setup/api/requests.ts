import { answerOf, api } from "../../../lib/api";

/** One short real call by these settings, of which nothing is stored. */
export function tryModel(values: Record<string, string>) {
  return answerOf(api.POST("/settings:test-model", { body: { level: null, values } }));
}

/** They hold for the whole installation from the next call on. Keys go to the vault. */
export function keepModel(values: Record<string, string>) {
  return answerOf(api.PATCH("/settings", { body: { values, versions: {} } }));
}
