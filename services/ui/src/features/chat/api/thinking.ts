/** All that a model thought before an answer. */
import { addressOf } from "../../../lib/address";
import { answerOf, api } from "../../../lib/api";
import type { WholeThought } from "../fold/transcript";

/** Bytes that the gateway gives to be shown; more can be downloaded. */
export const MOST_SHOWN = 2_000_000;

export function readThinking({ sessionId, answer }: WholeThought): Promise<string> {
  return answerOf(
    api.GET("/sessions/{session_id}/messages/{answer}/thinking", {
      params: { path: { session_id: sessionId, answer: addressOf(answer) } },
      parseAs: "text",
    }),
  );
}
