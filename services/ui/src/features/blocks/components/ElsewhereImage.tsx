import { useEffect, useState } from "react";
import { contentHref } from "../../../lib/files";
import { messageOf } from "../../../lib/problems";
import type { Shown } from "../../../lib/shown";
import { useAction } from "../../../lib/useAction";
import type { FileFacts } from "../../../lib/wire";
import { findPicture, loadPicture } from "../api/pictures";
import { Picture } from "./Picture";

interface Props {
  url: string;
  alt: string | null;
  shown: Shown;
}

/** A picture from elsewhere: to fetch it tells others that somebody reads this, so the person is asked. */
export function ElsewhereImage({ url, alt, shown: { sessionId } }: Props) {
  const [file, setFile] = useState<FileFacts | null>(null);
  const loading = useAction();
  useEffect(() => {
    let left = false;
    findPicture(sessionId, url).then(
      (found) => !left && setFile(found),
      (error) => console.warn(`Whether ${url} was loaded before can't be read`, error),
    );
    return () => {
      left = true;
    };
  }, [sessionId, url]);
  if (file) return <Picture src={contentHref(file.file_id, file.version)} alt={alt} />;
  return (
    <div className="block-elsewhere">
      <p>
        {alt && <strong>{alt}. </strong>}A picture from {new URL(url).host}. To load it tells them that
        somebody here reads this.
        {loading.failure !== null && (
          <span className="text-problem d-block" role="alert">
            It was not loaded: {messageOf(loading.failure)}
          </span>
        )}
      </p>
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        disabled={loading.working}
        onClick={() => loading.run(() => loadPicture(sessionId, url), setFile)}
      >
        {loading.working ? "Loading …" : "Load"}
      </button>
    </div>
  );
}
