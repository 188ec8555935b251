/** The gateway's operations on a browser that was handed over to a person. */
import type { components } from "../../../contracts/api";
import { answerOf, api } from "../../../lib/api";
import type { BrowserInput } from "../fold/handOver";

type Schemas = components["schemas"];
export type BrowserView = Schemas["BrowserView"];

/** The call that handed it over. */
export interface HandOverCall {
  sessionId: string;
  callId: string;
}

const pathOf = ({ sessionId, callId }: HandOverCall) => ({ session_id: sessionId, call_id: callId });

/** What the pages look like, once that is newer than `after`, or else after a few seconds. */
export function look(call: HandOverCall, viewer: string, after: number, signal: AbortSignal) {
  const params = { path: pathOf(call), query: { viewer, after } };
  return answerOf(api.GET("/sessions/{session_id}/calls/{call_id}/browser", { params, signal }));
}

/** Do in the page what a person did in its picture. */
export function act(call: HandOverCall, inputs: BrowserInput[]) {
  const params = { path: pathOf(call) };
  return answerOf(
    api.POST("/sessions/{session_id}/calls/{call_id}/browser:act", { params, body: { inputs } }),
  );
}

/** Give the browser back. */
export function end(call: HandOverCall, done: boolean, keepLogin: boolean) {
  const body = { done, keep_login: keepLogin };
  const params = { path: pathOf(call) };
  return answerOf(api.POST("/sessions/{session_id}/calls/{call_id}/browser:end", { params, body }));
}
