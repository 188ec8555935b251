import { useCallback, useEffect, useRef, useState } from "react";
import { upload } from "../../../lib/files";
import { newKey } from "../../../lib/newKey";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { keepAttached, readAttached } from "../api/drafts";
import { type Attached, changed, type Picked, withPicked } from "../fold/attached";

export interface Attaching {
  attached: readonly Attached[];
  add(picked: readonly Picked[]): void;
  retry(key: string): void;
  remove(key: string): void;
  clear(): void;
}

/** The files that are to go with the next message. They are uploaded at once; without a session, they are held. */
export function useAttached(draftKey: string, sessionId: string | null): Attaching {
  const [attached, setAttached] = useState<readonly Attached[]>(() => readAttached(draftKey));
  const uploads = useRef(new Map<string, AbortController>());

  useEffect(() => keepAttached(draftKey, attached), [draftKey, attached]);
  useEffect(() => {
    const running = uploads.current;
    return () => {
      for (const one of running.values()) one.abort();
    };
  }, []);

  const begin = useCallback(
    async (key: string, picked: Picked) => {
      if (sessionId === null) return;
      const stop = new AbortController();
      uploads.current.set(key, stop);
      const change = (to: Partial<Attached>) => setAttached((now) => changed(now, key, to));
      try {
        const stored = await retrying(() => upload(picked, sessionId, stop.signal));
        const { file_id: fileId, path, media_type: mediaType } = stored;
        change({ state: "there", fileId, path, mediaType, problem: null });
      } catch (error) {
        if (!stop.signal.aborted) change({ state: "failed", problem: messageOf(error) });
      } finally {
        uploads.current.delete(key);
      }
    },
    [sessionId],
  );

  return {
    attached,
    add(picked) {
      const keyed = picked.map((one) => ({ ...one, key: newKey() }));
      const after = withPicked(attached, keyed, sessionId === null);
      setAttached(after);
      for (const one of keyed)
        if (after.some(({ key, state }) => key === one.key && state === "uploading"))
          void begin(one.key, one);
    },
    retry(key) {
      const one = attached.find((candidate) => candidate.key === key);
      if (!one?.file) return;
      setAttached((now) => changed(now, key, { state: "uploading", problem: null }));
      void begin(key, { file: one.file, path: one.path });
    },
    remove(key) {
      uploads.current.get(key)?.abort();
      setAttached((now) => changed(now, key, null));
    },
    clear: () => setAttached([]),
  };
}
