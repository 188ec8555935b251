/** Asks what a model saw and said in one call. */
import { answerOf, api } from "./api";
import { type SeenCall, seenCall } from "./seenCall";

/** Ask for one call, by its id or by its number in the session. */
export async function readModelCall(sessionId: string, call: string, signal: AbortSignal): Promise<SeenCall> {
  const params = { path: { session_id: sessionId, call } };
  return seenCall(await answerOf(api.GET("/sessions/{session_id}/model-calls/{call}", { params, signal })));
}
