/** Pictures from elsewhere: the gateway fetches one when the person says so, and keeps it. */
import { answerOf, api } from "../../../lib/api";
import { isNotFound } from "../../../lib/problems";
import type { FileFacts } from "../../../lib/wire";

/** The picture, if somebody loaded it before; null: it wasn't. Nothing is fetched from elsewhere. */
export async function findPicture(sessionId: string, url: string): Promise<FileFacts | null> {
  const params = { path: { session_id: sessionId }, query: { url } };
  try {
    return await answerOf(api.GET("/sessions/{session_id}/pictures", { params }));
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Have the gateway fetch it. */
export function loadPicture(sessionId: string, url: string): Promise<FileFacts> {
  const params = { path: { session_id: sessionId } };
  return answerOf(api.POST("/sessions/{session_id}/pictures", { params, body: { url } }));
}
