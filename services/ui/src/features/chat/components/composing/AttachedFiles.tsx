import { useEffect, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Thumbnail } from "../../../../components/Thumbnail";
import { contentHref, hasThumbnail, nameOf } from "../../../../lib/files";
import { bytes } from "../../../../lib/words";
import { type Attached, retriable } from "../../fold/attached";

interface Props {
  attached: readonly Attached[];
  onRetry: (key: string) => void;
  onRemove: (key: string) => void;
}

/** The files that go with the message that is being written. */
export function AttachedFiles({ attached, onRetry, onRemove }: Props) {
  if (attached.length === 0) return null;
  return (
    <ul className="files composer-files" aria-label="Files to send">
      {attached.map((one) => (
        <li
          key={one.key}
          className={`file-card ${one.state === "failed" ? "is-failed" : ""}`}
          title={one.path}
        >
          <Preview one={one} />
          <span className="file-words">
            <span className="file-name">{nameOf(one.path)}</span>
            <span className="file-facts" role={one.state === "failed" ? "alert" : undefined}>
              {one.state === "failed" ? one.problem : bytes(one.size)}
              {one.state === "uploading" && ", uploading…"}
            </span>
          </span>
          {retriable(one) && (
            <button
              type="button"
              className="btn btn-link btn-icon"
              aria-label={`Upload ${nameOf(one.path)} again`}
              onClick={() => onRetry(one.key)}
            >
              <Icon name="retry" size={15} />
            </button>
          )}
          <button
            type="button"
            className="btn btn-link btn-icon"
            aria-label={`Remove ${nameOf(one.path)}`}
            onClick={() => onRemove(one.key)}
          >
            <Icon name="cross" size={15} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What the file looks like: from this computer, or, after a reload, from where it is now. */
function Preview({ one: { file, fileId, mediaType, size, state } }: { one: Attached }) {
  const drawn = state !== "failed" && hasThumbnail({ media_type: mediaType, size });
  const [local, setLocal] = useState<string | null>(null);
  useEffect(() => {
    if (!drawn || !file) return;
    const url = URL.createObjectURL(file);
    setLocal(url);
    return () => URL.revokeObjectURL(url);
  }, [drawn, file]);
  if (state === "uploading" && !drawn)
    return (
      <span className="file-sign">
        <span className="spinner-border spinner-border-sm" aria-hidden="true" />
      </span>
    );
  const there = fileId === null ? null : contentHref(fileId);
  return (
    <Thumbnail src={drawn ? (file ? local : there) : null} icon={state === "failed" ? "warning" : "file"} />
  );
}
