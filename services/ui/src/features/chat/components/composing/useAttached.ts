import { useEffect, useRef, useState } from "react";
import { upload } from "../../../../lib/files";
import { newKey } from "../../../../lib/newKey";
import { messageOf } from "../../../../lib/problems";
import { retrying } from "../../../../lib/retrying";
import { keepAttached, readAttached } from "../../api/drafts";
import { type Attached, changed, type Picked, withPicked } from "../../fold/attached";

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

  // What is to be uploaded is begun from what stands in the list, which several may change at once.
  useEffect(() => {
    if (sessionId === null) return;
    const change = (key: string, to: Partial<Attached>) => setAttached((now) => changed(now, key, to));
    const begin = async (key: string, picked: Picked) => {
      const stop = new AbortController();
      uploads.current.set(key, stop);
      try {
        const stored = await retrying(() => upload(picked, sessionId, stop.signal));
        const { file_id: fileId, path, media_type: mediaType } = stored;
        change(key, { state: "there", fileId, path, mediaType, problem: null });
      } catch (error) {
        if (!stop.signal.aborted) change(key, { state: "failed", problem: messageOf(error) });
      } finally {
        uploads.current.delete(key);
      }
    };
    for (const { key, state, file, path } of attached)
      if (state === "uploading" && file !== null && !uploads.current.has(key))
        void begin(key, { file, path });
  }, [attached, sessionId]);

  return {
    attached,
    add(picked) {
      const keyed = picked.map((one) => ({ ...one, key: newKey() }));
      setAttached((now) => withPicked(now, keyed, sessionId === null));
    },
    retry: (key) => setAttached((now) => changed(now, key, { state: "uploading", problem: null })),
    remove(key) {
      uploads.current.get(key)?.abort();
      setAttached((now) => changed(now, key, null));
    },
    clear: () => setAttached([]),
  };
}
