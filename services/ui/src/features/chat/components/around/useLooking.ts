import { useEffect } from "react";
import { api } from "../../../../lib/api";

/** The notifier forgets a look after 45 s. */
const AGAIN_MS = 20_000;

/** Tells Foldline while a person has this session before their eyes: about that they get no notifications. */
export function useLooking(sessionId: string): void {
  useEffect(() => {
    const tell = (visible: boolean) =>
      void api
        .POST("/sessions/{session_id}:look", {
          params: { path: { session_id: sessionId } },
          body: { visible },
          keepalive: true,
        })
        .catch(() => undefined); // at worst one notification too many, or one for what was just closed
    const isSeen = () => document.visibilityState === "visible";
    const changed = () => tell(isSeen());
    if (isSeen()) tell(true);
    const again = setInterval(() => isSeen() && tell(true), AGAIN_MS);
    document.addEventListener("visibilitychange", changed);
    return () => {
      clearInterval(again);
      document.removeEventListener("visibilitychange", changed);
      tell(false);
    };
  }, [sessionId]);
}
