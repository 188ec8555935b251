import { useEffect, useState } from "react";
import { contentHref } from "../../lib/files";
import { useAction } from "../../lib/hooks/useAction";
import { findPicture, loadPicture } from "../../lib/pictures";
import { messageOf } from "../../lib/problems";
import type { FileFacts } from "../../lib/wire";
import { Picture } from "../Picture";
import "../pictures.css";

interface Props {
  url: string;
  alt: string | null;
  /** The session that keeps it; null: it can't be loaded. */
  sessionId: string | null;
}

/**
 * A picture from elsewhere: to fetch it tells others that somebody reads this, so the person is asked, unless whoever
 * runs the gateway allowed its host. It may stand within a line: no blocks here.
 */
export function ElsewhereImage({ url, alt, sessionId }: Props) {
  const [file, setFile] = useState<FileFacts | null>(null);
  const loading = useAction();
  const { run } = loading;
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for once; `run` is another function each time
  useEffect(() => {
    if (sessionId === null) return;
    let left = false;
    findPicture(sessionId, url).then(
      (found) => {
        if (left) return;
        if (found.file) setFile(found.file);
        else if (found.allowed) run(() => loadPicture(sessionId, url), setFile);
      },
      (error) => console.warn(`Whether ${url} was loaded before can't be read`, error),
    );
    return () => {
      left = true;
    };
  }, [sessionId, url]);
  if (file) return <Picture src={contentHref(file.file_id, file.version)} alt={alt} />;
  return (
    <span className="elsewhere">
      <span className="elsewhere-words">
        {alt && <strong>{alt}. </strong>}Image from {new URL(url).host}. Loading it tells that site that you
        opened it.
        {loading.failure !== null && (
          <span className="text-problem d-block" role="alert">
            It could not be loaded: {messageOf(loading.failure)}
          </span>
        )}
      </span>
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        disabled={loading.working || sessionId === null}
        onClick={() => sessionId !== null && run(() => loadPicture(sessionId, url), setFile)}
      >
        {loading.working ? "Loading …" : "Load"}
      </button>
    </span>
  );
}
