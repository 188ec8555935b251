/** Pictures from elsewhere: the gateway fetches one when the person says so, and keeps it. */
import { createContext } from "react";
import { answerOf, api } from "./api";
import type { FileFacts } from "./wire";

/** Whose conversation is being read: the session whose pictures may be loaded. Null: none can be. */
export const PicturesOf = createContext<string | null>(null);

/** What is known of a picture: the file, if somebody loaded it before; whether its host may be asked unasked. */
export interface FoundPicture {
  file: FileFacts | null;
  allowed: boolean;
}

/** Each takes four bytes of memory while it is shown: 160 MB. */
export const MOST_PIXELS = 40_000_000;

/** Whether a picture whose size is known may be drawn: few bytes may be very many pixels. */
export function isDrawable({ naturalWidth, naturalHeight }: HTMLImageElement): boolean {
  return naturalWidth * naturalHeight <= MOST_PIXELS;
}

/** Look for it. Nothing is fetched from elsewhere. */
export async function findPicture(sessionId: string, url: string): Promise<FoundPicture> {
  const params = { path: { session_id: sessionId }, query: { url } };
  const { file, allowed } = await answerOf(api.GET("/sessions/{session_id}/pictures", { params }));
  return { file: file ?? null, allowed };
}

/** Have the gateway fetch it. */
export function loadPicture(sessionId: string, url: string): Promise<FileFacts> {
  const params = { path: { session_id: sessionId } };
  return answerOf(api.POST("/sessions/{session_id}/pictures", { params, body: { url } }));
}

/** Whether it is the address of a picture that the gateway may fetch. */
export function isElsewhere(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === "https:";
}
